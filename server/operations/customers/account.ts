import type { Json } from '#database/types.ts';
import { callJson } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import type { OwnerProof, Services } from '../core/services.ts';

type Outcome =
  | {
      readonly outcome: 'deleted';
      readonly sessions: readonly string[];
      readonly kept: number;
      readonly keptUntil: string | null;
    }
  | { readonly outcome: 'bookings'; readonly bookings: readonly Json[] }
  | { readonly outcome: 'staff' | 'not_found' };

/**
 * Deletes the account of a customer. Returns how many paid bookings are kept for tax law, with the buyer's name, and until which day.
 * Throws `Refusal`: `bookings_ahead` with the `bookings` that have not ended, `staff_account`, `not_found`, and those of `proveOwner`.
 */
export async function deleteAccount(
  { db, clock, proveOwner, forgetSessions }: Services,
  { userId, sessionId, proof }: { userId: string; sessionId: string; proof: OwnerProof },
): Promise<{ kept: number; keptUntil: string | null }> {
  await proveOwner(userId, sessionId, proof);
  const args = { p_user: userId, p_now: clock() };
  const done = (await callJson(db, 'delete_account', args, (json: Outcome) => json)) ?? { outcome: 'not_found' };
  switch (done.outcome) {
    case 'deleted':
      forgetSessions(done.sessions);
      return { kept: done.kept, keptUntil: done.keptUntil };
    case 'bookings':
      throw new Refusal(
        'bookings_ahead',
        'You still have bookings. Cancel them first, or delete your account when they’re over.',
        { bookings: done.bookings },
      );
    case 'staff':
      throw new Refusal('staff_account', 'You’re on the team. Ask an owner to remove you from it first.');
    case 'not_found':
      throw new Refusal('not_found', 'Account not found');
  }
}

type PhoneOutcome =
  | { readonly outcome: 'removed'; readonly removed: boolean }
  | { readonly outcome: 'only_phone' | 'not_found' };

/**
 * Removes the confirmed phone number of an account and disables its text reminders. Returns whether there was a number. Throws `Refusal`:
 * `mail_unconfirmed` if the number is the only way to sign in, `not_found`, and those of `proveOwner`.
 */
export async function removePhone(
  { db, clock, proveOwner }: Services,
  { userId, sessionId, proof }: { userId: string; sessionId: string; proof: OwnerProof },
): Promise<boolean> {
  await proveOwner(userId, sessionId, proof);
  const args = { p_user: userId, p_now: clock() };
  const done = (await callJson(db, 'remove_phone', args, (json: PhoneOutcome) => json)) ?? { outcome: 'not_found' };
  switch (done.outcome) {
    case 'removed':
      return done.removed;
    case 'only_phone':
      throw new Refusal(
        'mail_unconfirmed',
        'You sign in with this number. Add an email to your account first, then you can remove it.',
      );
    case 'not_found':
      throw new Refusal('not_found', 'Account not found');
  }
}

/** Reads all data stored about an account, as JSON. Throws `Refusal('not_found')`. */
export async function exportAccount(
  { db, clock }: Services,
  userId: string,
): Promise<{ readonly [topic: string]: Json }> {
  const row = await db.queryRow<{ data: { readonly [topic: string]: Json } | null }>(
    `select private.export_account($1::uuid, $2::timestamptz) || jsonb_build_object('crew', private.export_crew($1::uuid))
       || private.export_feedback($1::uuid) as data`,
    [userId, clock()],
  );
  if (!row?.data) throw new Refusal('not_found', 'Account not found');
  return row.data;
}
