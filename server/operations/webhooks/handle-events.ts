import type { ProviderEvent } from '#server/providers/ports.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { settleHostedCheck } from '../identity/settle-hosted-check.ts';
import { getReason } from '../payments/provider-errors.ts';
import { settleIntent, settlePayment } from '../payments/settle.ts';
import type { CallServices, Services } from '../core/services.ts';
import { claimDueEvents, claimEvent, markHandled, postpone, storeEvent, type StoredEvent } from './inbox.ts';
import { recordAudit } from '../core/audit.ts';

/** Events about a checkout session, a payment intent or a hosted ID check. The state itself is always read from the provider. */
const SESSION_EVENTS =
  /^(checkout\.session\.(completed|expired|async_payment_succeeded|async_payment_failed)|reconcile\.session)$/;
const INTENT_EVENTS =
  /^(payment_intent\.(succeeded|payment_failed)|charge\.refunded|charge\.refund\.updated|refund\.(created|updated|failed)|charge\.dispute\.(created|updated|closed))$/;
const CHECK_EVENTS = /^identity\.verification_session\.(processing|verified|requires_input|canceled)$/;
/**
 * Refusals of a check that a later attempt would only repeat: the check is not ours, hosted checks are disabled, or the profile cannot be
 * compared yet.
 */
const CHECK_REFUSALS: readonly string[] = ['not_found', 'not_configured', 'invalid_request'];

const EVENTS_PER_ROUND = 50;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Number of failures after which staff are alerted. */
const ALERT_AT = 3;
const ALERT_REASON_MAX = 200;

/** Stores an event and handles it. If handling fails, the event stays stored and is retried. Idempotent. */
export async function acceptEvent(services: CallServices, event: ProviderEvent): Promise<void> {
  await storeEvent(services, event);
  failpoint('webhook.after.inbox');
  const stored = await claimEvent(services, event.id);
  if (stored !== null) await handle(services, stored, services.customerClass);
}

/** Handles stored events that are due, independently of each other. Returns how many succeeded. */
export async function handleDueEvents(services: Services): Promise<number> {
  let succeeded = 0;
  for (const event of await claimDueEvents(services, EVENTS_PER_ROUND))
    if (await handle(services, event, services)) succeeded += 1;
  return succeeded;
}

/** Handles an event. `checks`: the services for hosted ID checks. Returns false if it failed and will be retried. */
async function handle(services: Services, event: StoredEvent, checks: Services): Promise<boolean> {
  const { db, clock, log } = services;
  try {
    await settle(services, event, checks);
  } catch (error) {
    const reason = getReason(error);
    log.error({ event: event.id, tries: event.tries, reason }, 'a webhook could not be handled and will be retried');
    const wait = Math.min(2 ** event.tries * 1000, LONGEST_WAIT_MS);
    await postpone(services, event, { nextTryAt: new Date(clock().getTime() + wait), reason });
    if (event.tries === ALERT_AT)
      await recordAudit(db, {
        actor: null,
        action: 'alert',
        resource: 'webhook',
        id: event.id,
        details: { type: event.type, reason: reason.slice(0, ALERT_REASON_MAX) },
      });
    return false;
  }
  await markHandled(services, event);
  return true;
}

/** Settles the object of an event. Ignores other events, and payments and checks of other programs on the same account. */
async function settle(services: Services, event: StoredEvent, checks: Services): Promise<void> {
  try {
    if (SESSION_EVENTS.test(event.type)) await settlePayment(services, event.objectId);
    else if (INTENT_EVENTS.test(event.type) && event.paymentIntentId !== null)
      await settleIntent(services, event.paymentIntentId);
    else if (CHECK_EVENTS.test(event.type)) await settleHostedCheck(checks, event.objectId);
  } catch (error) {
    const ignored = CHECK_EVENTS.test(event.type) ? CHECK_REFUSALS : ['not_found'];
    if (!(error instanceof Refusal) || !ignored.includes(error.code)) throw error;
    services.log.warn(
      { event: event.id, object: event.objectId, reason: error.code },
      'a webhook was ignored because nothing here belongs to it',
    );
  }
}
