-- Payments, refunds and disputes, each recorded as the payment provider reports it. A row is written before every call to the provider, with
-- the idempotency key of that call.

create table private.payment (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references private.booking (id),
  attempt integer not null check (attempt > 0),
  kind text not null check (kind in ('card', 'free')),
  -- processing: the customer has finished, the money takes days (bank debit), and the booking stays held.
  -- failed: such a payment did not arrive; nothing was taken.
  -- refund_manual: staff settled the refund themselves.
  -- dispute_lost: the money went back through the customer's bank.
  state text not null default 'intent' check (state in
    ('intent', 'open', 'processing', 'failed', 'expired', 'paid', 'refund_pending', 'refunded', 'refund_failed', 'refund_manual',
     'disputed', 'dispute_lost')),
  -- Idempotency key of the call that creates the session; new with each attempt.
  key text not null unique,
  session_id text unique,
  url text,
  session_expires_at timestamptz,
  payment_intent_id text,
  amount_cents integer not null check (amount_cents >= 0),
  currency text not null default 'aud' check (currency = 'aud'),
  -- What was taken, which is what can be refunded. Differs from amount_cents only where the amount did not match.
  paid_cents integer check (paid_cents >= 0),
  -- The sum of refunds that succeeded, whoever made them.
  refunded_cents integer not null default 0 check (refunded_cents >= 0),
  -- Refunds that failed and were handled: the next one has a new key.
  refund_failures integer not null default 0 check (refund_failures >= 0),
  refund_id text,
  refund_reason text,
  dispute_id text,
  dispute_status text check (dispute_status in ('open', 'won', 'lost')),
  -- When reconciliation last compared a payment that is not final with the provider.
  checked_at timestamptz,
  processing_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (booking_id, attempt),
  constraint payment_free_costs_nothing check (kind = 'card' or amount_cents = 0),
  constraint payment_dispute check ((dispute_id is null) = (dispute_status is null))
);
-- A booking has one open session and one payment whose money we have.
create unique index payment_one_open on private.payment (booking_id) where state in ('intent', 'open', 'processing');
create unique index payment_one_paid on private.payment (booking_id) where state in ('paid', 'disputed');
create index payment_by_intent on private.payment (payment_intent_id) where payment_intent_id is not null;
create index payment_to_check on private.payment (checked_at nulls first)
  where state in ('processing', 'refund_pending', 'refund_failed', 'disputed');
create index payment_to_refund on private.payment (updated_at) where state in ('refund_pending', 'refund_failed');
alter table private.payment enable row level security, force row level security;
grant select on private.payment to booking_reader;
create trigger payment_updated_at before update on private.payment for each row execute function private.set_updated_at();

-- Allows only the transitions of a payment, and freezes what it is for.
create function private.payment_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.state <> new.state and (old.state, new.state) not in (
    ('intent', 'open'), ('intent', 'processing'), ('intent', 'failed'), ('intent', 'expired'), ('intent', 'paid'), ('intent', 'refund_pending'),
    ('open', 'processing'), ('open', 'failed'), ('open', 'expired'), ('open', 'paid'), ('open', 'refund_pending'),
    ('processing', 'paid'), ('processing', 'failed'), ('processing', 'refund_pending'),
    -- An expired session that was paid after all is refunded.
    ('expired', 'processing'), ('expired', 'failed'), ('expired', 'refund_pending'), ('failed', 'refund_pending'),
    ('paid', 'refund_pending'), ('paid', 'refunded'), ('paid', 'disputed'), ('paid', 'dispute_lost'),
    ('disputed', 'paid'), ('disputed', 'dispute_lost'), ('disputed', 'refund_pending'), ('disputed', 'refunded'),
    ('dispute_lost', 'paid'), ('dispute_lost', 'disputed'), ('dispute_lost', 'refund_pending'),
    ('refund_pending', 'refunded'), ('refund_pending', 'refund_failed'), ('refund_pending', 'dispute_lost'),
    ('refunded', 'refund_failed'),
    ('refund_failed', 'refund_pending'), ('refund_failed', 'refund_manual'), ('refund_failed', 'refunded'), ('refund_failed', 'dispute_lost'),
    ('refund_pending', 'refund_manual'), ('refund_manual', 'refund_pending')) then
    raise exception 'a payment cannot go from % to %', old.state, new.state using errcode = '23514', constraint = 'payment_transition';
  end if;
  if (new.booking_id, new.amount_cents, new.currency, new.kind, new.key) is distinct from (old.booking_id, old.amount_cents, old.currency, old.kind, old.key) then
    raise exception 'what a payment is for is frozen' using errcode = '23514', constraint = 'payment_frozen';
  end if;
  return new;
