import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { ProviderEvent } from '#server/providers/ports.ts';
import { failpoint } from './failpoint.ts';
import type { PaymentDesk } from './payments.ts';
import { Refusal } from './refusal.ts';

export type WebhookInbox = {
  /** Remembers an event once and acts on it; throws when it could not be acted on, so that the sender repeats it. */
  accept(provider: 'stripe', event: ProviderEvent): Promise<void>;
};

/** Events that say that a checkout session has moved. What it has become is asked of the provider. */
const SESSION_EVENTS = /^checkout\.session\.(completed|expired|async_payment_succeeded|async_payment_failed)$/;

export function createWebhookInbox(parts: { db: Database; desk: PaymentDesk; clock: Clock; log: Log }): WebhookInbox {
  const { db, desk, clock, log } = parts;
  return {
    async accept(provider, event) {
      const known = await db.one<{ handled_at: Date | null }>(
        `insert into private.webhook_inbox (provider, event_id, type, object_id, received_at) values ($1, $2, $3, $4, $5::timestamptz)
         on conflict (provider, event_id) do update set type = excluded.type returning handled_at`,
        [provider, event.id, event.type, event.objectId, clock()],
      );
      failpoint('webhook.after.inbox');
      if (known?.handled_at) return;
      if (SESSION_EVENTS.test(event.type)) {
        await desk.settle(event.objectId).catch((error: unknown) => {
          // A session of somebody else's: remembered, and nothing to do.
          if (error instanceof Refusal && error.code === 'not_found')
            return log.warn({ session: event.objectId }, 'an event for a session we do not know');
          throw error;
        });
      }
      await db.query(
        `update private.webhook_inbox set handled_at = $3::timestamptz where provider = $1 and event_id = $2`,
        [provider, event.id, clock()],
      );
    },
  };
}
