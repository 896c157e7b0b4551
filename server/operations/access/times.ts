import { type AccessTimes, accessTimes } from '#rules/access.ts';
import { constants as studio } from '#rules/venue.ts';
import type { Queryable } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import type { Services } from '../core/services.ts';
import type { CodeWindow } from './codes.ts';

/** Calculates when a booking's code is requested, released and valid. Reads whether the studio is free before the start. */
export async function readAccessTimes({ locks }: Services, db: Queryable, booking: BookingFacts): Promise<AccessTimes> {
  return accessTimes({
    start: booking.startTime,
    end: booking.endTime,
    bookedAt: booking.confirmedAt ?? booking.createdAt,
    studioFreeBefore: await isStudioFreeBefore(db, booking, studio.pinLeadMinutes),
    capabilities: locks.capabilities,
  });
}

/** Returns whether the studio is free in the minutes before the start, so that the customer may enter early. */
async function isStudioFreeBefore(
  db: Queryable,
  booking: Pick<BookingFacts, 'id' | 'studioId' | 'startTime'>,
  minutes: number,
): Promise<boolean> {
  const row = await db.queryRow<{ free: boolean }>(
    `select not exists (select from private.booking b where b.studio_id = $1::uuid and b.id <> $2::uuid and b.status in ('pending', 'confirmed')
       and b.during && tstzrange($3::timestamptz - make_interval(mins => $4::int), $3::timestamptz, '[)')) as free`,
    [booking.studioId, booking.id, booking.startTime, minutes],
  );
  return row?.free === true;
}

/** Reads the lock of a booking and the times of its code. Throws if the studio has no lock. */
export async function readCodeWindow(
  services: Services,
  tx: Queryable,
  booking: BookingFacts,
): Promise<CodeWindow & AccessTimes> {
  const lockId = services.studioLocks.get(booking.studioId);
  if (lockId === undefined) throw new Error(`no lock is configured for studio ${booking.studioName}`);
  return { lockId, ...(await readAccessTimes(services, tx, booking)) };
}
