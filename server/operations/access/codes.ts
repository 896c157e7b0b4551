import { randomInt, randomUUID } from 'node:crypto';
import { codeStart } from '#rules/access.ts';
import type { Transaction } from '#server/db/database.ts';
import type { IssuedCode } from '#server/providers/ports.ts';
import { recordAudit } from '../core/audit.ts';
import { failpoint } from '../core/failpoint.ts';
import type { Services } from '../core/services.ts';
import { type Code, type Holder, type NewCode, queueRemoval, readCode, type StoredDigits } from './holder.ts';
import { codeLimitReached } from './limits.ts';

/*
 * The operations on access codes. They are the same for each holder: a booking (booking-codes.ts), a guest (guest-codes.ts) and staff (staff-codes.ts).
 *
 * `planCode` stores a code before the lock is called, so that a code whose answer was lost can be requested again. `issueCode` calls the lock outside
 * of any transaction and records the answer in one. If the holder may no longer have the code by then, it queues the removal for now, otherwise for the
 * end of the code. `removeCode` does the removal.
 */

/** Length of the PINs that we choose. Locks accept 4 to 10 digits and block their keypad after a few wrong attempts. */
const PIN_DIGITS = 6;
/** Number of random PINs that are tried before a lock counts as full. */
const PIN_TRIES = 20;

/** The lock of a code, and the hours for which the holder may open it. */
export type CodeWindow = { readonly lockId: string; readonly worksFrom: Date; readonly worksUntil: Date };

/** Stores a code before it is requested from its lock. Throws `Refusal('code_limit')` if the lock has no code left for these hours. */
export async function planCode<C extends Code, Subject>(
  services: Services,
  tx: Transaction,
  holder: Holder<C, Subject>,
  { window, subject }: { readonly window: CodeWindow; readonly subject: Subject },
): Promise<C> {
  const [id, created_at] = [randomUUID(), services.clock()];
  const starts_at = codeStart(window.worksFrom, created_at);
  const hours = { lock_id: window.lockId, starts_at, ends_at: window.worksUntil };
  const { pin, variant } = await chooseDigits(services, tx, hours);
  await holder.insert(tx, { id, ...hours, created_at, variant, ...sealDigits(services, id, pin) }, subject);
  const planned = await readCode(tx, holder, id);
  if (planned === null) throw new Error('a planned code cannot be read back');
  return planned;
}

/**
 * Requests a planned code from its lock and records the answer. It can be repeated safely because the lock returns the same code. `name`:
 * the name of the code at the lock; `actor`: the account for the audit log. Returns `late: true` if the code ended during the call, or
 * its holder may no longer have it. Throws `ProviderError`.
 */
export async function issueCode<C extends Code>(
  services: Services,
  holder: Holder<C>,
  code: C,
  { name, actor = null }: { readonly name: string; readonly actor?: string | null },
): Promise<IssuedCode & { readonly late: boolean }> {
  const { db, locks, clock } = services;
  const { lockId, startsAt, endsAt, variant } = code;
  failpoint(`${holder.failpoints}.before.issue`);
  const pin = openDigits(services, code) ?? '';
  const issued = await locks.issueCode({ lockId, startsAt, endsAt, accessName: name, variant, pin });
  failpoint(`${holder.failpoints}.after.issue`);
  const late = await db.transaction(async (tx) => {
    const now = clock();
    const isEntitled = await holder.lock(tx, code);
    const before = (await readCode(tx, holder, code.id))?.status ?? 'revoked';
    const { providerCodeId } = issued;
    await holder.accept(services, tx, code, { ...sealDigits(services, code.id, issued.pin), providerCodeId, now });
    const isLate = !isEntitled || (await readCode(tx, holder, code.id))?.status !== 'issued';
    // The removal may have run before the lock had the code.
    if (isLate) await holder.markRevoking(tx, code.id);
    if (isLate || before === 'requested') {
      const entry = holder.entry(code, { before, after: isLate ? 'revoking' : 'issued' });
      await recordAudit(tx, { actor, resource: holder.resource, id: code.id, ...entry });
    }
    const removal = isLate ? { reason: `late:${now.toISOString()}`, dueAt: now } : { reason: 'end', dueAt: endsAt };
    await queueRemoval(tx, holder, code, removal);
    return isLate;
  });
  failpoint(`${holder.failpoints}.after.commit`);
  return { ...issued, late };
}

