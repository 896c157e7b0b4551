import { randomInt } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { type AccessCode, newestCode } from './code-rows.ts';
import type { AccessContext } from './context.ts';
import { readAccessTimes } from './times.ts';

/** Length of the PINs that we choose. The lock takes 4 to 10 digits and blocks its keypad after a few wrong tries. */
const PIN_DIGITS = 6;
/** How many random PINs are tried before a lock counts as full. */
const PIN_TRIES = 20;

type PlanContext = Pick<AccessContext, 'locks' | 'lockOf' | 'encryption' | 'fingerprint' | 'clock'>;

/**
 * Stores a code before the lock is called, so that a lost answer can be requested again. Throws `Refusal('code_limit')` when the lock
 * has no more codes for these hours.
 */
export async function planCode(
  context: PlanContext,
  tx: Transaction,
  booking: BookingFacts,
  attempt: number,
): Promise<AccessCode> {
  const { locks, lockOf, clock } = context;
  const lockId = lockOf.get(booking.studioId);
  if (!lockId) throw new Error(`no lock is configured for studio ${booking.studioName}`);
  const times = await readAccessTimes(context, tx, booking);
  // igloohome refuses a window that began before the current hour.
  const startsAt = new Date(Math.max(times.worksFrom.getTime(), floorToHour(clock()).getTime()));
  const code = await tx.one<{ id: string }>(
    `insert into public.booking_access_codes (booking_id, attempt, mode, starts_at, ends_at, release_at, created_at)
     values ($1::uuid, $2::int, $3, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::timestamptz) returning id`,
    [booking.id, attempt, locks.capabilities.mode, startsAt, times.worksUntil, times.releaseAt, clock()],
  );
  if (!code) throw new Error('a planned code was not written');
  await insertSecret(context, tx, { codeId: code.id, lockId, startsAt, endsAt: times.worksUntil });
  const planned = await newestCode(tx, booking.id);
  if (!planned) throw new Error('a planned code cannot be read back');
  return planned;
}

type NewSecret = { readonly codeId: string; readonly lockId: string; readonly startsAt: Date; readonly endsAt: Date };

/** Stores what a code needs at the lock: our PIN for a lock behind a bridge, else the number of the code within its hours. */
async function insertSecret(
  { locks, encryption, fingerprint }: PlanContext,
  tx: Transaction,
  secret: NewSecret,
): Promise<void> {
  const { codeId, lockId, startsAt, endsAt } = secret;
  const pin = locks.capabilities.mode === 'bridge' ? await choosePin(fingerprint, tx, lockId) : null;
  const variant = pin === null ? await chooseVariant(locks.capabilities.codesPerWindow, tx, secret) : 0;
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

/** Chooses a PIN that no live code of this lock has. */
async function choosePin(fingerprint: AccessContext['fingerprint'], tx: Transaction, lockId: string): Promise<string> {
  for (let round = 0; round < PIN_TRIES; round += 1) {
    const pin = String(randomInt(10 ** (PIN_DIGITS - 1), 10 ** PIN_DIGITS));
    const taken = await tx.one(
      'select 1 from private.access_secret where lock_id = $1 and pin_fingerprint = $2 and live',
      [lockId, fingerprint(pin)],
    );
    if (!taken) return pin;
  }
  throw new Error(`lock ${lockId} has no free PIN left`);
}

/** Returns the next number of a code within the same hours, from 1. Throws `Refusal('code_limit')`. */
async function chooseVariant(
  codesPerWindow: number,
  tx: Transaction,
  { lockId, startsAt, endsAt }: NewSecret,
): Promise<number> {
  const row = await tx.one<{ next: number }>(
    `select coalesce(max(variant), 0) + 1 as next from private.access_secret where lock_id = $1 and starts_at = $2::timestamptz and ends_at = $3::timestamptz`,
    [lockId, startsAt, endsAt],
  );
  const next = row?.next ?? 1;
  if (next > codesPerWindow) throw codeLimitReached();
  return next;
}

/** Builds the refusal for a booking that has had all its codes. */
export function codeLimitReached(): Refusal {
  return new Refusal('code_limit', 'No more codes can be made for this session. Please contact us.');
}

function floorToHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
}
