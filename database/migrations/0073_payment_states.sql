-- Delayed payments, refunds and disputes, each recorded as what the payment provider says it is.
--
-- processing: the customer has finished paying, the money takes days (bank debit); the booking stays held.
-- failed: such a payment did not arrive; nothing was taken.
-- dispute_lost: the money went back through the customer's bank.

alter table private.payment drop constraint payment_state_check;
alter table private.payment add constraint payment_state_check check (state in
  ('intent', 'open', 'processing', 'failed', 'expired', 'paid', 'refund_pending', 'refunded', 'refund_failed', 'refund_manual',
   'disputed', 'dispute_lost'));
alter table private.payment
  add column processing_at timestamptz,
  -- What was really taken, which is what can be given back; differs from amount_cents only where the amount did not match.
  add column paid_cents integer check (paid_cents >= 0),
  -- The sum of refunds that succeeded, whoever made them.
  add column refunded_cents integer not null default 0 check (refunded_cents >= 0),
  -- Refunds that failed and were acted on: the next try has a key of its own.
  add column refund_failures integer not null default 0 check (refund_failures >= 0),
  add column dispute_id text,
  add column dispute_status text check (dispute_status in ('open', 'won', 'lost')),
  -- When reconciliation last compared a payment that is not final with the provider.
  add column checked_at timestamptz,
  add constraint payment_dispute check ((dispute_id is null) = (dispute_status is null));

-- A payment that is being processed is open: a booking has one.
drop index private.payment_one_open;
create unique index payment_one_open on private.payment (booking_id) where state in ('intent', 'open', 'processing');
create index payment_by_intent on private.payment (payment_intent_id) where payment_intent_id is not null;
create index payment_to_check on private.payment (checked_at nulls first)
  where state in ('processing', 'refund_pending', 'refund_failed', 'disputed');

-- Every refund the provider knows of, made by us or on its dashboard.
create table private.refund (
  id text primary key,
  payment_id uuid not null references private.payment (id),
  amount_cents integer not null check (amount_cents > 0),
  status text not null check (status in ('pending', 'requires_action', 'succeeded', 'canceled', 'failed')),
  -- False: made at the provider, by a person.
  ours boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index refund_by_payment on private.refund (payment_id);
alter table private.refund enable row level security;
alter table private.refund force row level security;
create trigger refund_updated_at before update on private.refund for each row execute function private.set_updated_at();

-- How far a refund has come. A refund never goes back: two answers that overtake each other end with the later state.
create function private.refund_rank(status text) returns integer language sql immutable set search_path = '' as $$
  select pg_catalog.array_position(array['pending', 'requires_action', 'succeeded', 'canceled', 'failed'], status)
$$;

-- Refunds made before this table existed.
insert into private.refund (id, payment_id, amount_cents, status, ours)
select p.refund_id, p.id, p.amount_cents, case p.state when 'refunded' then 'succeeded' else 'failed' end, true
from private.payment p where p.refund_id is not null and p.amount_cents > 0 and p.state in ('refunded', 'refund_failed', 'refund_manual');
update private.payment set
  paid_cents = case when paid_at is not null then amount_cents end,
  refunded_cents = case when state = 'refunded' then amount_cents else 0 end,
  refund_failures = case when state in ('refund_failed', 'refund_manual') and refund_id is not null then 1 else 0 end;

create or replace function private.payment_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.state <> new.state and (old.state, new.state) not in (
    ('intent', 'open'), ('intent', 'processing'), ('intent', 'failed'), ('intent', 'expired'), ('intent', 'paid'), ('intent', 'refund_pending'),
    ('open', 'processing'), ('open', 'failed'), ('open', 'expired'), ('open', 'paid'), ('open', 'refund_pending'),
    ('processing', 'paid'), ('processing', 'failed'), ('processing', 'refund_pending'),
    -- A session we gave up on that turns out to be paid after all is refunded, never forgotten.
    ('expired', 'processing'), ('expired', 'failed'), ('expired', 'refund_pending'), ('failed', 'refund_pending'),
    ('paid', 'refund_pending'), ('paid', 'refunded'), ('paid', 'disputed'), ('paid', 'dispute_lost'),
    ('disputed', 'paid'), ('disputed', 'dispute_lost'), ('disputed', 'refund_pending'), ('disputed', 'refunded'),
    ('dispute_lost', 'paid'), ('dispute_lost', 'disputed'), ('dispute_lost', 'refund_pending'),
    ('refund_pending', 'refunded'), ('refund_pending', 'refund_failed'), ('refund_pending', 'dispute_lost'),
    ('refunded', 'refund_failed'),
    ('refund_failed', 'refund_pending'), ('refund_failed', 'refund_manual'), ('refund_failed', 'refunded'), ('refund_failed', 'dispute_lost')) then
    raise exception 'a payment cannot go from % to %', old.state, new.state using errcode = '23514', constraint = 'payment_transition';
  end if;
  if (new.booking_id, new.amount_cents, new.currency, new.kind, new.key) is distinct from (old.booking_id, old.amount_cents, old.currency, old.kind, old.key) then
    raise exception 'what a payment is for is frozen' using errcode = '23514', constraint = 'payment_frozen';
  end if;
  return new;
end
$$;

create or replace function private.payment_json(x private.payment) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paidCents', x.paid_cents, 'refundedCents', x.refunded_cents, 'refundFailures', x.refund_failures,
    'disputeId', x.dispute_id, 'disputeStatus', x.dispute_status,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at)
