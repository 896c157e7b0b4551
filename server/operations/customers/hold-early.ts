import { callJson } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import { refuseHours, slotTaken } from '../bookings/claim-slot.ts';
import type { Span } from '../bookings/price.ts';
import { requireBookable } from './bookable-span.ts';
import type { Services } from '../core/services.ts';

type Outcome = { outcome: 'held'; until: string } | { outcome: 'verified' | 'taken' | 'limit' };

/**
 * Holds hours for a customer who has a confirmed address but has not verified their ID yet. Returns until when they are held; a repeated
 * call returns the same time. `private.hold_early()` defines the limits. `address`: the caller's IP address, or '' if unknown. Throws
 * `Refusal` if the hours are not held; the customer can still book them while they are free.
 */
export async function holdEarly(
  services: Services,
  request: Span & { readonly userId: string; readonly studioId: string; readonly address: string },
): Promise<Date> {
  const { db } = services;
  const now = services.clock();
  const { slots } = await requireBookable(services, request);
  const { userId, studioId, startTime, endTime, address } = request;
  const answer = await callJson(
    db,
    'hold_early',
    {
      p_user: userId,
      p_studio: studioId,
      p_start: startTime,
      p_end: endTime,
      p_hours: slots.length,
      p_address: address,
      p_now: now,
    },
    (json: Outcome) => json,
  ).catch((error: unknown) => refuseHours(db, error));
  switch (answer?.outcome) {
    case 'held':
      return new Date(answer.until);
    case 'verified':
      throw new Refusal('already_done', 'Your ID is verified: you can book these hours.');
    case 'taken':
      throw slotTaken();
    case 'limit':
      throw new Refusal(
        'too_many_holds',
        'We can’t hold these hours while you verify your ID. You can book them as soon as it’s done, if they’re still free.',
      );
    case undefined:
      throw new Error('hold_early returned nothing');
  }
}
