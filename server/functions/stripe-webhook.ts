import type { Payments } from '#server/providers/ports.ts';
import { WebhookRefused } from '#server/providers/call.ts';
import type { WebhookInbox } from '#server/operations/webhooks.ts';
import { Refusal } from '#server/operations/refusal.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

const BODY_MAX = 1024 * 1024;

/**
 * Takes signed events of the payment provider. Only ids are believed; a repeat changes nothing. 200 means stored: what cannot be handled now
 * is tried again from the inbox. 400 and no row: a wrong signature, one dated too far back or ahead, or an event of the other mode.
 */
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
        if (error instanceof WebhookRefused) throw new Refusal('invalid_request', `Refused: ${error.message}.`);
        throw error;
      }
      return json({ received: true });
    },
  };
}
