import { formatMoney } from '#rules/money.ts';
import { formatStudioDateTime, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import type { BookingPage } from './queries.ts';

type Event = { readonly at: Date; readonly what: string };

/** Explanations of a cancellation, for reasons that add something to the word "cancelled". */
const REASONS: Readonly<Record<string, string>> = {
  hold_expired: 'It wasn’t paid in time',
  abandoned: 'You released the hours',
  replaced: 'Another choice took its place',
  payment_failed: 'The payment didn’t arrive',
};

type Hours = Pick<BookingPage, 'studioName' | 'startTime' | 'endTime'>;

/** Describes a change of a booking's hours, whether only the end changed or all hours. */
function describeMove(before: Hours, after: Hours): string {
  const sameStart = before.studioName === after.studioName && before.startTime.getTime() === after.startTime.getTime();
  if (!sameStart) return `Moved from ${before.studioName}, ${formatStudioRange(before.startTime, before.endTime)}`;
  const word = after.endTime > before.endTime ? 'Made longer' : 'Made shorter';
  return `${word}: until ${formatStudioTime(after.endTime)} instead of ${formatStudioTime(before.endTime)}`;
}

/** Returns the events of a booking, earliest first. */
export function listEvents(booking: BookingPage, now: Date): Event[] {
  const { code, status, cancelReason } = booking;
  const events: (Event | null)[] = [
    { at: booking.createdAt, what: 'Hours held for you' },
    ...booking.payments.map(({ cents, at, forMove, online }) => ({
      at,
      what: `${formatMoney(cents)} paid${forMove ? ' for the change' : ''}${online ? '' : ', not online'}`,
    })),
    ...booking.moves.map((before, index) => ({
      at: before.at,
      what: describeMove(before, booking.moves[index + 1] ?? booking),
    })),
    ...booking.refunds.map(({ cents, at }) => ({ at, what: `${formatMoney(cents)} sent back to you` })),
    code.accepted && { at: code.accepted, what: 'Access code made' },
    code.mailed && { at: code.mailed, what: 'Access code emailed' },
    ...booking.openings.map((at) => ({ at, what: 'Door opened' })),
    booking.cancelledAt && { at: booking.cancelledAt, what: REASONS[cancelReason ?? ''] ?? 'Cancelled' },
    status === 'confirmed' && booking.endTime <= now ? { at: booking.endTime, what: 'Session ended' } : null,
  ];
  const existing = events.filter((event) => event !== null);
  if (booking.payments.length === 0 && booking.confirmedAt !== null)
    existing.push({ at: booking.confirmedAt, what: 'Confirmed' });
  // The sort is stable, so events at the same instant keep the order above.
  return existing.toSorted((event, other) => event.at.getTime() - other.at.getTime());
}

/** Lists the events of a booking. */
export function Timeline({ booking, now }: { booking: BookingPage; now: Date }) {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline" className="text-2xl">
        What happened
      </h2>
      <ol className="mt-4 border-l-2 border-line">
        {listEvents(booking, now).map(({ at, what }) => (
          <li key={`${at.toISOString()} ${what}`} className="relative pb-4 pl-5 last:pb-0">
            <span aria-hidden="true" className="absolute top-1.5 -left-[7px] size-3 bg-signal" />
            <p>{what}</p>
            <p className="text-sm text-dust">
              <time dateTime={at.toISOString()}>{formatStudioDateTime(at)}</time>
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
