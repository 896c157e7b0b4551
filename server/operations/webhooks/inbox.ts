import type { ProviderEvent } from '#server/providers/ports.ts';
import type { Services } from '../core/services.ts';

export type StoredEvent = {
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  readonly paymentIntentId: string | null;
  /** Number of attempts so far, including the current one. */
  readonly tries: number;
};

const COLUMNS = `event_id as id, type, object_id as "objectId", payment_intent_id as "paymentIntentId", tries`;
/** How long an event that arrived by webhook is reserved for its caller. */
const CLAIM_MS = 60_000;
const REASON_MAX = 500;

/** Stores an event. Idempotent. */
export async function storeEvent({ db, clock, payments }: Services, event: ProviderEvent): Promise<void> {
  await db.query(
    `insert into private.webhook_inbox (provider, event_id, type, object_id, payment_intent_id, livemode, received_at)
     values ($1, $2, $3, $4, $5, $6, $7::timestamptz) on conflict do nothing`,
    [payments.provider, event.id, event.type, event.objectId, event.paymentIntentId, event.livemode, clock()],
  );
}

/** Claims a stored event for a minute. Null if it has already been handled. */
export function claimEvent({ db, clock, payments }: Services, eventId: string): Promise<StoredEvent | null> {
  return db.queryRow<StoredEvent>(
    `update private.webhook_inbox set tries = tries + 1, next_try_at = $2::timestamptz
     where provider = $3 and event_id = $1 and handled_at is null returning ${COLUMNS}`,
    [eventId, new Date(clock().getTime() + CLAIM_MS), payments.provider],
  );
}

/** Claims up to `max` events that are due. */
export async function claimDueEvents({ db, clock }: Services, max: number): Promise<readonly StoredEvent[]> {
  const { rows } = await db.query<StoredEvent>(`select ${COLUMNS} from private.claim_webhooks($1::timestamptz, $2)`, [
    clock(),
    max,
  ]);
  return rows;
}

export async function markHandled({ db, clock, payments }: Services, event: StoredEvent): Promise<void> {
  await db.query(
    `update private.webhook_inbox set handled_at = $2::timestamptz, last_error = null where provider = $3 and event_id = $1`,
    [event.id, clock(), payments.provider],
  );
}

/** Records why an event failed and when to retry it. */
export async function postpone(
  { db, payments }: Services,
  event: StoredEvent,
  { nextTryAt, reason }: { nextTryAt: Date; reason: string },
): Promise<void> {
  await db.query(
    `update private.webhook_inbox set next_try_at = $2::timestamptz, last_error = $3 where provider = $4 and event_id = $1`,
    [event.id, nextTryAt, reason.slice(0, REASON_MAX), payments.provider],
  );
}
