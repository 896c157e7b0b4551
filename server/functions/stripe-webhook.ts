import { WebhookRefused } from '#server/providers/call.ts';
import type { EventContext } from '#server/operations/webhooks/context.ts';
import { acceptEvent } from '#server/operations/webhooks/handle-events.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const BODY_MAX = 1024 * 1024;

/**
 * Accepts signed events of the payment provider. Uses only their ids; a repeated event changes nothing. 200 means stored: the inbox
 * retries what cannot be handled now. 400, stored nowhere: a wrong, too old or future signature, or an event of the other mode.
 */
export function stripeWebhook(context: { events: EventContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'provider',
    limit: null,
    bodyMax: BODY_MAX,
    async handle({ request, body }) {
      const raw = String(body);
      try {
        const event = context.events.payments.readEvent(raw, request.headers.get('stripe-signature') ?? '');
        await acceptEvent(context.events, event);
      } catch (error) {
        if (error instanceof WebhookRefused) throw new Refusal('invalid_request', `Refused: ${error.message}.`);
        throw error;
      }
      return json({ received: true });
    },
  };
}
