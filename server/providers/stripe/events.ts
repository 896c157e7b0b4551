import type Stripe from 'stripe';
import { WebhookRefused } from '../call.ts';
import type { ProviderEvent } from '../ports.ts';
import { isMarked } from './charges.ts';

/** How many events are listed at most. */
const LIST_MAX = 1_000;
/** How far a signature's date may be from now, in either direction (docs.stripe.com/webhooks#replay-attacks). */
const SIGNATURE_TOLERANCE_S = 300;
/** Events about changes of a payment (docs.stripe.com/api/events/types). */
const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const;
/** The events that the endpoint of our webhooks needs: those about payments, and the states of hosted ID checks. */
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
    found.push(toEvent(event));
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
  const event = verify(stripe, secrets, rawBody, signature);
  if (event.livemode !== live)
    throw new WebhookRefused(`a ${event.livemode ? 'live' : 'test'} event for a ${live ? 'live' : 'test'} key`);
  return toEvent(event);
}

function verify(stripe: Stripe, secrets: readonly string[], rawBody: string, signature: string): Stripe.Event {
  const event = verifyWithEach(stripe, secrets, rawBody, signature);
  // The library checks only the age: a signature dated in the future would stay valid until then.
  const latest = Math.floor(Date.now() / 1000) + SIGNATURE_TOLERANCE_S;
  for (const [, time] of signature.matchAll(/(?:^|,)\s*t=(\d+)/g))
    if (Number(time) > latest) throw new WebhookRefused('the signature is dated in the future');
  return event;
}

function verifyWithEach(stripe: Stripe, secrets: readonly string[], rawBody: string, signature: string): Stripe.Event {
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

function toEvent(event: Stripe.Event): ProviderEvent {
  const object: object = event.data.object;
  const textOf = (name: string): string | null => {
    const value: unknown = Object.entries(object).find(([key]) => key === name)?.[1];
    return typeof value === 'string' ? value : null;
  };
  return {
    id: event.id,
    type: event.type,
    objectId: textOf('id') ?? '',
    paymentIntentId: textOf('payment_intent') ?? chargeOf(event),
    livemode: event.livemode,
  };
}

/** The payment of an event about one by a saved card; null for one on the pay page, whose session has events of its own. */
const chargeOf = (event: Stripe.Event): string | null =>
  event.type === 'payment_intent.succeeded' && isMarked(event.data.object.metadata) ? event.data.object.id : null;
