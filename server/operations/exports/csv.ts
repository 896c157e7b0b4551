import { formatAmount } from '#rules/money.ts';
import { formatStudioInstant } from '#rules/studio-time.ts';

/** A cell: text, a number, an instant, or `{cents}` for money. */
export type Cell = string | number | Date | { readonly cents: number } | null;

/** Renders rows as CSV (RFC 4180). Every line, including the last, has a line ending. */
export function writeCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');
}

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  if (cell instanceof Date) return formatStudioInstant(cell);
  if (typeof cell === 'object') return formatAmount(cell.cents);
  return quote(harmless(cell));
}

/** Prepends an apostrophe to text that a spreadsheet would evaluate as a formula. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
