import type { FastifyBaseLogger } from 'fastify';

type Write = (...line: unknown[]) => void;
type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/**
 * The logger of one request, whose lines name it. It is made when the first line is written: nearly no request writes any,
 * and a logger of its own for each took as long as reading its body.
 */
export class RequestLog {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | null = null;

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }

  get level(): string {
    return this.#logger.level;
  }

  trace(...line: unknown[]): void {
    this.#write('trace', line);
  }

  debug(...line: unknown[]): void {
    this.#write('debug', line);
  }

  info(...line: unknown[]): void {
    this.#write('info', line);
  }

  warn(...line: unknown[]): void {
    this.#write('warn', line);
  }

  error(...line: unknown[]): void {
    this.#write('error', line);
  }

  fatal(...line: unknown[]): void {
    this.#write('fatal', line);
  }

  silent(): void {}

  child(...settings: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#logger.child(...settings);
  }

  get #logger(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }

  #write(level: Level, line: readonly unknown[]): void {
    (this.#logger[level] as Write)(...line);
  }
}
