import type { Queryable } from '#server/db/database.ts';
import { type BookingFacts, type BookingJson, toBooking } from './booking-rows.ts';
import { formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { Refusal } from './refusal.ts';

/** Reads the bookings that overlap these hours. */
export async function readTaken(
  db: Queryable,
  { studioId, startTime, endTime }: { readonly studioId: string; readonly startTime: Date; readonly endTime: Date },
): Promise<BookingFacts[]> {
  const { rows } = await db.query<{ facts: BookingJson }>(
    `select private.booking_json(b) as facts from private.booking b
     where b.studio_id = $1::uuid and b.status in ('pending', 'confirmed') and b.during && tstzrange($2::timestamptz, $3::timestamptz, '[)')
     order by b.start_time`,
    [studioId, startTime, endTime],
  );
  return rows.map(({ facts }) => toBooking(facts));
}

/** Builds the refusal for staff of hours that are taken. `bookings` lists the bookings that have them, `dates` the affected dates of a series. */
export function hoursTaken(taken: readonly BookingFacts[], dates: readonly StudioDate[] = []): Refusal {
  const bookings = taken.map(({ id, reference, studioId, studioName, startTime, endTime, status }) => ({
    id,
    reference,
    studioId,
    studioName,
    startTime,
    endTime,
    status,
  }));
  return dates.length === 0
    ? new Refusal('slot_taken', 'This time is taken.', { bookings })
    : new Refusal('slot_taken', leaveOut(dates), { bookings, dates });
}

/** Asks the caller to leave dates out of a series because its hours are taken or closed on them. */
export const leaveOut = (dates: readonly StudioDate[]): string =>
  `These hours are no longer free on ${dates.map((date) => formatStudioDate(date, 'medium')).join(', ')}. Please leave ${dates.length === 1 ? 'that date' : 'those dates'} out.`;
