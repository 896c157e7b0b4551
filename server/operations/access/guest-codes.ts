import type { Queryable } from '#server/db/database.ts';
import { lockBooking } from '../core/booking-rows.ts';
import type { Services } from '../core/services.ts';
import { type Code, type Holder, inOneTable, insertRow } from './holder.ts';

export type GuestCode = Code & {
  readonly status: Exclude<Code['status'], 'failed'>;
  readonly memberId: string;
  readonly bookingId: string;
  readonly usedAt: Date | null;
};

/** Returns whether each guest gets a separate code. This requires a lock that stores several codes and can remove each of them. */
export const hasGuestCodes = ({ locks }: Services): boolean =>
  locks.capabilities.choosesDigits && locks.capabilities.revocable;

const SELECT = `select c.id, c.crew_member_id as "memberId", m.booking_id as "bookingId", c.lock_id as "lockId", c.status, c.starts_at as "startsAt",
    c.ends_at as "endsAt", c.created_at as "createdAt", 0 as variant, c.pin_encrypted as "encryptedPin", c.used_at as "usedAt"
  from private.crew_code c join private.crew_member m on m.id = c.crew_member_id`;

export const guestCodes = {
  ...inOneTable('private.crew_code'),
  resource: 'crew_code',
  failpoints: 'crew',
  select: SELECT,
  subjectColumn: 'c.crew_member_id',
  insert: (tx, { variant: _none, ...code }, memberId) =>
    insertRow(tx, 'private.crew_code', { ...code, crew_member_id: memberId }),
  lock: async (tx, { bookingId }) => (await lockBooking(tx, bookingId))?.status === 'confirmed',
  entry: ({ bookingId, memberId }) => ({ action: 'create', details: { bookingId, memberId } }),
  removalKind: 'access.revoke-crew',
  removal: ({ id, bookingId }: Pick<GuestCode, 'id' | 'bookingId'>) => ({
    subjectId: bookingId,
    payload: { codeId: id },
  }),
} as const satisfies Holder<GuestCode, string> & { readonly subjectColumn: string };

/** Reads the newest code of a guest and the number of codes the guest has had. */
export async function newestGuestCode(
  db: Queryable,
  memberId: string,
): Promise<{ readonly code: GuestCode | null; readonly count: number }> {
  const { rows } = await db.query<GuestCode>(
    `${SELECT} where c.crew_member_id = $1::uuid order by c.created_at desc, c.id limit 100`,
    [memberId],
  );
  return { code: rows[0] ?? null, count: rows.length };
}
