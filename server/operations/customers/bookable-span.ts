import { type Slot, slotClosed } from '#rules/slots.ts';
import type { Queryable } from '#server/db/database.ts';
import { customerBlocked } from '../bookings/checkout-facts.ts';
import { readSpan, type Span } from '../bookings/price.ts';
import { Refusal } from '../core/refusal.ts';
import type { BookingRules } from '../settings/booking-rules.ts';
import type { Services } from '../core/services.ts';

/** Checks that the customer could book these hours if they were free. The ID is not checked. Returns the slots of the hours. Throws `Refusal`. */
export async function requireBookable(
  { db, clock }: Services,
  request: Span & { readonly userId: string; readonly studioId: string },
): Promise<{ readonly slots: readonly Slot[] }> {
  const now = clock();
  const slots = readSpan(request);
  const facts = await readFacts(db, request, now);
  if (!facts.hasStudio) throw new Refusal('invalid_request', 'Selected studio not found.');
  if (facts.blocked) throw customerBlocked(facts.rules);
  if (!facts.mailConfirmed) throw new Refusal('mail_unconfirmed', 'Please confirm your email address first.');
  if (request.startTime <= now) throw new Refusal('too_late', 'These hours have already begun.');
  if (slots.some((slot) => slotClosed(slot, now, facts.rules.horizonDays) !== null))
    throw new Refusal('invalid_request', 'These hours can’t be booked.');
  return { slots };
}

async function readFacts(
  db: Queryable,
  { userId, studioId }: { readonly userId: string; readonly studioId: string },
  now: Date,
) {
  const facts = await db.queryRow<{
    rules: BookingRules;
    hasStudio: boolean;
    blocked: boolean;
    mailConfirmed: boolean;
  }>(
    `select private.booking_settings() as rules, exists (select from public.studios s where s.id = $2::uuid and s.active) as "hasStudio",
       private.is_blocked($1::uuid, $3::timestamptz) as blocked,
       exists (select from auth.users u where u.id = $1::uuid and u.email_confirmed_at is not null) as "mailConfirmed"`,
    [userId, studioId, now],
  );
  if (facts === null) throw new Error('booking_settings returned no row');
  return facts;
}
