import { slotClosed } from '#rules/slots.ts';
import { settings as studio } from '#rules/venue.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { customerBlocked } from '../bookings/checkout-facts.ts';
import { readSpan, type Span } from '../bookings/price.ts';
import { Refusal } from '../core/refusal.ts';
import type { BookingRules } from '../settings/booking-rules.ts';

type WaitlistContext = { readonly db: Database; readonly clock: Clock };
/** `ahead`: how many people were there before and want some of the same hours. */
export type WaitlistPlace = { readonly entryId: string; readonly ahead: number };
type Outcome = ({ outcome: 'joined' } & WaitlistPlace) | { outcome: 'free' | 'own' | 'too_many' };

/**
 * Puts a customer on the wait list for taken hours: when they are free, the customer is mailed and has a quarter of an hour to book them. Joining
 * again answers the same. Throws `Refusal`.
 */
export async function joinWaitlist(
  { db, clock }: WaitlistContext,
  request: Span & { readonly userId: string; readonly studioId: string },
): Promise<WaitlistPlace> {
  const now = clock();
  const slots = readSpan(request);
  const facts = await readFacts(db, request, now);
  if (!facts.hasStudio) throw new Refusal('invalid_request', 'Selected studio not found.');
  if (facts.blocked) throw customerBlocked(facts.rules);
  if (!facts.mailConfirmed) throw new Refusal('mail_unconfirmed', 'Please confirm your email address first.');
  if (request.startTime <= now) throw new Refusal('too_late', 'These hours have already begun.');
  if (slots.some((slot) => slotClosed(slot, now, facts.rules.horizonDays) !== null))
    throw new Refusal('invalid_request', 'These hours can’t be booked.');
  const row = await db.one<{ answer: Outcome }>(
    'select private.join_waitlist($1::uuid, $2::uuid, $3::timestamptz, $4::timestamptz, $5::int, $6::timestamptz) as answer',
    [request.userId, request.studioId, request.startTime, request.endTime, studio.maxWaitlistEntries, now],
  );
  switch (row?.answer.outcome) {
    case 'joined':
      return { entryId: row.answer.entryId, ahead: row.answer.ahead };
    case 'free':
      throw new Refusal('slot_free', 'These hours are free right now: you can book them.');
    case 'own':
      throw new Refusal('already_done', 'You already have some of these hours.');
    case 'too_many':
      throw new Refusal(
        'waitlist_limit',
        `You can wait for up to ${studio.maxWaitlistEntries} times. Leave one of them first.`,
      );
    case undefined:
      throw new Error('join_waitlist returned no row');
  }
}

async function readFacts(
  db: Pick<Database, 'one'>,
  { userId, studioId }: { readonly userId: string; readonly studioId: string },
  now: Date,
) {
  const facts = await db.one<{ rules: BookingRules; hasStudio: boolean; blocked: boolean; mailConfirmed: boolean }>(
    `select private.booking_settings() as rules, exists (select from public.studios s where s.id = $2::uuid and s.active) as "hasStudio",
       private.is_blocked($1::uuid, $3::timestamptz) as blocked,
       exists (select from auth.users u where u.id = $1::uuid and u.email_confirmed_at is not null) as "mailConfirmed"`,
    [userId, studioId, now],
  );
  if (facts === null) throw new Error('booking_settings returned no row');
  return facts;
}

/** Takes a customer off the wait list; a claim ends and the next one is asked. The same again changes nothing. Throws `Refusal('not_found')`. */
export async function leaveWaitlist(
  { db, clock }: WaitlistContext,
  { userId, entryId }: { readonly userId: string; readonly entryId: string },
): Promise<void> {
  const row = await db.one<{ left: boolean }>(
    'select private.leave_waitlist($1::uuid, $2::uuid, $3::timestamptz) as left',
    [userId, entryId, clock()],
  );
  if (row?.left !== true) throw new Refusal('not_found', 'You aren’t on the wait list for these hours.');
}

/** Periodic task: asks people whose hours are free although nobody asked them when they were freed. */
export async function followWaitlist({ db, clock }: WaitlistContext): Promise<void> {
  await db.query('select private.follow_waitlist($1::timestamptz)', [clock()]);
}
