import { codeStart } from '#rules/access.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { chooseDigits } from './choose-digits.ts';
import { type AccessCode, newestCode } from './code-rows.ts';
import { readAccessTimes } from './times.ts';
import type { Services } from '../core/services.ts';

/**
 * Stores a code before the lock is called, so that a lost answer can be requested again. Throws `Refusal('code_limit')` when the lock
 * has no more codes for these hours.
 */
export async function planCode(
  services: Services,
  tx: Transaction,
  booking: BookingFacts,
  attempt: number,
): Promise<AccessCode> {
  const { locks, lockOf, clock } = services;
  const lockId = lockOf.get(booking.studioId);
  if (!lockId) throw new Error(`no lock is configured for studio ${booking.studioName}`);
  const times = await readAccessTimes(services, tx, booking);
  const startsAt = codeStart(times.worksFrom, clock());
  const code = await tx.one<{ id: string }>(
    `insert into public.booking_access_codes (booking_id, attempt, mode, starts_at, ends_at, release_at, created_at)
     values ($1::uuid, $2::int, $3, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::timestamptz) returning id`,
    [booking.id, attempt, locks.capabilities.mode, startsAt, times.worksUntil, times.releaseAt, clock()],
  );
  if (!code) throw new Error('a planned code was not written');
  await insertSecret(services, tx, { codeId: code.id, lockId, startsAt, endsAt: times.worksUntil });
  const planned = await newestCode(tx, booking.id);
  if (!planned) throw new Error('a planned code cannot be read back');
  return planned;
}

type NewSecret = { readonly codeId: string; readonly lockId: string; readonly startsAt: Date; readonly endsAt: Date };

/** Stores what a code needs at the lock: our PIN for a lock that stores digits, else the number of the code within its hours. */
async function insertSecret(services: Services, tx: Transaction, secret: NewSecret): Promise<void> {
  const { encryption, fingerprint } = services;
  const { codeId, lockId, startsAt, endsAt } = secret;
  const { pin, variant } = await chooseDigits(services, tx, secret);
  await tx.query(
    `insert into private.access_secret (code_id, lock_id, variant, pin_encrypted, pin_fingerprint, starts_at, ends_at)
     values ($1::uuid, $2, $3::int, $4, $5, $6::timestamptz, $7::timestamptz)`,
    [
      codeId,
      lockId,
      variant,
      pin === null ? null : encryption.encrypt(pin, codeId),
      pin === null ? null : fingerprint(pin),
      startsAt,
      endsAt,
    ],
  );
}
