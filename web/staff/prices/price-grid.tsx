import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { formatMoney } from '#rules/money.ts';
import { type CellSelection, nameOfHour, rectangle, step } from './price-cells.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Shades from the lowest to the highest price. Text stays readable on each. */
const SHADES = ['', 'bg-signal/10', 'bg-signal/20', 'bg-signal/30', 'bg-signal/40', 'bg-signal/50'] as const;

/**
 * Prices by day and hour; higher prices are brighter. With `onSelect`, cells can be chosen: a mouse drags, a finger presses cells one after
 * another, and arrow keys move, or extend with Shift. Headings choose a whole day or hour, as do Control and Shift with Space. Typing a
 * digit calls `onType`.
 */
export function PriceGrid({
  caption,
  columns,
  cents,
  selection,
  onSelect,
  onType,
}: {
  caption: string;
  columns: readonly string[];
  cents: readonly number[];
  selection: CellSelection;
  onSelect: (next: CellSelection) => void;
  onType: (figure: string) => void;
}) {
  const table = useRef<HTMLTableElement>(null);
  const { press, enter, click, key } = useCells({ table, columns: columns.length, selection, onSelect, onType });
  const [low, high] = [Math.min(...cents), Math.max(...cents)];
  const shade = (price: number): string =>
    SHADES[high === low ? 0 : Math.ceil((5 * (price - low)) / (high - low))] ?? '';
  const choose = (from: number, to: number): void =>
    onSelect({ cells: new Set(rectangle(from, to)), active: from, anchor: from });
  return (
    <table
      ref={table}
      // Arrow keys move between its cells.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
      role="grid"
      aria-multiselectable="true"
      aria-label={caption}
      className="w-full table-fixed border-collapse text-center text-xs tabular-nums select-none"
    >
      <thead>
        <tr>
          <th scope="col" className="w-12 text-left font-normal text-fog">
            Hour
          </th>
          {columns.map((name, column) => (
            <th key={name} scope="col" className="p-0 font-normal">
              <Head name={name} label={`All hours of ${name}`} onPress={() => choose(column * 24, column * 24 + 23)} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {HOURS.map((hour) => (
          <tr key={hour}>
            <th scope="row" className="p-0 text-left font-normal whitespace-nowrap">
              <Head
                name={nameOfHour(hour)}
                label={`${nameOfHour(hour)} on every day`}
                onPress={() => choose(hour, (columns.length - 1) * 24 + hour)}
              />
            </th>
            {columns.map((name, column) => {
              const cell = column * 24 + hour;
              const price = cents[cell] ?? 0;
              const chosen = selection.cells.has(cell);
              return (
                <td
                  key={name}
                  data-cell={cell}
                  tabIndex={cell === selection.active ? 0 : -1}
                  aria-selected={chosen}
                  onPointerDown={(event) => press(event, cell)}
                  onPointerEnter={(event) => enter(event, cell)}
                  onClick={() => click(cell)}
                  onKeyDown={(event) => key(event, cell)}
                  className={`h-11 cursor-pointer border border-night -outline-offset-2 ${chosen ? 'bg-signal font-bold text-ink forced-colors:border-4' : shade(price)}`}
                >
                  {formatMoney(price)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A heading that chooses its whole column or row. */
function Head({ name, label, onPress }: { name: string; label: string; onPress: () => void }) {
  return (
    <button
      type="button"
      // By keyboard, the cells themselves choose days and hours. Thirty headings in the tab order would be in the way.
      tabIndex={-1}
      aria-label={label}
      onClick={onPress}
      className="min-h-11 w-full text-fog hover:text-chalk"
    >
      {name}
    </button>
  );
}

/** Handles choosing cells with a mouse, a finger and keys. */
function useCells({
  table,
  columns,
  selection,
  onSelect,
  onType,
}: {
  table: { readonly current: HTMLTableElement | null };
  columns: number;
  selection: CellSelection;
  onSelect: (next: CellSelection) => void;
  onType: (figure: string) => void;
}) {
  const byMouse = useRef(false);
  const { cells, anchor } = selection;
  const only = (cell: number): void => onSelect({ cells: new Set([cell]), active: cell, anchor: cell });
  const reach = (cell: number): void => onSelect({ cells: new Set(rectangle(anchor, cell)), active: cell, anchor });
  const toggle = (cell: number): void =>
    onSelect({
      cells: new Set(cells.has(cell) ? [...cells].filter((chosen) => chosen !== cell) : [...cells, cell]),
      active: cell,
      anchor: cell,
    });
  return {
    press(event: PointerEvent, cell: number): void {
      byMouse.current = event.pointerType === 'mouse';
      if (!byMouse.current) return;
      if (event.shiftKey) reach(cell);
      else if (event.ctrlKey || event.metaKey) toggle(cell);
      else only(cell);
    },
    enter(event: PointerEvent, cell: number): void {
      if (byMouse.current && event.buttons === 1) reach(cell);
    },
    /** Handles a press by a finger or a screen reader. */
    click(cell: number): void {
      if (!byMouse.current) toggle(cell);
      byMouse.current = false;
    },
    key(event: KeyboardEvent, cell: number): void {
      const day = cell - (cell % 24);
      if (event.key === ' ' && event.ctrlKey) onSelect({ ...selection, cells: new Set(rectangle(day, day + 23)) });
      else if (event.key === ' ' && event.shiftKey)
        onSelect({ ...selection, cells: new Set(rectangle(cell % 24, (columns - 1) * 24 + (cell % 24))) });
      else if (event.key === ' ') toggle(cell);
      else if (event.key === 'a' && (event.ctrlKey || event.metaKey))
        onSelect({ ...selection, cells: new Set(rectangle(0, columns * 24 - 1)) });
      else if (/^\d$/.test(event.key)) onType(event.key);
      else {
        const next = step(cell, event.key, columns);
        if (next === null) return;
        if (event.shiftKey) reach(next);
        else only(next);
        table.current?.querySelector<HTMLElement>(`[data-cell="${next}"]`)?.focus();
      }
      event.preventDefault();
    },
  };
}
