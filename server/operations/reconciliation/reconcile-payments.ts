import type { PaymentSession } from '#server/providers/ports.ts';
import { getReason } from '../payments/provider-errors.ts';
import { getOutcome, type SessionOutcome } from '../payments/outcome.ts';
import { settlePayment } from '../payments/settle.ts';
import { handleDueEvents } from '../webhooks/handle-events.ts';
import { storeEvent } from '../webhooks/inbox.ts';
import type { Services } from '../core/services.ts';

const WINDOW_MS = 72 * 3_600_000;
/** Number of non-final payments that are compared per round. Each one is compared once an hour, or again after ten minutes if that failed. */
const NOT_FINAL_MAX = 50;
/** Handled events are kept for longer than the provider may repeat them. */
const KEPT_DAYS = 35;

type StoredPayment = {
  session_id: string;
  state: string;
  refunded: number;
  disputed: boolean;
};

/**
 * Recovers what lost webhooks should have reported: sessions and events of the last three days, and payments that are not final. Adds each
 * difference to the webhook inbox, which retries until it is handled. Returns the number of events handled now. A failing step does not
 * stop the others; its error is thrown at the end.
 */
export async function reconcilePayments(services: Services): Promise<number> {
  const { db, clock, log } = services;
  const since = new Date(clock().getTime() - WINDOW_MS);
  const steps = [
    ['sessions', () => findSessions(services, since)],
    ['events', () => findEvents(services, since)],
    ['payments that are not final', () => compareNotFinal(services)],
  ] as const;
  let failed: unknown = null;
  for (const [name, work] of steps) {
    try {
      await work();
    } catch (error) {
      failed = error;
      log.error(
        { part: name, reason: getReason(error) },
        'a part of the reconciliation failed; the next run repeats it',
      );
    }
  }
  await db.query(
    `delete from private.webhook_inbox where handled_at < $1::timestamptz - interval '${KEPT_DAYS} days'`,
    [clock()],
  );
  const handled = await handleDueEvents(services);
  // Throw only after the work is done, so that the caller tries again sooner.
  if (failed !== null) throw failed;
  return handled;
}

async function findSessions(services: Services, since: Date): Promise<void> {
  const sessions = (await services.payments.listSessions(since)).filter((session) => getOutcome(session) !== 'open');
  const { rows } = await services.db.query<StoredPayment>(
    `select p.session_id, p.state, p.dispute_id is not null as disputed,
       coalesce((select sum(r.amount_cents) from private.refund r
         where r.payment_id in (select x.id from private.payment x where x.id = p.id or x.share_of = p.id)
           and r.status not in ('failed', 'canceled')), 0)::int as refunded
     from private.payment p where p.session_id = any($1::text[]) and (p.share_of is null or p.share_of = p.id)`,
    [sessions.map((session) => session.id)],
  );
  const stored = new Map(rows.map((row) => [row.session_id, row]));
  for (const session of sessions) {
    if (!differs(session, stored.get(session.id))) continue;
    await storeEvent(services, {
      id: `reconcile:${session.id}:${session.status}:${session.paymentStatus}:${session.intentStatus ?? 'none'}:${session.refundedCents}:${session.disputed}`,
      type: 'reconcile.session',
      objectId: session.id,
      paymentIntentId: session.paymentIntentId,
      livemode: session.livemode,
    });
  }
}

/** Whether a payment's stored state already reflects an outcome. */
const SETTLED: Readonly<Record<Exclude<SessionOutcome, 'open'>, (state: string) => boolean>> = {
  paid: (state) => !['intent', 'open', 'processing', 'expired', 'failed'].includes(state),
  free: (state) => !['intent', 'open', 'processing'].includes(state),
  processing: (state) => state !== 'intent' && state !== 'open',
  failed: (state) => !['intent', 'open', 'processing'].includes(state),
  expired: (state) => state !== 'intent' && state !== 'open',
};

function differs(session: PaymentSession, stored: StoredPayment | undefined): boolean {
  const outcome = getOutcome(session);
  if (outcome === 'open') return false;
  if (stored === undefined) return outcome !== 'expired';
  return (
    !SETTLED[outcome](stored.state) ||
    stored.refunded !== session.refundedCents ||
    (session.disputed && !stored.disputed)
  );
}

async function findEvents(services: Services, since: Date): Promise<void> {
  const events = await services.payments.listEvents(since);
  const { rows } = await services.db.query<{ event_id: string }>(
    `select event_id from private.webhook_inbox where provider = $2 and event_id = any($1::text[])`,
    [events.map((event) => event.id), services.payments.provider],
  );
  const stored = new Set(rows.map((row) => row.event_id));
  for (const event of events) if (!stored.has(event.id)) await storeEvent(services, event);
}

async function compareNotFinal(services: Services): Promise<void> {
  const { db, clock, log } = services;
  const now = clock();
  const { rows } = await db.query<{ id: string; session_id: string }>(
    `select id, session_id from private.payment
     where state in ('processing', 'refund_pending', 'refund_failed', 'disputed') and session_id is not null
       and (checked_at is null or checked_at <= $1::timestamptz - interval '1 hour')
     order by checked_at nulls first limit ${NOT_FINAL_MAX}`,
    [now],
  );
  for (const row of rows) {
    const failed = await settlePayment(services, row.session_id).then(
      () => false,
      (error: unknown) => {
        log.error(
          { payment: row.id, reason: getReason(error) },
          'a payment could not be compared with the provider; the comparison is repeated later',
        );
        return true;
      },
    );
    await db.query(`update private.payment set checked_at = $2::timestamptz where id = $1::uuid`, [
      row.id,
      new Date(now.getTime() - (failed ? 50 * 60_000 : 0)),
    ]);
  }
}
