import { type Output, type Terminal, wantsColor } from './terminal.ts';

export interface Progress {
  /** Tells how far it is. Cheap: what is not worth showing is not shown. */
  at(done: number, total: number, note?: string): void;
  /** Prints a line above the bar. */
  say(line: string): void;
  /** Leaves the last state on the screen. */
  end(): void;
}

const BAR_CELLS = 30;
const FEWEST_CELLS = 5;
/** Blanks between the parts of the line, and one column that stays free. */
const GAPS = 5;
const REDRAW_MS = 100;
const LINE_EVERY_MS = 5_000;

/** A bar on a terminal, a line every five seconds elsewhere. */
export function showProgress(terminal: Pick<Terminal, 'stderr' | 'env'>, what: string): Progress {
  const { stderr, env } = terminal;
  return stderr.isTTY === true && env.TERM !== 'dumb'
    ? new Bar(stderr, what, wantsColor(stderr, env))
    : new Lines(stderr, what);
}

class Lines implements Progress {
  readonly #output: Output;
  readonly #what: string;
  #shownAt = Number.NEGATIVE_INFINITY;
  #last = '';

  constructor(output: Output, what: string) {
    this.#output = output;
    this.#what = what;
  }

  at(done: number, total: number, note = ''): void {
    this.#last = `${this.#what}  ${figures(done, total)}${note && `  ${note}`}`;
    if (performance.now() - this.#shownAt < LINE_EVERY_MS) return;
    this.#show();
  }

  say(line: string): void {
    this.#output.write(`${line}\n`);
  }

  end(): void {
    if (this.#last !== '') this.#show();
  }

  #show(): void {
    this.#output.write(`${this.#last}\n`);
    this.#shownAt = performance.now();
    this.#last = '';
  }
}

class Bar implements Progress {
  readonly #output: Output;
  readonly #what: string;
  readonly #color: boolean;
  #shownAt = Number.NEGATIVE_INFINITY;
  #line = '';

  constructor(output: Output, what: string, color: boolean) {
    this.#output = output;
    this.#what = what;
    this.#color = color;
  }

  at(done: number, total: number, note = ''): void {
    const words = `${figures(done, total)}  ${note}`.trimEnd();
    const room = (this.#output.columns ?? 80) - this.#what.length - words.length - GAPS;
    this.#line = `${this.#what}  ${this.#bar(total === 0 ? 1 : done / total, Math.min(BAR_CELLS, room))}${words}`;
    if (performance.now() - this.#shownAt < REDRAW_MS) return;
    this.#draw();
  }

  say(line: string): void {
    this.#output.write(`\r\x1b[K${line}\n`);
    if (this.#line !== '') this.#draw();
  }

  end(): void {
    if (this.#line === '') return;
    this.#draw();
    this.#output.write('\n');
    this.#line = '';
  }

  #draw(): void {
    this.#output.write(`\r\x1b[K${this.#line}`);
    this.#shownAt = performance.now();
  }

  /** A line that is wider than the terminal could not be drawn over, so the bar gives way. */
  #bar(share: number, cells: number): string {
    if (cells < FEWEST_CELLS) return '';
    const full = Math.min(cells, Math.round(share * cells));
    const [done, rest] = ['█'.repeat(full), '░'.repeat(cells - full)];
    return `${this.#color ? `\x1b[32m${done}\x1b[39m${rest}` : done + rest}  `;
  }
}

function figures(done: number, total: number): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `${done.toLocaleString('en')} of ${total.toLocaleString('en')} (${percent}%)`;
}
