import type { ProviderEvent } from '#server/providers/ports.ts';
import { failpoint } from './core/failpoint.ts';
import { type PaymentContext, reasonOf } from './payments/context.ts';
import { settleIntent, settlePayment } from './payments/settle.ts';
import { Refusal } from './core/refusal.ts';

export type WebhookInbox = {
  /** Stores an event once and handles it. An event that fails stays stored and is retried. */
  accept(provider: 'stripe', event: ProviderEvent): Promise<void>;
  /** Handles stored events that are due; returns how many succeeded. */
  drain(): Promise<number>;
};

/** Events about a checkout session; the others name a payment intent. The state itself is always read from the provider. */
const SESSION_EVENTS =
  /^(checkout\.session\.(completed|expired|async_payment_succeeded|async_payment_failed)|reconcile\.session)$/;
const INTENT_EVENTS =
  /^(charge\.refunded|charge\.refund\.updated|refund\.(created|updated|failed)|charge\.dispute\.(created|updated|closed))$/;

const EVENTS_PER_ROUND = 50;
const LONGEST_WAIT_MS = 15 * 60_000;
/** The failure at which staff are alerted. */
const ALERT_AT = 3;

type Stored = {
  event_id: string;
  type: string;
  object_id: string;
  payment_intent_id: string | null;
  tries: number;
};

export function createWebhookInbox(context: PaymentContext): WebhookInbox {
  return {
    async accept(_provider, event) {
      await rememberEvent(context, event);
      failpoint('webhook.after.inbox');
      const stored = await claimEvent(context, event.id);
      if (stored !== null) await handle(context, stored);
    },
    drain: () => drainWebhooks(context),
  };
}

/** Stores an event for the next drain, unless it is stored already. */
export async function rememberEvent({ db, clock }: PaymentContext, event: ProviderEvent): Promise<void> {
  await db.query(
    `insert into private.webhook_inbox (provider, event_id, type, object_id, payment_intent_id, livemode, received_at)
     values ('stripe', $1, $2, $3, $4, $5, $6::timestamptz) on conflict do nothing`,
    [event.id, event.type, event.objectId, event.paymentIntentId, event.livemode, clock()],
  );
}

/** Claims a stored event for a minute; null when it is handled already. */
async function claimEvent({ db, clock }: PaymentContext, eventId: string): Promise<Stored | null> {
  return db.one<Stored>(
    `update private.webhook_inbox set tries = tries + 1, next_try_at = $2::timestamptz
     where provider = 'stripe' and event_id = $1 and handled_at is null
     returning event_id, type, object_id, payment_intent_id, tries`,
    [eventId, new Date(clock().getTime() + 60_000)],
  );
}

/** Handles stored events that are due, each by itself; returns how many succeeded. */
export async function drainWebhooks(context: PaymentContext): Promise<number> {
  const { rows } = await context.db.query<Stored>(`select * from private.claim_webhooks($1::timestamptz, $2)`, [
    context.clock(),
    EVENTS_PER_ROUND,
  ]);
  let done = 0;
  for (const row of rows) if (await handle(context, row)) done += 1;
  return done;
}

async function handle(context: PaymentContext, event: Stored): Promise<boolean> {
  const { db, clock, log } = context;
  try {
    await act(context, event);
  } catch (error) {
    const wait = Math.min(2 ** event.tries * 1000, LONGEST_WAIT_MS);
    log.error({ event: event.event_id, tries: event.tries, reason: reasonOf(error) }, 'a webhook could not be handled');
    await db.query(
      `update private.webhook_inbox set next_try_at = $2::timestamptz, last_error = $3 where provider = 'stripe' and event_id = $1`,
      [event.event_id, new Date(clock().getTime() + wait), reasonOf(error).slice(0, 500)],
    );
    if (event.tries === ALERT_AT)
      await db.query(`select private.audit(null, 'alert', 'webhook', $1, $2::jsonb)`, [
        event.event_id,
        { type: event.type, reason: reasonOf(error).slice(0, 200) },
      ]);
    return false;
  }
  await db.query(
    `update private.webhook_inbox set handled_at = $2::timestamptz, last_error = null where provider = 'stripe' and event_id = $1`,
    [event.event_id, clock()],
  );
  return true;
}

async function act(context: PaymentContext, event: Stored): Promise<void> {
  try {
    if (SESSION_EVENTS.test(event.type)) await settlePayment(context, event.object_id);
    else if (INTENT_EVENTS.test(event.type) && event.payment_intent_id !== null)
      await settleIntent(context, event.payment_intent_id);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    // From another program on the same account: nothing to do.
    context.log.warn({ event: event.event_id, object: event.object_id }, 'ignored an event for an unknown payment');
  }
}
