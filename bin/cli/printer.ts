import { printable } from './printable.ts';
import { alignedTable, type Column, tabSeparated } from './table.ts';
import { type Terminal, wantsColor } from './terminal.ts';

/** How the answer of a command is written. `text`: a table on a terminal, tab-separated lines in a pipe. */
export type Format = 'text' | 'json' | 'jsonl' | 'quiet';

/** A list and how each format shows it. */
export interface Listing<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What `--quiet` prints of a row. */
  readonly id: (row: Row) => string;
  /** What `--json` prints. */
  readonly whole: unknown;
  /** What a person reads when there are no rows. */
  readonly empty: string;
}

/** One thing, shown field by field. */
export interface Single<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly id: (row: Row) => string;
}

export class Printer {
  readonly #terminal: Terminal;
  readonly format: Format;

  constructor(terminal: Terminal, format: Format) {
    this.#terminal = terminal;
    this.format = format;
  }

  list<Row>(listing: Listing<Row>): void {
    const { stdout, stderr } = this.#terminal;
    if (listing.rows.length === 0 && this.format === 'text' && stdout.isTTY) stderr.write(`${listing.empty}\n`);
    else stdout.write(this.#listText(listing));
  }

  one<Row>(single: Single<Row>): void {
    this.#terminal.stdout.write(this.#singleText(single));
  }

  /** One row of a list that goes on. */
  next<Row>(row: Row, columns: readonly Column<Row>[], id: (row: Row) => string): void {
    this.#terminal.stdout.write(this.#nextText(row, columns, id));
  }

  #listText<Row>({ rows, columns, id, whole }: Listing<Row>): string {
    switch (this.format) {
      case 'json':
        return this.#json(whole);
      case 'jsonl':
        return rows.map(jsonLine).join('');
      case 'quiet':
        return rows.map((row) => `${id(row)}\n`).join('');
      case 'text':
        return this.#table(columns, rows);
    }
  }

  #singleText<Row>({ row, columns, id }: Single<Row>): string {
    switch (this.format) {
      case 'json':
        return this.#json(row);
      case 'jsonl':
        return jsonLine(row);
      case 'quiet':
        return `${id(row)}\n`;
      case 'text':
        return this.#fields(row, columns);
    }
  }

  #nextText<Row>(row: Row, columns: readonly Column<Row>[], id: (row: Row) => string): string {
    switch (this.format) {
      case 'json':
      case 'jsonl':
        return jsonLine(row);
      case 'quiet':
        return `${id(row)}\n`;
      case 'text':
        return tabSeparated(columns, [row]);
    }
  }

  #table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
    const { stdout, env } = this.#terminal;
    return stdout.isTTY ? alignedTable(columns, rows, wantsColor(stdout, env)) : tabSeparated(columns, rows);
  }

  /** Name and value of each field that says something. */
  #fields<Row>(row: Row, columns: readonly Column<Row>[]): string {
    const pairs = columns.map(({ title, value }) => [title, printable(value(row))] as const);
    const shown = pairs.filter(([, text]) => text !== '');
    const width = Math.max(...shown.map(([title]) => title.length));
    const { isTTY } = this.#terminal.stdout;
    return shown.map(([title, text]) => `${isTTY ? `${title.padEnd(width)}  ` : `${title}\t`}${text}\n`).join('');
  }

  #json(value: unknown): string {
    return `${JSON.stringify(value, null, this.#terminal.stdout.isTTY ? 2 : 0)}\n`;
  }
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