end
$$;
create trigger payment_transition before update on private.payment for each row execute function private.payment_transition();

-- A booking that is confirmed when the transaction ends has been paid. Money that the customer's bank took back later had been paid.
create function private.require_payment() returns trigger language plpgsql security definer set search_path = '' as $$
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
create constraint trigger booking_confirmed_is_paid after insert or update of status on private.booking
  deferrable initially deferred for each row execute function private.require_payment();

-- A payment as the server reads it.
create function private.payment_json(x private.payment) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paidCents', x.paid_cents, 'refundedCents', x.refunded_cents, 'refundFailures', x.refund_failures,
    'disputeId', x.dispute_id, 'disputeStatus', x.dispute_status,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at)
$$;

-- Whether the customer has paid in a way that takes days: such a booking is no unpaid hold.
create function private.payment_is_processing(p_booking uuid) returns boolean language sql stable set search_path = '' as $$
  select exists (select from private.payment x where x.booking_id = p_booking and x.state = 'processing')
$$;

-- Adds the next attempt to pay, after the provider was found to have no session of the one before. Returns null when the booking no longer waits
-- for payment, and the attempt that is already under way when there is one.
create function private.next_payment_attempt(p_payment uuid, p_now timestamptz, p_expires timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  held private.booking;
  before private.payment;
  next private.payment;
begin
  select b.* into held from private.booking b join private.payment x on x.booking_id = b.id where x.id = p_payment for update of b;
  if held.id is null or held.status <> 'pending' then return null; end if;
  select * into before from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1 for update;
  if before.id <> p_payment or before.state <> 'intent' then
    return case when before.state in ('intent', 'open') then private.payment_json(before) end;
  end if;
  update private.payment set state = 'expired' where id = before.id;
  insert into private.payment (booking_id, attempt, kind, key, amount_cents, session_expires_at, created_at)
  values (held.id, before.attempt + 1, before.kind, 'create:' || held.id || ':' || (before.attempt + 1), before.amount_cents, p_expires, p_now)
  returning * into next;
  return private.payment_json(next);
end
$$;

-- Every refund that the provider knows of, made by us or on its dashboard.
create table private.refund (
  id text primary key,
  payment_id uuid not null references private.payment (id),
  amount_cents integer not null check (amount_cents > 0),
  status text not null check (status in ('pending', 'requires_action', 'succeeded', 'canceled', 'failed')),
  -- False: a person made it at the provider.
  ours boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index refund_by_payment on private.refund (payment_id);
alter table private.refund enable row level security, force row level security;
create trigger refund_updated_at before update on private.refund for each row execute function private.set_updated_at();

-- How far a refund has come. It never goes back: of two answers that arrive in the wrong order, the later state stays.
create function private.refund_rank(status text) returns integer language sql immutable set search_path = '' as $$
  select pg_catalog.array_position(array['pending', 'requires_action', 'succeeded', 'canceled', 'failed'], status)
$$;

-- The state of the caller's payments and the money given back. The barrier applies the owner's condition before any filter of the caller.
create view public.booking_payments with (security_barrier = true) as
select p.booking_id, p.state, (p.amount_cents / 100.0)::numeric(10, 2) as amount,
  (p.refunded_cents / 100.0)::numeric(10, 2) as refunded, p.created_at, p.updated_at
from private.payment p
join private.booking b on b.id = p.booking_id
where b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role';
alter view public.booking_payments owner to booking_reader;
revoke all on public.booking_payments from service_role;
grant select on public.booking_payments to authenticated, service_role, backend;

-- Events of the payment provider. They are stored first and then looked up at the provider: their content is not trusted. What reconciliation
-- finds missing is stored here too, under an id made from what it saw.
create table private.webhook_inbox (
  provider text not null,
  event_id text not null,
  type text not null,
  object_id text not null,
  payment_intent_id text,
  livemode boolean,
  tries integer not null default 0,
  next_try_at timestamptz,
  last_error text,
  received_at timestamptz not null default clock_timestamp(),
  handled_at timestamptz,
  primary key (provider, event_id)
);
create index webhook_inbox_waiting on private.webhook_inbox (next_try_at nulls first) where handled_at is null;
alter table private.webhook_inbox enable row level security, force row level security;

-- Claims up to p_limit due events for a minute each.
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
