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
    const { rows, columns } = listing;
    switch (this.format) {
      case 'json':
        return this.#json(listing.whole);
      case 'jsonl':
        return rows.forEach((row) => this.#line(JSON.stringify(row)));
      case 'quiet':
        return rows.forEach((row) => this.#line(listing.id(row)));
      case 'text':
        return this.#rows(rows, columns, listing.empty);
    }
  }

  one<Row>({ row, columns, id }: Single<Row>): void {
    switch (this.format) {
      case 'json':
        return this.#json(row);
      case 'jsonl':
        return this.#line(JSON.stringify(row));
      case 'quiet':
        return this.#line(id(row));
      case 'text':
        return this.#fields(row, columns);
    }
  }

  /** One row of a list that goes on. */
  next<Row>(row: Row, columns: readonly Column<Row>[], id: (row: Row) => string): void {
    switch (this.format) {
      case 'json':
      case 'jsonl':
        return this.#line(JSON.stringify(row));
      case 'quiet':
        return this.#line(id(row));
      case 'text':
        this.#terminal.stdout.write(tabSeparated(columns, [row]));
    }
  }

  #rows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): void {
    const { stdout, stderr, env } = this.#terminal;
    if (!stdout.isTTY) stdout.write(tabSeparated(columns, rows));
    else if (rows.length === 0) stderr.write(`${empty}\n`);
    else stdout.write(alignedTable(columns, rows, wantsColor(stdout, env)));
  }

  #fields<Row>(row: Row, columns: readonly Column<Row>[]): void {
    const pairs = columns.map(({ title, value }) => ({ title, value: value(row) }));
    const shown = pairs.filter(({ value }) => value !== null && value !== undefined && value !== '');
    const asColumns: Column<(typeof pairs)[number]>[] = [
      { title: '', value: (pair) => pair.title },
      { title: '', value: (pair) => pair.value },
    ];
    const { stdout } = this.#terminal;
    if (!stdout.isTTY) stdout.write(tabSeparated(asColumns, shown));
    else stdout.write(alignedTable(asColumns, shown, false).replace(/^\n/, ''));
  }

  #json(value: unknown): void {
    this.#line(JSON.stringify(value, null, this.#terminal.stdout.isTTY ? 2 : 0));
  }

  #line(text: string): void {
    this.#terminal.stdout.write(`${text}\n`);
  }
}
