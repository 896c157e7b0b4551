import type { Queryable } from '#server/db/database.ts';
import type { BookingFacts } from './booking-rows.ts';

/** Reads the email address of a booking's customer. Null if the account has been deleted and there is no guest address. */
export async function readContact(
  db: Queryable,
  booking: BookingFacts,
): Promise<{ email: string; firstName: string | null } | null> {
  const { guestEmail, guestName } = booking;
  if (booking.userId === null)
    return guestEmail === null ? null : { email: guestEmail, firstName: guestName?.split(' ')[0] ?? null };
  const row = await db.queryRow<{ email: string; name: string | null }>(
    `select u.email, p.full_name as name from auth.users u left join public.profiles p on p.user_id = u.id where u.id = $1::uuid and u.deleted_at is null`,
    [booking.userId],
  );
  return row ? { email: row.email, firstName: row.name?.split(' ')[0] ?? null } : null;
}
