import type { JsonObject } from '#database/types.ts';
import type { Queryable } from '#server/db/database.ts';
import { callSql } from './call-sql.ts';

/** An entry of the audit log. `actor` is the account that acted, or null for the server. `id` identifies the resource. */
type AuditEntry = {
  readonly actor: string | null;
  readonly action: string;
  readonly resource: string;
  readonly id: string | null;
  readonly details?: JsonObject;
};

/** Adds an entry to the audit log, in the transaction of the action it describes. */
export async function recordAudit(
  db: Queryable,
  { actor, action, resource, id, details = {} }: AuditEntry,
): Promise<void> {
  await callSql(db, 'audit', {
    p_actor: actor,
    p_action: action,
    p_resource_type: resource,
    p_resource_id: id,
    p_details: details,
  });
}

export type FoundBooking = { readonly id: string; readonly reference: string };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Finds the booking that one of these ids belongs to. The ids may be those of a booking, its reference, a payment, a partial refund, or a
 * session or payment at the provider. A hold of new hours leads to the booking that moves. Null if no booking is found.
 */
export async function findBooking(db: Queryable, ids: readonly string[]): Promise<FoundBooking | null> {
  if (ids.length === 0) return null;
  return db.queryRow<FoundBooking>(
    `select o.id, o.reference from private.booking b join private.booking o on o.id = coalesce(b.moves_booking, b.id)
     where b.id in (
       select x.id from private.booking x where x.id = any ($1::uuid[])
       union all select x.id from private.booking x where x.reference = any ($2::text[])
       union all select x.booking_id from private.payment x where x.id = any ($1::uuid[])
       union all select x.booking_id from private.payment x where x.session_id = any ($2::text[])
       union all select x.booking_id from private.payment x where x.payment_intent_id = any ($2::text[])
       union all select x.booking_id from private.partial_refund r join private.payment x on x.id = r.payment_id where r.id = any ($1::uuid[]))
     limit 1`,
    [ids.filter((id) => UUID.test(id)), ids],
  );
}

/** Records a failed call in the history of its booking, at most once an hour for the same failure. */
export async function recordFailedCall(
  db: Queryable,
  bookingId: string,
  call: { readonly operation: string; readonly code: string } & JsonObject,
  now: Date,
): Promise<void> {
  await db.query(
    `select private.audit(null, 'call_failed', 'booking', $1, $2::jsonb || jsonb_build_object('at', $3::timestamptz)) where not exists (
       select from public.audit_logs a where a.resource_type = 'booking' and a.resource_id = $1 and a.action = 'call_failed'
         and a.details ->> 'operation' = $2::jsonb ->> 'operation' and a.details ->> 'code' = $2::jsonb ->> 'code'
         and (a.details ->> 'at')::timestamptz > $3::timestamptz - interval '1 hour')`,
    [bookingId, call, now],
  );
}
