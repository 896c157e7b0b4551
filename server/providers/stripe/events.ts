import type Stripe from 'stripe';
import { WebhookRefused } from '../call.ts';
import type { ProviderEvent } from '../ports.ts';
import { isMarked } from './charges.ts';
import { type EventReply, eventReply, read } from './replies.ts';

/** Maximum number of events that are listed. */
const LIST_MAX = 1_000;
/** Maximum difference between a signature's date and now, in either direction (docs.stripe.com/webhooks#replay-attacks). */
const SIGNATURE_TOLERANCE_S = 300;
/** Events about changes of a payment (docs.stripe.com/api/events/types). */
const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const;
/** The events to which the webhook endpoint must subscribe: those about payments, and the states of hosted ID checks. */
export const WEBHOOK_EVENTS: readonly string[] = [
  ...EVENT_TYPES,
  ...['processing', 'verified', 'requires_input', 'canceled'].map((state) => `identity.verification_session.${state}`),
];

/** Lists the events about payments since then, oldest first. */
export async function listEvents(stripe: Stripe, since: Date): Promise<ProviderEvent[]> {
  const found: ProviderEvent[] = [];
  for await (const event of stripe.events.list({
    limit: 100,
    types: [...EVENT_TYPES],
    created: { gte: Math.floor(since.getTime() / 1000) },
  })) {
    found.push(toEvent(read(eventReply, event)));
    if (found.length >= LIST_MAX) break;
  }
  return found.toReversed();
}

/** Verifies and reads a webhook. Throws `WebhookRefused`, as the port describes. */
export function readEvent(
  { stripe, live, secrets }: { readonly stripe: Stripe; readonly live: boolean; readonly secrets: readonly string[] },
  rawBody: string,
  signature: string,
): ProviderEvent {
  const parsed = eventReply.safeParse(verify(stripe, secrets, rawBody, signature));
  if (!parsed.success) throw new WebhookRefused('the event is malformed', { cause: parsed.error });
  const event = parsed.data;
  if (event.livemode !== live)
    throw new WebhookRefused(`a ${event.livemode ? 'live' : 'test'} event for a ${live ? 'live' : 'test'} key`);
  return toEvent(event);
}

function verify(stripe: Stripe, secrets: readonly string[], rawBody: string, signature: string): unknown {
  const event = verifyWithEach(stripe, secrets, rawBody, signature);
  // The library checks only the age, so a signature dated in the future would stay valid until then.
  const latest = Math.floor(Date.now() / 1000) + SIGNATURE_TOLERANCE_S;
  for (const [, time] of signature.matchAll(/(?:^|,)\s*t=(\d+)/g))
    if (Number(time) > latest) throw new WebhookRefused('the signature is dated in the future');
  return event;
}

function verifyWithEach(stripe: Stripe, secrets: readonly string[], rawBody: string, signature: string): unknown {
  let cause: unknown;
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(rawBody, signature, secret, SIGNATURE_TOLERANCE_S);
    } catch (error) {
      cause = error;
    }
  }
  throw new WebhookRefused('the signature is invalid', { cause });
}

function toEvent(event: EventReply): ProviderEvent {
  const { object } = event.data;
  const getText = (name: string): string | null => {
    const value = Object.entries(object).find(([key]) => key === name)?.[1];
    return typeof value === 'string' ? value : null;
  };
  return {
    id: event.id,
    type: event.type,
    objectId: getText('id') ?? '',
    paymentIntentId: getText('payment_intent') ?? (isOwnCharge(event) ? getText('id') : null),
    livemode: event.livemode,
  };
}

/**
 * Whether a payment's own event matters: a declined card, or a payment by a saved card. A payment on the pay page has a session with its
 * own events, but none of them reports a declined card.
 */
function isOwnCharge({ type, data: { object } }: EventReply): boolean {
  if (type === 'payment_intent.payment_failed') return true;
  const metadata = object['metadata'];
  return (
    type === 'payment_intent.succeeded' &&
    typeof metadata === 'object' &&
    metadata !== null &&
    isMarked({ ...metadata })
  );
}
