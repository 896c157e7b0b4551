import type { CSSProperties } from 'react';
import { formatStudioTime, studioDate } from '#rules/studio-time.ts';
import type { Entry } from './queries.ts';
import { type Column, HOURS, inTheWay, getPlace, getRow, type Span, getTimes } from './span.ts';
import { getKey } from './use-drag.ts';
import { type CalendarContent, whyFixed } from './walk.ts';

/** The height of an hour, in rem. */
export const ROW_REM = 2.75;
const HATCHED: CSSProperties = {
  backgroundImage: 'repeating-linear-gradient(135deg, var(--color-line) 0 6px, var(--color-booth) 6px 12px)',
};

/**
 * Draws the entries of a column and the hours that are being chosen. Screen readers skip this picture, because the cells below have the
 * same content.
 */
export function Blocks({
  column,
  shown,
  ghost,
  moving,
}: {
  column: Column;
  shown: CalendarContent;
  /** The selected hours, or the new hours of the booking that is being moved. */
  ghost: Span | null;
  /** The booking that is being moved. */
  moving: Entry | null;
}) {
  const { date, studioId } = column;
  const { entries, now } = shown;
  return (
    <div className="relative overflow-hidden">
      {entries
        .filter((entry) => entry.studioId === studioId)
        .map((entry) => (
          <Block key={getKey(entry)} entry={entry} date={date} now={now} faded={moving?.id === entry.id} />
        ))}
      {studioDate(now) === date ? (
        <i className="pointer-events-none absolute inset-x-0 h-0.5 bg-signal" style={{ top: rem(getRow(now, date)) }} />
      ) : null}
      {ghost?.studioId === studioId ? (
        <Ghost span={ghost} date={date} taken={inTheWay(ghost, entries, moving?.id ?? null) !== null} />
      ) : null}
    </div>
  );
}

const rem = (rows: number): string => `${(rows * ROW_REM).toFixed(3)}rem`;

function Block({ entry, date, now, faded }: { entry: Entry; date: string; now: Date; faded: boolean }) {
  const place = getPlace(entry, date);
  if (place === null) return null;
  const { kind, label, start, end } = entry;
  const times = `${formatStudioTime(start)} to ${formatStudioTime(end)}`;
  const box = { top: rem(place.top), height: rem(place.rows) };
  if (kind === 'closure')
    return (
      <div
        data-entry={getKey(entry)}
        title={`Closed, ${times}: ${label}`}
        className="absolute inset-x-0.5 cursor-pointer overflow-hidden p-1 text-xs text-fog"
        style={{ ...HATCHED, ...box }}
      >
        <span className="line-clamp-2 bg-booth px-1 break-words">Closed: {label}</span>
      </div>
    );
  const over = end <= now;
  const look =
    kind === 'hold'
      ? 'border-dashed border-l-warn bg-booth'
      : over
        ? 'border-l-edge bg-booth'
        : 'border-l-good bg-deck';
  const movable = whyFixed(entry, now) === null;
  return (
    <div
      data-entry={getKey(entry)}
      title={`${label}, ${times}${kind === 'hold' ? ', awaiting payment' : ''}`}
      className={`absolute inset-x-0.5 overflow-hidden border border-l-4 border-edge px-1 py-0.5 text-xs leading-tight ${look} ${faded ? 'opacity-40' : ''} ${movable ? 'cursor-grab active:cursor-grabbing' : 'cursor-pointer'}`}
      style={box}
    >
      <p className={`line-clamp-2 font-semibold break-words ${over ? 'text-fog' : ''}`}>{label}</p>
      <p className="break-words text-fog">{kind === 'hold' ? `Held, ${times}` : times}</p>
      {movable ? <Edges begins={place.top > 0 && start > now} ends={place.top + place.rows < HOURS} /> : null}
    </div>
  );
}

/** The handles at which a booking is dragged longer or shorter. */
function Edges({ begins, ends }: { begins: boolean; ends: boolean }) {
  return (
    <>
      {begins ? <i data-edge="start" className="absolute inset-x-0 top-0 h-2 cursor-ns-resize" /> : null}
      {ends ? <i data-edge="end" className="absolute inset-x-0 bottom-0 h-2.5 cursor-ns-resize" /> : null}
    </>
  );
}

function Ghost({ span, date, taken }: { span: Span; date: string; taken: boolean }) {
  const { start, end } = getTimes(span);
  const place = getPlace({ start, end }, date);
  if (place === null) return null;
  return (
    <div
      className={`pointer-events-none absolute inset-x-0.5 overflow-hidden border-2 bg-night/80 p-1 text-xs font-semibold ${taken ? 'border-bad text-bad' : 'border-signal text-signal'}`}
      style={{ top: rem(place.top), height: rem(place.rows) }}
    >
      <p className="break-words">
        {formatStudioTime(start)} to {formatStudioTime(end)}
      </p>
      {taken ? <p className="break-words">Not available</p> : null}
    </div>
  );
}
