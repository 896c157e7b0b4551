import type { Queryable, Transaction } from '#server/db/database.ts';
import { lockBooking } from '../core/booking-rows.ts';
import type { Services } from '../core/services.ts';
import { type Code, type Holder, insertRow, queueRemoval } from './holder.ts';

export type BookingCode = Code & {
  readonly bookingId: string;
  readonly attempt: number;
  /** The mode of the lock when the code was stored. */
  readonly mode: string;
};
type NewBookingCode = Pick<BookingCode, 'bookingId' | 'attempt' | 'mode'> & { readonly releaseAt: Date };

const SELECT = `select c.id, c.booking_id as "bookingId", c.attempt, c.mode, case c.status when 'revoke_pending' then 'revoking' else c.status end as status,
    c.starts_at as "startsAt", c.ends_at as "endsAt", c.created_at as "createdAt", s.lock_id as "lockId", s.variant, s.pin_encrypted as "encryptedPin"
  from public.booking_access_codes c join private.access_secret s on s.code_id = c.id`;

export const bookingCodes = {
  resource: 'access_code',
  failpoints: 'access',
  select: SELECT,
  subjectColumn: 'c.booking_id',
  async insert(tx, code, { bookingId, attempt, mode, releaseAt }) {
    const { id, created_at, starts_at, ends_at, ...digits } = code;
    const holder = { booking_id: bookingId, attempt, mode, release_at: releaseAt };
    await insertRow(tx, 'public.booking_access_codes', { id, created_at, starts_at, ends_at, ...holder });
    await insertRow(tx, 'private.access_secret', { code_id: id, starts_at, ends_at, ...digits });
  },
  lock: async (tx, { bookingId }) => (await lockBooking(tx, bookingId))?.status === 'confirmed',
  async accept(services, tx, code, { pin_encrypted, pin_fingerprint, providerCodeId, now }) {
    await replacePrevious(services, tx, code, now);
    await tx.query(
      `update public.booking_access_codes set status = 'issued', issued_at = $2::timestamptz where id = $1::uuid and status = 'requested'`,
      [code.id, now],
    );
    await tx.query(
      `update private.access_secret set pin_encrypted = $2, pin_fingerprint = $3, provider_code_id = $4 where code_id = $1::uuid`,
      [code.id, pin_encrypted, pin_fingerprint, providerCodeId],
    );
  },
  markRevoking: (tx, codeId) =>
    tx.query('update private.access_secret set live = true where code_id = $1::uuid', [codeId]),
  async markRevoked(tx, codeId, now) {
    await tx.query(
      `update public.booking_access_codes set status = 'revoked', revoked_at = $2::timestamptz where id = $1::uuid and status <> 'failed'`,
      [codeId, now],
    );
    await tx.query('update private.access_secret set live = false where code_id = $1::uuid', [codeId]);
  },
  entry: ({ bookingId, attempt, mode }) => ({ action: 'create', details: { bookingId, attempt, mode } }),
  removalKind: 'access.revoke',
  removal: ({ id, bookingId }: Pick<BookingCode, 'id' | 'bookingId'>) => ({
    subjectId: bookingId,
    payload: { codeId: id },
  }),
} as const satisfies Holder<BookingCode, NewBookingCode> & { readonly subjectColumn: string };

/** Ends the codes that a new code replaces, if the lock can remove them. */
async function replacePrevious(
  { locks }: Services,
  tx: Transaction,
  { id, bookingId }: BookingCode,
  now: Date,
): Promise<void> {
  if (!locks.capabilities.revocable) return;
  const { rows: previous } = await tx.query<{ id: string }>(
    `update public.booking_access_codes c set status = 'revoke_pending' from public.booking_access_codes n
     where n.id = $1::uuid and n.status = 'requested' and c.booking_id = n.booking_id and c.status = 'issued' returning c.id`,
    [id],
  );
  for (const code of previous)
    await queueRemoval(tx, bookingCodes, { id: code.id, bookingId }, { reason: 'renew', dueAt: now });
}

const readNewest = (db: Queryable, bookingId: string, condition: string): Promise<BookingCode | null> =>
  db.queryRow<BookingCode>(`${SELECT} where c.booking_id = $1::uuid and ${condition} order by c.attempt desc limit 1`, [
    bookingId,
  ]);

/** Reads the newest code of a booking, in any state. */
export const newestCode = (db: Queryable, bookingId: string) => readNewest(db, bookingId, 'true');

/** Reads the newest code that the lock accepted. */
export const issuedCode = (db: Queryable, bookingId: string) => readNewest(db, bookingId, `c.status = 'issued'`);

/** Reads the newest code made for the booking's current hours, in any state. */
export const newestCodeOfHours = (db: Queryable, bookingId: string) =>
  readNewest(
    db,
    bookingId,
    'c.attempt > coalesce((select max(m.last_code) from private.booking_move m where m.booking_id = c.booking_id), 0)',
  );

/** Reads the codes that the lock may still accept, oldest first. */
export async function liveCodes(db: Queryable, bookingId: string): Promise<readonly BookingCode[]> {
  const { rows } = await db.query<BookingCode>(
    `${SELECT} where c.booking_id = $1::uuid and s.live order by c.attempt`,
    [bookingId],
  );
  return rows;
}

export type CodeHistory = {
  /** Number of codes made. A code that the lock refused does not count. */
  readonly count: number;
  /** When the newest of them opened the door; null if it has not. */
  readonly openedAt: Date | null;
};

export async function readCodeHistory(db: Queryable, bookingId: string): Promise<CodeHistory> {
  const row = await db.queryRow<CodeHistory>(
    `select coalesce(max(c.attempt), 0) - count(*) filter (where c.status = 'failed')::int as count,
       (array_agg(c.used_at order by c.attempt desc) filter (where c.status <> 'failed'))[1] as "openedAt"
     from public.booking_access_codes c where c.booking_id = $1::uuid`,
    [bookingId],
  );
  return row ?? { count: 0, openedAt: null };
}