/**
 * Removes a code from its lock. If the lock cannot remove it before it ends, staff are alerted instead. Idempotent. Throws `ProviderError`
 * and leaves the code as it is.
 */
export async function removeCode<C extends Code>(services: Services, holder: Holder<C>, code: C): Promise<void> {
  const { db, locks, clock } = services;
  const pin = openDigits(services, code);
  const isRemovable = locks.capabilities.revocable && pin !== null;
  if (isRemovable) await locks.revokeCode({ lockId: code.lockId, pin });
  failpoint(`${holder.failpoints}.after.revoke`);
  await db.transaction(async (tx) => {
    const now = clock();
    if (!isRemovable && now < code.endsAt) {
      const details = { reason: 'the lock cannot remove this code before it ends' };
      await recordAudit(tx, { actor: null, action: 'alert', resource: holder.resource, id: code.id, details });
    }
    await holder.markRevoked(tx, code.id, now);
  });
}

/** Encrypts the digits of a code and adds a fingerprint by which the code can be found. */
const sealDigits = ({ encryption, fingerprint }: Services, codeId: string, pin: string | null): StoredDigits => ({
  pin_encrypted: pin === null ? null : encryption.encrypt(pin, codeId),
  pin_fingerprint: pin === null ? null : fingerprint(pin),
});

/** Decrypts the digits of a code. Returns null before the lock has computed them. */
export const openDigits = ({ encryption }: Services, { id, encryptedPin }: Pick<Code, 'id' | 'encryptedPin'>) =>
  encryptedPin === null ? null : encryption.decrypt(encryptedPin, id);

type Hours = Pick<NewCode, 'lock_id' | 'starts_at' | 'ends_at'>;

/**
 * Chooses the digits or the number of a new code. For a lock that stores digits, it chooses a PIN that no live code has; for other locks,
 * the next number among the codes of the same hours. Transactions that choose a code for the same lock run one after another, so that two
 * codes never get the same PIN or number. Throws `Refusal('code_limit')`.
 */
async function chooseDigits(
  { locks, fingerprint }: Services,
  tx: Transaction,
  hours: Hours,
): Promise<{ readonly pin: string | null; readonly variant: number }> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('codes:' || $1, 0))`, [hours.lock_id]);
  if (locks.capabilities.choosesDigits) return { pin: await choosePin(fingerprint, tx, hours.lock_id), variant: 0 };
  return { pin: null, variant: await chooseVariant(locks.capabilities.codesPerWindow, tx, hours) };
}

async function choosePin(fingerprint: Services['fingerprint'], tx: Transaction, lockId: string): Promise<string> {
  for (let round = 0; round < PIN_TRIES; round += 1) {
    const pin = String(randomInt(10 ** (PIN_DIGITS - 1), 10 ** PIN_DIGITS));
    const row = await tx.queryRow<{ taken: boolean }>(
      'select bool_or(private.is_pin_taken($1, p.print)) as taken from unnest($2::text[]) p (print)',
      [lockId, fingerprint.all(pin)],
    );
    if (row?.taken === false) return pin;
  }
  throw new Error(`lock ${lockId} has no free PIN left`);
}

/** Returns the next number among the codes of the same hours, starting at 1. Throws `Refusal('code_limit')`. */
async function chooseVariant(
  codesPerWindow: number,
  tx: Transaction,
  { lock_id, starts_at, ends_at }: Hours,
): Promise<number> {
  const row = await tx.queryRow<{ next: number }>(
    'select private.next_code_variant($1, $2::timestamptz, $3::timestamptz) as next',
    [lock_id, starts_at, ends_at],
  );
  const next = row?.next ?? 1;
  if (next > codesPerWindow) throw codeLimitReached();
  return next;
}
