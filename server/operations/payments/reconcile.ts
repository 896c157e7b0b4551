import type { PaymentSession } from '#server/providers/ports.ts';
import { drainWebhooks, rememberEvent } from '../webhooks.ts';
import { type PaymentContext, reasonOf } from './context.ts';
import { outcomeOf, type SessionOutcome } from './outcome.ts';
import { settlePayment } from './settle.ts';

const WINDOW_MS = 72 * 3_600_000;
/** Payments that are not final are compared once an hour, so many in a round; one that could not be, again after ten minutes. */
const NOT_FINAL_MAX = 50;
/** Handled events are kept as long as the provider may repeat them, and then some. */
const KEPT_DAYS = 35;

type Known = {
  session_id: string;
  state: string;
  given_back: number;
  disputed: boolean;
};

/**
 * Finds what webhooks should have told and did not: sessions and events of the last three days, and every payment that is not final.
 * What differs goes into the inbox of webhooks and is handled from there until it is done. Answers how many were handled now. Throws when a
 * part failed, after the others.
 */
export async function reconcilePayments(context: PaymentContext): Promise<number> {
  const { db, clock, log } = context;
  const since = new Date(clock().getTime() - WINDOW_MS);
  const parts = [
    ['sessions', () => findSessions(context, since)],
    ['events', () => findEvents(context, since)],
    ['payments that are not final', () => compareNotFinal(context)],
  ] as const;
  let failed: unknown = null;
  for (const [name, work] of parts) {
    try {
      await work();
    } catch (error) {
      failed = error;
      log.error({ part: name, reason: reasonOf(error) }, 'a part of reconciliation failed');
    }
  }
  await db.query(
    `delete from private.webhook_inbox where handled_at < $1::timestamptz - interval '${KEPT_DAYS} days'`,
    [clock()],
  );
  const handled = await drainWebhooks(context);
  // Told only now: what could be found is handled, and the caller asks again sooner.
  if (failed !== null) throw failed;
  return handled;
}

async function findSessions(context: PaymentContext, since: Date): Promise<void> {
  const sessions = (await context.payments.listSessions(since)).filter((one) => outcomeOf(one) !== 'open');
  const { rows } = await context.db.query<Known>(
    `select p.session_id, p.state, p.dispute_id is not null as disputed,
       coalesce((select sum(r.amount_cents) from private.refund r
         where r.payment_id = p.id and r.status not in ('failed', 'canceled')), 0)::int as given_back
     from private.payment p where p.session_id = any($1::text[])`,
    [sessions.map((session) => session.id)],
  );
  const known = new Map(rows.map((row) => [row.session_id, row]));
  for (const session of sessions) {
    if (!differs(session, known.get(session.id))) continue;
    await rememberEvent(context, {
      id: `reconcile:${session.id}:${session.status}:${session.paymentStatus}:${session.intentStatus ?? 'none'}:${session.refundedCents}:${session.disputed}`,
      type: 'reconcile.session',
      objectId: session.id,
      paymentIntentId: session.paymentIntentId,
      livemode: session.livemode,
    });
  }
}

/** States of a payment in which an outcome is already dealt with. */
const SETTLED: Readonly<Record<Exclude<SessionOutcome, 'open'>, (state: string) => boolean>> = {
  paid: (state) => !['intent', 'open', 'processing', 'expired', 'failed'].includes(state),
  free: (state) => !['intent', 'open', 'processing'].includes(state),
  processing: (state) => state !== 'intent' && state !== 'open',
  failed: (state) => !['intent', 'open', 'processing'].includes(state),
  expired: (state) => state !== 'intent' && state !== 'open',
};

function differs(session: PaymentSession, known: Known | undefined): boolean {
  const outcome = outcomeOf(session);
  if (outcome === 'open') return false;
  if (known === undefined) return outcome !== 'expired';
  return (
    !SETTLED[outcome](known.state) ||
    known.given_back !== session.refundedCents ||
    (session.disputed && !known.disputed)
  );
}

async function findEvents(context: PaymentContext, since: Date): Promise<void> {
  const events = await context.payments.listEvents(since);
  const { rows } = await context.db.query<{ event_id: string }>(
    `select event_id from private.webhook_inbox where provider = 'stripe' and event_id = any($1::text[])`,
    [events.map((event) => event.id)],
  );
  const known = new Set(rows.map((row) => row.event_id));
  for (const event of events) if (!known.has(event.id)) await rememberEvent(context, event);
}

async function compareNotFinal(context: PaymentContext): Promise<void> {
  const { db, clock, log } = context;
  const now = clock();
  const { rows } = await db.query<{ id: string; session_id: string }>(
    `select id, session_id from private.payment
     where state in ('processing', 'refund_pending', 'refund_failed', 'disputed') and session_id is not null
       and (checked_at is null or checked_at <= $1::timestamptz - interval '1 hour')
     order by checked_at nulls first limit ${NOT_FINAL_MAX}`,
    [now],
  );
  for (const row of rows) {
    const failed = await settlePayment(context, row.session_id).then(
      () => false,
      (error: unknown) => {
        log.error({ payment: row.id, reason: reasonOf(error) }, 'a payment could not be compared with the provider');
        return true;
      },
    );
    await db.query(`update private.payment set checked_at = $2::timestamptz where id = $1::uuid`, [
      row.id,
      new Date(now.getTime() - (failed ? 50 * 60_000 : 0)),
    ]);
  }
}
