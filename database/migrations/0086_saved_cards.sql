-- Cards that customers save at the payment provider, and payments with one tap.

-- The customer of the provider that an account has. Cards are there and never here.
create table private.provider_customer (
  user_id uuid primary key references auth.users (id) on delete cascade,
  customer_id text not null unique,
  -- As the provider has it; null before the first time.
  email text,
  created_at timestamptz not null default clock_timestamp()
);
alter table private.provider_customer enable row level security, force row level security;

-- The provider forgets the customer and the cards when the account ends, whoever ends it.
create function private.forget_provider_customer() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
  values ('payment.forget-customer', old.user_id, old.customer_id, pg_catalog.jsonb_build_object('customerId', old.customer_id), pg_catalog.clock_timestamp())
  on conflict do nothing;
  return null;
end
$$;
create trigger provider_customer_forgotten after delete on private.provider_customer for each row execute function private.forget_provider_customer();
revoke execute on function private.forget_provider_customer() from public;

alter table private.payment
  -- The saved card that an attempt takes the money from; null: it is paid on the pay page.
  add column card text constraint payment_card check (card is null or card <> '' and kind = 'card'),
  -- When the provider was last asked to take it. Nothing else may take the money until that call has ended.
  add column card_at timestamptz,
  -- Until then another attempt of the same booking takes the place of this one, whose session ends: that ends no hold.
  add column replaced_until timestamptz;

-- As before, with the card.
create or replace function private.payment_json(x private.payment) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paidCents', x.paid_cents, 'refundedCents', x.refunded_cents, 'refundFailures', x.refund_failures,
    'disputeId', x.dispute_id, 'disputeStatus', x.dispute_status,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at, 'moveNumber', x.move_number,
    'card', x.card, 'cardAt', x.card_at, 'replacedUntil', x.replaced_until)
$$;

-- Begins to replace an attempt of a hold: from now its session ends no hold. Returns the attempt as it is; null when it is not the last one, or is paid or over.
create function private.begin_replacing(p_payment uuid, p_until timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  held private.booking;
  last private.payment;
begin
  select b.* into held from private.booking b join private.payment x on x.booking_id = b.id where x.id = p_payment for update of b;
  if held.id is null or held.status <> 'pending' then return null; end if;
  select x.* into last from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1 for update;
  if last.id <> p_payment or last.state not in ('intent', 'open') then return null; end if;
  update private.payment x set replaced_until = p_until where x.id = last.id;
  return private.payment_json(last);
end
$$;

-- Adds the attempt that takes the place of one that nobody can pay any more: with a saved card, or (p_card null) on the pay page. Returns the newest attempt;
-- null when the hold is over or somebody paid.
create function private.replace_attempt(p_payment uuid, p_card text, p_now timestamptz, p_expires timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  held private.booking;
  last private.payment;
  next private.payment;
begin
  select b.* into held from private.booking b join private.payment x on x.booking_id = b.id where x.id = p_payment for update of b;
  if held.id is null or held.status <> 'pending' then return null; end if;
  select x.* into last from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1 for update;
  if last.id <> p_payment then return case when last.state in ('intent', 'open') then private.payment_json(last) end; end if;
  if last.state not in ('intent', 'open', 'expired') then return null; end if;
  update private.payment x set state = 'expired' where x.id = last.id;
  insert into private.payment (booking_id, attempt, kind, key, amount_cents, session_expires_at, created_at, card)
  values (held.id, last.attempt + 1, last.kind, 'create:' || held.id || ':' || (last.attempt + 1), last.amount_cents, p_expires, p_now, p_card)
  returning * into next;
  return private.payment_json(next);
end
$$;

-- Says that the provider is asked now to take the money of an attempt from its card. Returns false when the attempt has been replaced or has ended.
create function private.begin_card_payment(p_payment uuid, p_now timestamptz) returns boolean language sql volatile set search_path = '' as $$
  with begun as (
    update private.payment x set card_at = p_now from private.booking b
    where x.id = p_payment and b.id = x.booking_id and b.status = 'pending' and x.state = 'intent' and x.session_id is null and x.card is not null
      and (x.replaced_until is null or x.replaced_until <= p_now)
    returning 1
  )
  select exists (select from begun)
$$;
