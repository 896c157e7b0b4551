import { stripeWebhook as contract } from '#contracts/webhooks/stripe-webhook.ts';
import { WebhookRefused } from '#server/providers/call.ts';
import type { EventContext } from '#server/operations/webhooks/context.ts';
import { acceptEvent } from '#server/operations/webhooks/handle-events.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { defineHandler } from '../handler.ts';

export const stripeWebhook = defineHandler(
  contract,
  async ({ events }: { events: EventContext }, { request, body }) => {
    try {
      const event = events.payments.readEvent(body, request.headers.get('stripe-signature') ?? '');
      await acceptEvent(events, event);
    } catch (error) {
      if (error instanceof WebhookRefused) throw new Refusal('invalid_request', `Refused: ${error.message}.`);
      throw error;
    }
    return { received: true as const };
  },
);
