import { stripeWebhook as contract } from '#contracts/webhooks/stripe-webhook.ts';
import { WebhookRefused } from '#server/providers/call.ts';
import { acceptEvent } from '#server/operations/webhooks/handle-events.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { defineHandler } from '../handler.ts';

export const stripeWebhook = defineHandler(contract, async (services, { request, body }) => {
  try {
    const event = services.payments.readEvent(body, request.headers.get('stripe-signature') ?? '');
    await acceptEvent(services, event);
  } catch (error) {
    if (error instanceof WebhookRefused) throw new Refusal('invalid_request', `Refused: ${error.message}.`);
    throw error;
  }
  return { received: true as const };
});
