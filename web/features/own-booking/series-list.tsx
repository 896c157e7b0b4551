import { formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import type { Booking, Series, SeriesBooking } from '#web/data/bookings/booking.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';

const WORDS: Readonly<Partial<Record<Booking['status'], string>>> = { pending: 'Not paid yet', cancelled: 'Cancelled' };

/** The bookings that were made together with this one. Each has its own page. */
export function SeriesList({ series, current }: { series: Series; current: string }) {
  return (
    <section aria-label="Series">
      <h2 className="text-2xl">Your series of {series.size}</h2>
      <p className="mt-2 text-sm text-fog">Paid together. You can move, extend or cancel each one on its own.</p>
      <ol className="mt-4 divide-y divide-line">
        {series.bookings.map((booking) => (
          <li
            key={booking.id}
            aria-current={booking.id === current ? 'true' : undefined}
            className="flex flex-wrap items-center justify-between gap-x-4 py-2"
          >
            <Place booking={booking} here={booking.id === current} />
            <span className="text-sm text-fog tabular-nums">
              {WORDS[booking.status] ?? formatMoney(booking.finalCents)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Place({ booking, here }: { booking: SeriesBooking; here: boolean }) {
  const when = formatStudioRange(booking.startTime, booking.endTime);
  if (here) return <strong>{when}</strong>;
  return (
    <Link
      to={paths.ownBooking(booking.reference)}
      className={`inline-flex min-h-11 items-center underline decoration-edge underline-offset-4 hover:text-signal ${booking.status === 'cancelled' ? 'line-through' : ''}`}
    >
      {when}
    </Link>
  );
}
