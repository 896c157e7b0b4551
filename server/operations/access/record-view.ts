import { recordShown } from '../core/shown-secrets.ts';
import type { BookingAccess } from './show-access.ts';
import type { Services } from '../core/services.ts';

/**
 * Records that the digits of a code are shown to the customer for the first time, or to a staff account (`staff`). Views by staff are
 * logged at most once an hour because the page polls. Throws `Refusal('not_yours')` if the staff account has lost the permission in the
 * meantime.
 */
export async function recordView(
  { db, clock }: Services,
  { booking, pin, pinId, worksUntil }: BookingAccess,
  staff: string | null,
): Promise<void> {
  if (pin === null || pinId === null) return;
  const now = clock();
  if (staff === null) {
    await db.query(
      'update public.booking_access_codes set seen_at = $2::timestamptz where id = $1::uuid and seen_at is null',
      [pinId, now],
    );
    return;
  }
  await recordShown(
    db,
    { kind: 'booking-code', id: pinId, studioId: booking.studioId, endsAt: worksUntil },
    { actor: staff, permission: 'bookings', now },
  );
  await db.query(
    `select private.audit($2::uuid, 'show', 'access_code', $1, $3::jsonb)
     where not exists (select from public.audit_logs a where a.resource_type = 'access_code' and a.resource_id = $1
       and a.action = 'show' and a.actor = $2::uuid and (a.details ->> 'at')::timestamptz > $4::timestamptz - interval '1 hour')`,
    [pinId, staff, { bookingId: booking.id, at: now.toISOString() }, now],
  );
}
