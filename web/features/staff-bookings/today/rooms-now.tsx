import { formatStudioTime } from '#rules/studio-time.ts';
import type { DayBooking, StudioName } from '../queries.ts';

/** Says of each room who is in now, and who comes next today. */
export function RoomsNow({
  studios,
  bookings,
  now,
}: {
  studios: readonly StudioName[];
  bookings: readonly DayBooking[];
  now: Date;
}) {
  return (
    <ul aria-label="Now" className="grid gap-3 sm:grid-cols-3">
      {studios.map(({ id, name }) => {
        const here = bookings.filter((one) => one.studioId === id && one.end > now);
        const current = here.find((one) => one.start <= now);
        const next = here.find((one) => one.start > now);
        return (
          <li key={id} className={`border-t-4 bg-booth p-4 ${current ? 'border-signal' : 'border-line'}`}>
            <p className="text-sm font-semibold text-fog">{name}</p>
            <p className="mt-1 text-lg font-bold break-words">{current ? current.customer : 'Nobody in'}</p>
            {current ? <p>until {formatStudioTime(current.end)}</p> : null}
            <p className="mt-2 text-sm break-words text-fog">
              {next ? `Next: ${next.customer}, ${formatStudioTime(next.start)}` : 'Nobody else today'}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
