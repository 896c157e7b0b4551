import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from './booking-rows.ts';
import { Refusal } from './refusal.ts';

/** Reads the bookings that have some of these hours. */
export async function readTaken(
  db: Pick<Transaction, 'query'>,
  { studioId, startTime, endTime }: { readonly studioId: string; readonly startTime: Date; readonly endTime: Date },
): Promise<BookingFacts[]> {
  const { rows } = await db.query<{ facts: BookingFacts }>(
    `select private.booking_json(b) as facts from private.booking b
     where b.studio_id = $1::uuid and b.status in ('pending', 'confirmed') and b.during && tstzrange($2::timestamptz, $3::timestamptz, '[)')
     order by b.start_time`,
    [studioId, startTime, endTime],
  );
  return rows.map(({ facts }) => facts);
}

/** The answer to staff when hours are taken; `bookings` names those in the way. */
export function hoursTaken(taken: readonly BookingFacts[]): Refusal {
  const bookings = taken.map(({ id, reference, studioId, studioName, startTime, endTime, status }) => ({
    id,
    reference,
    studioId,
    studioName,
    startTime,
    endTime,
    status,
  }));
  return new Refusal('slot_taken', 'This time is taken.', { bookings });
}
