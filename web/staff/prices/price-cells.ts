import { dollarsToCents, formatMoney } from '#rules/money.ts';

/** The cells of a price table are numbered column by column. Each column has the 24 hours of a day. */
const HOURS = 24;
const PRICE_MIN = 100;
const PRICE_MAX = 100_000;

/** Formats an hour: 0 → "12 am", 13 → "1 pm", 24 → "12 am". */
export const nameOfHour = (hour: number): string =>
  `${hour % 12 === 0 ? 12 : hour % 12} ${hour % 24 < 12 ? 'am' : 'pm'}`;

/** The chosen cells. `active` has the keyboard focus; `anchor` is the cell at which a range begins. */
export type CellSelection = { readonly cells: ReadonlySet<number>; readonly active: number; readonly anchor: number };

/** Lists the cells of the rectangle between two corners. */
export function rectangle(from: number, to: number): number[] {
  const range = (corner: number, other: number) => [Math.min(corner, other), Math.max(corner, other)] as const;
  const [firstColumn, lastColumn] = range(Math.floor(from / HOURS), Math.floor(to / HOURS));
  const [firstHour, lastHour] = range(from % HOURS, to % HOURS);
  const cells: number[] = [];
  for (let column = firstColumn; column <= lastColumn; column += 1)
    for (let hour = firstHour; hour <= lastHour; hour += 1) cells.push(column * HOURS + hour);
  return cells;
}

/** Returns the cell to which a key leads, in a table with this many columns. Null for other keys, and at the edges of the table. */
export function step(cell: number, key: string, columns: number): number | null {
  const [column, hour] = [Math.floor(cell / HOURS), cell % HOURS];
  const to: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [column, hour - 1],
    ArrowDown: [column, hour + 1],
    ArrowLeft: [column - 1, hour],
    ArrowRight: [column + 1, hour],
    Home: [0, hour],
    End: [columns - 1, hour],
    PageUp: [column, 0],
    PageDown: [column, HOURS - 1],
  };
  const [nextColumn, nextHour] = to[key] ?? [-1, -1];
  return nextColumn < 0 || nextColumn >= columns || nextHour < 0 || nextHour >= HOURS
    ? null
    : nextColumn * HOURS + nextHour;
}

/** The entry for the chosen cells: a price, or a change in percent. */
export type PriceEntry = { readonly cents: number } | { readonly percent: number };

/** Parses "59", "$59.50", "+10%" or "-5 %". Null for anything else, and for a price below $1 or above $1,000. */
export function readEntry(text: string): PriceEntry | null {
  const percent = /^([+-]\d{1,3})\s*%$/.exec(text.trim());
  if (percent) return { percent: Number(percent[1]) };
  const price = /^\$?\s*(\d{1,4}(?:\.\d{1,2})?)$/.exec(text.trim());
  const cents = price ? dollarsToCents(Number(price[1])) : null;
  return cents !== null && cents >= PRICE_MIN && cents <= PRICE_MAX ? { cents } : null;
}

/** Returns the prices with an entry applied to some cells. A change in percent results in whole dollars within the limits. */
export function applyEntry(cents: readonly number[], cells: ReadonlySet<number>, entry: PriceEntry): number[] {
  const change = (before: number): number => {
    if ('cents' in entry) return entry.cents;
    const dollars = Math.round((before * (100 + entry.percent)) / 10_000);
    return Math.min(Math.max(dollars * 100, PRICE_MIN), PRICE_MAX);
  };
  return cents.map((before, cell) => (cells.has(cell) ? change(before) : before));
}

/** Consecutive hours of a column whose price changes in the same way. */
export type PriceChange = {
  readonly column: number;
  readonly hours: string;
  readonly before: string;
  readonly after: string;
};

/** Lists the changes between two sets of prices. */
export function listChanges(before: readonly number[], after: readonly number[]): PriceChange[] {
  const changes: PriceChange[] = [];
  for (let cell = 0; cell < after.length; cell += 1) {
    const [old, next] = [before[cell] ?? 0, after[cell] ?? 0];
    if (old === next) continue;
    const start = cell;
    while ((cell + 1) % HOURS !== 0 && before[cell + 1] === old && after[cell + 1] === next) cell += 1;
    changes.push({
      column: Math.floor(start / HOURS),
      hours: `${nameOfHour(start % HOURS)} to ${nameOfHour((cell % HOURS) + 1)}`,
      before: formatMoney(old),
      after: formatMoney(next),
    });
  }
  return changes;
}
