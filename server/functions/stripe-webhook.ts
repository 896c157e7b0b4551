import type { Payments } from '#server/providers/ports.ts';
import { WebhookRefused } from '#server/providers/call.ts';
import type { WebhookInbox } from '#server/operations/webhooks.ts';
import { Refusal } from '#server/operations/refusal.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

const BODY_MAX = 1024 * 1024;

/** Signed events of the payment provider. Only the id is believed; a repeat changes nothing; an error makes the provider try again. */
export function stripeWebhook(parts: { payments: Payments; inbox: WebhookInbox }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'provider',
    limit: null,
    bodyMax: BODY_MAX,
    async handle({ request, body }) {
      const raw = String(body);
      try {
        const event = parts.payments.readEvent(raw, request.headers.get('stripe-signature') ?? '');
        await parts.inbox.accept('stripe', event);
      } catch (error) {
        if (error instanceof WebhookRefused) throw new Refusal('invalid_request', 'The signature does not fit.');
        throw error;
      }
      return json({ received: true });
    },
  };
}
