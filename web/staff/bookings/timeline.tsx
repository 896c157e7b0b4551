import type { CSSProperties } from 'react';
import { dayBounds, formatStudioTime, slotStart, type StudioDate } from '#rules/studio-time.ts';
import { withBooking } from '#web/lib/paths.ts';
import { Link, useSearchParams } from '#web/router/router.tsx';
import { type Day, type DayBooking, nameCustomer, type StudioName } from './queries.ts';
import { describeReadiness } from '#web/data/bookings/door-readiness.ts';

const MARKS = [0, 3, 6, 9, 12, 15, 18, 21];
const EDGES = { plain: 'border-edge', good: 'border-good', warn: 'border-warn', bad: 'border-bad' } as const;
const HATCHED: CSSProperties = {
  backgroundImage: 'repeating-linear-gradient(135deg, var(--color-line) 0 6px, var(--color-booth) 6px 12px)',
};

/** Draws a day from midnight to midnight, with a row for each room. Screen readers skip this picture, because the list below has the same content. */
export function Timeline({
  studios,
  day,
  content,
  now,
}: {
  studios: readonly StudioName[];
  day: StudioDate;
  content: Day;
  now: Date;
}) {
  const { start, end } = dayBounds(day);
  const place = (at: Date): number =>
    (Math.min(Math.max(at.getTime(), start.getTime()), end.getTime()) - start.getTime()) /
    (end.getTime() - start.getTime());
  const span = (from: Date, to: Date): CSSProperties => ({
    left: percent(place(from)),
    width: percent(place(to) - place(from)),
  });
  const marks = MARKS.flatMap((hour) => slotStart(day, hour) ?? []);
  return (
    <div aria-hidden="true" className="grid grid-cols-[6rem_1fr] gap-y-2 max-md:hidden">
      <span />
      <div className="relative h-5 text-xs text-fog">
        {marks.map((at) => (
          <span key={at.getTime()} className="absolute" style={{ left: percent(place(at)) }}>
            {formatStudioTime(at)}
          </span>
        ))}
      </div>
      {studios.map(({ id, name }) => (
        <div key={id} className="contents">
          <span className="self-center pr-3 text-sm font-semibold">{name}</span>
          <div className="relative h-16 overflow-hidden bg-booth">
            {marks.map((at) => (
              <i
                key={at.getTime()}
                className="absolute inset-y-0 border-l border-line"
                style={{ left: percent(place(at)) }}
              />
            ))}
            {content.closures
              .filter((closure) => closure.studioId === id)
              .map((closure) => (
                <div
                  key={`${closure.id} ${closure.start.getTime()}`}
                  title={closure.reason}
                  className="absolute inset-y-0 overflow-hidden p-1.5 text-xs text-fog"
                  style={{ ...HATCHED, ...span(closure.start, closure.end) }}
                >
                  <span className="bg-booth px-1">Closed</span>
                </div>
              ))}
            {now >= start && now < end ? (
              <i className="absolute inset-y-0 w-0.5 bg-signal" style={{ left: percent(place(now)) }} />
            ) : null}
            {content.bookings
              .filter((booking) => booking.studioId === id)
              .map((booking) => (
                <Block key={booking.id} booking={booking} now={now} style={span(booking.startTime, booking.endTime)} />
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

/** A booking, which opens on a click. The list has the link for keyboards. */
function Block({ booking, now, style }: { booking: DayBooking; now: Date; style: CSSProperties }) {
  const [search] = useSearchParams();
  const { tone, label } = describeReadiness(booking, now);
  const { startTime, endTime, status } = booking;
  const customer = nameCustomer(booking);
  const range = `${formatStudioTime(startTime)} to ${formatStudioTime(endTime)}`;
  const look = status === 'pending' ? 'border-dashed bg-booth' : endTime <= now ? 'bg-booth' : 'bg-deck';
  return (
    <Link
      to={withBooking(search, booking.reference)}
      tabIndex={-1}
      title={`${customer}, ${range}. ${label}`}
      className={`absolute inset-y-1 overflow-hidden border-y border-r border-l-4 border-y-line border-r-line p-1.5 text-xs hover:border-y-chalk hover:border-r-chalk ${EDGES[tone]} ${look}`}
      style={style}
    >
      <p className={`truncate font-semibold ${endTime <= now ? 'text-fog' : ''}`}>{customer}</p>
      <p className="truncate text-fog">{label}</p>
    </Link>
  );
}
