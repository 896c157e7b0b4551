import { randomInt } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/** Length of the PINs that we choose. The lock takes 4 to 10 digits and blocks its keypad after a few wrong tries. */
const PIN_DIGITS = 6;
/** How many random PINs are tried before a lock counts as full. */
const PIN_TRIES = 20;

type Window = { readonly lockId: string; readonly startsAt: Date; readonly endsAt: Date };

/** Whether guests get codes of their own: their lock stores several at a time and can remove each. */
export const hasGuestCodes = ({ locks }: Services): boolean =>
  locks.capabilities.choosesDigits && locks.capabilities.revocable;

/**
 * Chooses what a new code needs at the lock: our PIN for a lock that stores digits, which no live code has, else the number of the code within its hours.
 * Codes of one lock are chosen one after the other until their transactions end. Throws `Refusal('code_limit')`.
 */
export async function chooseDigits(
  { locks, fingerprint }: Services,
  tx: Transaction,
  window: Window,
): Promise<{ pin: string | null; variant: number }> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('codes:' || $1, 0))`, [window.lockId]);
  if (locks.capabilities.choosesDigits) return { pin: await choosePin(fingerprint, tx, window.lockId), variant: 0 };
  return { pin: null, variant: await chooseVariant(locks.capabilities.codesPerWindow, tx, window) };
}

async function choosePin(fingerprint: Services['fingerprint'], tx: Transaction, lockId: string): Promise<string> {
  for (let round = 0; round < PIN_TRIES; round += 1) {
    const pin = String(randomInt(10 ** (PIN_DIGITS - 1), 10 ** PIN_DIGITS));
    const row = await tx.one<{ taken: boolean }>(
      'select bool_or(private.is_pin_taken($1, p.print)) as taken from unnest($2::text[]) p (print)',
      [lockId, fingerprint.all(pin)],
    );
    if (row?.taken === false) return pin;
  }
  throw new Error(`lock ${lockId} has no free PIN left`);
}

/** Returns the next number of a code within the same hours, from 1. Throws `Refusal('code_limit')`. */
async function chooseVariant(
  codesPerWindow: number,
  tx: Transaction,
  { lockId, startsAt, endsAt }: Window,
): Promise<number> {
  const row = await tx.one<{ next: number }>(
    'select private.next_code_variant($1, $2::timestamptz, $3::timestamptz) as next',
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

/** Returns an error in words for staff, where a code could not be made because the lock has none left; other errors as they are. */
export function forStaff(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'code_limit') return error;
  const words =
    'The lock has no code left for these hours. Codes that were made before still work, and Doors opens the door.';
  return new Refusal('code_limit', words, error.details);
}
