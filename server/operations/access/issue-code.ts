import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { type AccessCode, liveCodes } from './code-rows.ts';
import { queueRevocation } from './revoke-codes.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/**
 * Requests a planned code from the lock, outside any transaction, and records the answer. Repeating it is safe: the lock returns the
 * same code. Throws `ProviderError`.
 */
export async function issueCode(services: Services, code: AccessCode, booking: BookingFacts): Promise<void> {
  const { db, locks, encryption, fingerprint, clock } = services;
  failpoint('access.before.issue');
  const issued = await locks.issueCode({
    lockId: code.lockId,
    startsAt: code.startsAt,
    endsAt: code.endsAt,
    accessName: booking.reference,
    variant: code.variant,
    pin: code.encryptedPin === null ? '' : encryption.decrypt(code.encryptedPin, code.id),
  });
  failpoint('access.after.issue');
  await db.transaction(async (tx) => {
    const now = clock();
    const current = await lockBooking(tx, booking.id);
    const { status } = (await tx.one<Pick<AccessCode, 'status'>>(
      'select status from public.booking_access_codes where id = $1::uuid',
      [code.id],
    )) ?? { status: 'failed' };
    if (status === 'requested') await retirePrevious(tx, services, code, now);
    await tx.query(
      `update public.booking_access_codes set status = 'issued', issued_at = $2::timestamptz where id = $1::uuid and status = 'requested'`,
      [code.id, now],
    );
    await tx.query(
      `update private.access_secret set pin_encrypted = $2, pin_fingerprint = $3, provider_code_id = $4 where code_id = $1::uuid`,
      [code.id, encryption.encrypt(issued.pin, code.id), fingerprint(issued.pin), issued.providerCodeId],
    );
    await recordAudit(tx, {
      actor: null,
      action: 'create',
      resource: 'access_code',
      id: code.id,
      details: { bookingId: booking.id, attempt: code.attempt, mode: locks.capabilities.mode },
    });
    // Revoke at once when the booking was cancelled or moved during the call, else when the code ends.
    const ended = current?.status !== 'confirmed' || (status !== 'requested' && status !== 'issued');
    if (ended) await tx.query('update private.access_secret set live = true where code_id = $1::uuid', [code.id]);
    await queueRevocation(tx, {
      bookingId: booking.id,
      codeId: code.id,
      dedupe: ended ? `late:${code.id}` : code.id,
      dueAt: ended ? now : code.endsAt,
    });
  });
  failpoint('access.after.commit');
}

/** Ends the codes that a new one replaces, where the lock can remove them. */
async function retirePrevious(
  tx: Transaction,
  { locks: { capabilities } }: Services,
  code: AccessCode,
  now: Date,
): Promise<void> {
  if (!capabilities.revocable) return;
  const previous = (await liveCodes(tx, code.bookingId)).filter(({ status }) => status === 'issued');
  await tx.query(
    `update public.booking_access_codes set status = 'revoke_pending' where booking_id = $1::uuid and status = 'issued'`,
    [code.bookingId],
  );
  for (const { id } of previous)
    await queueRevocation(tx, { bookingId: code.bookingId, codeId: id, dedupe: `renew:${id}`, dueAt: now });
}
