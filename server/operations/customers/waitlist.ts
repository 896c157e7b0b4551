import { constants as studio } from '#rules/venue.ts';
import { callJson, callSql } from '../core/call-sql.ts';
import type { Span } from '../bookings/price.ts';
import { Refusal } from '../core/refusal.ts';
import { requireBookable } from './bookable-span.ts';
import type { Services } from '../core/services.ts';

/** `ahead`: number of people who joined earlier and want some of the same hours. */
export type WaitlistPlace = { readonly entryId: string; readonly ahead: number };
type Outcome = ({ outcome: 'joined' } & WaitlistPlace) | { outcome: 'free' | 'own' | 'too_many' };

/**
 * Adds a customer to the wait list for taken hours. When the hours become free, the customer is mailed and has a quarter of an hour to book
 * them. Idempotent. Throws `Refusal`.
 */
export async function joinWaitlist(
  services: Services,
  request: Span & { readonly userId: string; readonly studioId: string },
): Promise<WaitlistPlace> {
  const now = services.clock();
  await requireBookable(services, request);
  const answer = await callJson(
    services.db,
    'join_waitlist',
    {
      p_user: request.userId,
      p_studio: request.studioId,
      p_start: request.startTime,
      p_end: request.endTime,
      p_max: studio.maxWaitlistEntries,
      p_now: now,
    },
    (json: Outcome) => json,
  );
  switch (answer?.outcome) {
    case 'joined':
      return { entryId: answer.entryId, ahead: answer.ahead };
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
      throw new Error('join_waitlist returned nothing');
  }
}

/** Removes a customer from the wait list. A claim ends, and the next person is asked. Idempotent. Throws `Refusal('not_found')`. */
export async function leaveWaitlist(
  { db, clock }: Services,
  { userId, entryId }: { readonly userId: string; readonly entryId: string },
): Promise<void> {
  if ((await callSql(db, 'leave_waitlist', { p_user: userId, p_entry: entryId, p_now: clock() })) !== true)
    throw new Refusal('not_found', 'You aren’t on the wait list for these hours.');
}

/** Periodic task: asks people on the wait list whose hours are free but who were not asked when the hours became free. */
export async function followWaitlist({ db, clock }: Services): Promise<void> {
  await callSql(db, 'follow_waitlist', { p_now: clock() });
}
