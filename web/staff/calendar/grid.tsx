import { type CSSProperties, useEffect, useId, useRef } from 'react';
import { slotLabel } from '#rules/slots.ts';
import { formatStudioDate, hourExists, studioDate, getWeekday } from '#rules/studio-time.ts';
import { Blocks, ROW_REM } from './blocks.tsx';
import { type Column, HOURS, type View } from './span.ts';
import { useDrag } from './use-drag.ts';
import { useWalk } from './use-walk.ts';
import { describeCell, type CalendarContent, type Walk, type Wish } from './walk.ts';

/** The width of the hours' labels and the minimum width of a column, in rem. */
const LABELS_REM = 3.25;
const COLUMN_REM: Readonly<Record<View, number>> = { day: 5.5, week: 2.75 };
const HEAD_PX = 56;
const ROWS = Array.from({ length: HOURS }, (_, hour) => hour);
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Hours as rows and rooms or days as columns. Bookings are created, moved and resized by mouse, finger or keyboard. */
export function Grid({ view, shown, onWish }: { view: View; shown: CalendarContent; onWish: (wish: Wish) => void }) {
  const id = useId();
  const area = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const keys = useWalk(id, shown, onWish);
  const { drag, handlers } = useDrag(area, shown, (wish, cell) => {
    keys.goTo(cell);
    onWish(wish);
  });
  const { walk } = keys;
  const { columns } = shown;
  const firstRow = useRef(Math.max(walk.hour - 1, 0));
  useEffect(() => {
    // Scroll to the present hour, so that the calendar does not begin at midnight.
    const row = frame.current?.querySelector<HTMLElement>(`[data-row="${firstRow.current}"]`);
    if (frame.current && row) frame.current.scrollTop = row.offsetTop;
  }, []);
  const template: CSSProperties = {
    gridTemplateColumns: `${LABELS_REM}rem repeat(${columns.length}, minmax(0, 1fr))`,
  };
  return (
    <div>
      <Help id={`${id}-help`} />
      <p role="status" className="min-h-6 text-sm text-signal">
        {keys.announcement}
      </p>
      <div
        ref={frame}
        data-scrolls
        className="relative max-h-[78dvh] overflow-auto overscroll-contain border border-line"
      >
        <div
          role="grid"
          tabIndex={0}
          aria-label="Calendar"
          aria-describedby={`${id}-help`}
          aria-activedescendant={keys.cellId(walk.column, walk.hour)}
          onKeyDown={keys.onKeyDown}
          className="group relative -outline-offset-2"
          style={{ minWidth: `${LABELS_REM + columns.length * COLUMN_REM[view]}rem` }}
        >
          <Heads columns={columns} view={view} today={studioDate(shown.now)} template={template} />
          <div role="rowgroup" className="relative">
            {ROWS.map((hour) => (
              <Hour key={hour} hour={hour} shown={shown} walk={walk} cellId={keys.cellId} template={template} />
            ))}
            <div
              ref={area}
              aria-hidden="true"
              className="absolute inset-y-0 right-0 grid cursor-cell touch-manipulation select-none [-webkit-touch-callout:none]"
              style={{ left: `${LABELS_REM}rem`, gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))` }}
              {...handlers}
            >
              {columns.map((column) => (
                <Blocks
                  key={`${column.studioId} ${column.date}`}
                  column={column}
                  shown={shown}
                  ghost={drag?.span ?? keys.ghost}
                  moving={drag?.booking?.entry ?? walk.carried?.entry ?? null}
                />
              ))}
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}

function Help({ id }: { id: string }) {
  return (
    <p id={id} className="text-sm text-dust">
      Drag across free hours to book or close them. Drag a booking to move it, or drag its edge to change its length. On
      a touchscreen, press and hold first.
      <span className="max-sm:sr-only">
        {' '}
        Keyboard: move with the arrow keys, and add Shift to select free hours. Enter books them or picks up a booking,
        Space opens a booking, and Page Up and Page Down change the days.
      </span>
    </p>
  );
}

/** The headings with days and rooms, which stay in view. */
function Heads({
  columns,
  view,
  today,
  template,
}: {
  columns: readonly Column[];
  view: View;
  today: string;
  template: CSSProperties;
}) {
  const hasOneStudio = columns.every(({ studioId }) => studioId === columns[0]?.studioId);
  return (
    <div role="rowgroup" className="sticky top-0 z-30">
      <div role="row" className="grid bg-booth" style={{ ...template, minHeight: HEAD_PX }}>
        <span role="columnheader" className="sticky left-0 z-10 grid place-content-center bg-booth text-xs text-dust">
          Sydney
        </span>
        {columns.map(({ studioId, studioName, date }, index) => (
          <span
            key={`${studioId} ${date}`}
            role="columnheader"
            aria-label={`${studioName}, ${formatStudioDate(date, 'medium')}`}
            title={`${studioName}, ${formatStudioDate(date, 'medium')}`}
            className={`grid min-w-0 content-center border-b-2 border-l px-0.5 py-1 text-center text-sm leading-tight ${date === today ? 'border-b-signal font-bold' : 'border-b-line'} ${beginsDay(columns, index) ? 'border-l-edge' : 'border-l-line'}`}
          >
            {view === 'day' ? (
              <span className="truncate font-semibold">{studioName}</span>
            ) : (
              <>
                <span className="text-xs text-fog">{DAYS[getWeekday(date)]}</span>
                <span>{Number(date.slice(8))}</span>
                {hasOneStudio ? null : (
                  <span className="truncate text-xs text-fog">{studioName.split(' ').at(-1)}</span>
                )}
              </>
            )}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Whether a column is on another day than the previous column. */
const beginsDay = (columns: readonly Column[], at: number): boolean => columns[at]?.date !== columns[at - 1]?.date;

/** An hour of every column, for keyboards and screen readers. The blocks are drawn above it. */
function Hour({
  hour,
  shown,
  walk,
  cellId,
  template,
}: {
  hour: number;
  shown: CalendarContent;
  walk: Walk;
  cellId: (column: number, hour: number) => string;
  template: CSSProperties;
}) {
  const isSelected = (column: number): boolean =>
    column === walk.column &&
    walk.anchor !== null &&
    hour >= Math.min(walk.anchor, walk.hour) &&
    hour <= Math.max(walk.anchor, walk.hour);
  return (
    <div role="row" data-row={hour} className="grid" style={{ ...template, height: `${ROW_REM}rem` }}>
      <span
        role="rowheader"
        className="sticky left-0 z-20 bg-night pt-0.5 pr-2 text-right text-xs whitespace-nowrap text-fog"
      >
        {slotLabel(hour)}
      </span>
      {shown.columns.map((column, index) => (
        <span
          key={`${column.studioId} ${column.date}`}
          role="gridcell"
          id={cellId(index, hour)}
          aria-label={describeCell(column, hour, shown.entries)}
          aria-selected={isSelected(index)}
          className={`relative scroll-mt-16 scroll-ml-16 border-b border-l border-b-line ${beginsDay(shown.columns, index) ? 'border-l-edge' : 'border-l-line'} ${hourExists(column.date, hour) ? '' : 'bg-deck'} ${index === walk.column && hour === walk.hour ? 'z-10 group-focus-visible:outline-2 group-focus-visible:-outline-offset-2 group-focus-visible:outline-signal' : ''}`}
        />
      ))}
    </div>
  );
}
