import { styleText } from 'node:util';
import { printable } from './printable.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => unknown;
  readonly align?: 'left' | 'right';
}

/** Rows under their titles, columns aligned: for people. */
export function alignedTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], color: boolean): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.value(row))));
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) =>
        columns[at]?.align === 'right' ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const head = line(columns.map((column) => column.title));
  return [color ? styleText('bold', head, { validateStream: false }) : head, ...cells.map(line)].map(ended).join('');
}

/** One row a line, cells separated by tabs, no titles: for `cut`, `awk` and `while read`. */
export function tabSeparated<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows.map((row) => ended(columns.map((column) => printable(column.value(row))).join('\t'))).join('');
}

function ended(line: string): string {
  return `${line}\n`;
}
