-- The idempotency key of a refund is made from its id, and what failed is counted from the refunds at the provider. Partial refunds that are
-- queued when this migration runs keep the key of their next attempt, because a request with it may be under way.
alter table private.partial_refund add column first_key text check (char_length(first_key) between 1 and 100);
comment on column private.partial_refund.first_key is
  'Key of the first attempt, for rows that were queued before 0117; otherwise it is "refund:" and the id.';
update private.partial_refund set first_key = 'refund:part:' || id || ':' || failures;
alter table private.partial_refund drop column failures;

create or replace function private.payment_json(x private.payment) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paidCents', x.paid_cents, 'refundedCents', x.refunded_cents,
    'disputeId', x.dispute_id, 'disputeStatus', x.dispute_status,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at, 'moveNumber', x.move_number,
    'card', x.card, 'cardAt', x.card_at, 'replacedUntil', x.replaced_until, 'shareOf', x.share_of)
$$;
alter table private.payment drop column refund_failures;
