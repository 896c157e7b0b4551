import type { Queryable } from '#server/db/database.ts';

/** An access code; its digits are encrypted. */
export type AccessCode = {
  readonly id: string;
  readonly bookingId: string;
  readonly attempt: number;
  readonly status: 'requested' | 'issued' | 'revoke_pending' | 'revoked' | 'failed';
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly releaseAt: Date;
  readonly createdAt: Date;
  readonly lockId: string;
  readonly variant: number;
  /** null until a lock that chooses its own digits has answered. */
  readonly encryptedPin: string | null;
};

const COLUMNS = `c.id, c.booking_id as "bookingId", c.attempt, c.status, c.starts_at as "startsAt", c.ends_at as "endsAt", c.release_at as "releaseAt",
  c.created_at as "createdAt", s.lock_id as "lockId", s.variant, s.pin_encrypted as "encryptedPin"`;
const FROM = `from public.booking_access_codes c join private.access_secret s on s.code_id = c.id`;

/** Reads the newest code of a booking, in any state. */
export function newestCode(db: Queryable, bookingId: string): Promise<AccessCode | null> {
  return db.one<AccessCode>(`select ${COLUMNS} ${FROM} where c.booking_id = $1::uuid order by c.attempt desc limit 1`, [
    bookingId,
  ]);
}

/** Reads the newest code that was made for the hours which the booking has now, in any state. */
export function newestCodeOfHours(db: Queryable, bookingId: string): Promise<AccessCode | null> {
  return db.one<AccessCode>(
    `select ${COLUMNS} ${FROM} where c.booking_id = $1::uuid
       and c.attempt > coalesce((select max(m.last_code) from private.booking_move m where m.booking_id = $1::uuid), 0)
     order by c.attempt desc limit 1`,
    [bookingId],
  );
}

/** Reads the newest code that the lock accepted. */
export function issuedCode(db: Queryable, bookingId: string): Promise<AccessCode | null> {
  return db.one<AccessCode>(
    `select ${COLUMNS} ${FROM} where c.booking_id = $1::uuid and c.status = 'issued' order by c.attempt desc limit 1`,
    [bookingId],
  );
}

/** What a booking has had of its codes. */
export type CodeHistory = {
  /** How many codes were made. One that the lock refused does not count. */
  readonly made: number;
  /** When the newest of them opened the door; null if it has not. */
  readonly openedAt: Date | null;
};

/** Reads what a booking has had of its codes. */
export async function readCodeHistory(db: Queryable, bookingId: string): Promise<CodeHistory> {
  const row = await db.one<CodeHistory>(
    `select coalesce(max(c.attempt), 0) - count(*) filter (where c.status = 'failed')::int as made,
       (array_agg(c.used_at order by c.attempt desc) filter (where c.status <> 'failed'))[1] as "openedAt"
     from public.booking_access_codes c where c.booking_id = $1::uuid`,
    [bookingId],
  );
  return row ?? { made: 0, openedAt: null };
}

/** Reads the codes that the lock may still accept, oldest first. */
export async function liveCodes(db: Queryable, bookingId: string): Promise<AccessCode[]> {
  const { rows } = await db.query<AccessCode>(
    `select ${COLUMNS} ${FROM} where c.booking_id = $1::uuid and s.live order by c.attempt`,
    [bookingId],
  );
  return rows;
}