$$;

-- Events wait here until they are handled. What reconciliation finds missing waits here too, under an id it makes from what it saw.
alter table private.webhook_inbox
  add column payment_intent_id text,
  add column livemode boolean,
  add column tries integer not null default 0,
  add column next_try_at timestamptz,
  add column last_error text;
drop index private.webhook_inbox_waiting;
create index webhook_inbox_waiting on private.webhook_inbox (next_try_at nulls first) where handled_at is null;

-- Takes up to p_limit events that are due, for a minute each.
create function private.claim_webhooks(p_now timestamptz, p_limit integer) returns setof private.webhook_inbox
language sql volatile set search_path = '' as $$
  update private.webhook_inbox w set tries = w.tries + 1, next_try_at = p_now + interval '1 minute'
  where (w.provider, w.event_id) in (
    select x.provider, x.event_id from private.webhook_inbox x
    where x.handled_at is null and (x.next_try_at is null or x.next_try_at <= p_now)
    order by x.next_try_at nulls first limit p_limit for update skip locked
  )
  returning w.*
$$;

-- How one's own bookings are paid: the state and the money given back. Whose booking it is decides before any filter of the caller.
grant select on private.payment to booking_reader;
create view public.booking_payments with (security_barrier = true) as
select p.booking_id, p.state, (p.amount_cents / 100.0)::numeric(10, 2) as amount,
  (p.refunded_cents / 100.0)::numeric(10, 2) as refunded, p.created_at, p.updated_at
from private.payment p
join private.booking b on b.id = p.booking_id
where b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role';
alter view public.booking_payments owner to booking_reader;
revoke all on public.booking_payments from public, anon, authenticated, service_role;
grant select on public.booking_payments to authenticated, service_role, backend;

revoke all on function private.refund_rank(text), private.claim_webhooks(timestamptz, integer) from public;

-- As before, of the booking as it is when the transaction ends: one that was confirmed and cancelled in it needs no payment. Money that the
-- customer's bank took back later had been paid.
create or replace function private.require_payment() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if not exists (
    select from private.booking b where b.id = new.id and b.status = 'confirmed' and b.notes is distinct from 'test'
  ) then return null; end if;
  if not exists (
    select from private.payment p
    where p.booking_id = new.id and p.state in ('paid', 'disputed', 'dispute_lost') and p.amount_cents = new.final_cost_cents
  ) then
    raise exception 'booking % is not paid', new.id using errcode = '23514', constraint = 'booking_confirmed_is_paid';
  end if;
  return null;
end
$$;
