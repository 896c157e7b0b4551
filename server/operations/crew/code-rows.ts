import type { Queryable } from '#server/db/database.ts';

/** A guest's access code; its digits are encrypted. */
export type GuestCode = {
  readonly id: string;
  readonly memberId: string;
  readonly bookingId: string;
  readonly lockId: string;
  readonly status: 'requested' | 'issued' | 'revoking' | 'revoked';
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly encryptedPin: string;
  readonly createdAt: Date;
  readonly issuedAt: Date | null;
  readonly usedAt: Date | null;
};

const SELECT = `select c.id, c.crew_member_id as "memberId", m.booking_id as "bookingId", c.lock_id as "lockId", c.status, c.starts_at as "startsAt",
    c.ends_at as "endsAt", c.pin_encrypted as "encryptedPin", c.created_at as "createdAt", c.issued_at as "issuedAt", c.used_at as "usedAt"
  from private.crew_code c join private.crew_member m on m.id = c.crew_member_id`;

/** Reads the newest code of a guest, and how many there were. */
export async function newestGuestCode(
  db: Queryable,
  memberId: string,
): Promise<{ readonly code: GuestCode | null; readonly made: number }> {
  const { rows } = await db.query<GuestCode>(
    `${SELECT} where c.crew_member_id = $1::uuid order by c.created_at desc, c.id limit 100`,
    [memberId],
  );
  return { code: rows[0] ?? null, made: rows.length };
}

export function readGuestCode(db: Queryable, codeId: string): Promise<GuestCode | null> {
  return db.one<GuestCode>(`${SELECT} where c.id = $1::uuid`, [codeId]);
}

/** Reads codes that the lock was asked for and never confirmed, and that have ended since: the lock may have them. */
export async function unconfirmedCodes(db: Queryable, memberId: string): Promise<readonly GuestCode[]> {
  const { rows } = await db.query<GuestCode>(
    `${SELECT} where c.crew_member_id = $1::uuid and c.issued_at is null and c.status in ('revoking', 'revoked')`,
    [memberId],
  );
  return rows;
}
