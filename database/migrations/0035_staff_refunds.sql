-- What staff decide about the money of a booking. A refund of all that is left uses the states of the payment; a partial refund has its own
-- row here, and the payment stays paid.

create table private.cancellation (
  booking_id uuid primary key references private.booking (id),
  refund text not null check (refund in ('full', 'part', 'none')),
  -- What goes back because of it. 0 for the full refund of a disputed payment: that one is due when the bank decides for us.
  refund_cents integer not null check (refund_cents >= 0),
  reason text not null check (char_length(reason) between 1 and 500),
  actor uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint cancellation_refund check (case refund when 'none' then refund_cents = 0 when 'part' then refund_cents > 0 else true end)
);
alter table private.cancellation enable row level security, force row level security;

create table private.partial_refund (
  id uuid primary key default gen_random_uuid(),
  payment_id uuid not null references private.payment (id),
  -- The same request makes one refund.
  request_key text not null check (char_length(request_key) between 1 and 600),
  amount_cents integer not null check (amount_cents > 0),
  reason text not null check (char_length(reason) between 1 and 500),
  actor uuid not null,
  -- pending: due, or on its way. done: it arrived. covered: the money went back otherwise, so nothing is sent. manual: staff settled it themselves.
  state text not null default 'pending' check (state in ('pending', 'done', 'covered', 'manual')),
  -- Tries that failed: the next one has a new key.
  failures integer not null default 0 check (failures >= 0),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (payment_id, request_key)
);
alter table private.partial_refund enable row level security, force row level security;
create trigger partial_refund_updated_at before update on private.partial_refund for each row execute function private.set_updated_at();

-- What staff can still refund of a payment, in cents: what was taken, less what people refunded at the provider and the partial refunds.
create function private.refundable_cents(p_payment uuid) returns integer language sql stable set search_path = '' as $$
  select greatest(0, coalesce(p.paid_cents, p.amount_cents)
    - (select coalesce(sum(r.amount_cents), 0) from private.refund r
       where r.payment_id = p.id and not r.ours and r.status not in ('failed', 'canceled'))
    - (select coalesce(sum(x.amount_cents), 0) from private.partial_refund x where x.payment_id = p.id and x.state <> 'covered'))::integer
  from private.payment p where p.id = p_payment
$$;

-- Never refunds more than was paid. Partial refunds of one payment wait for each other at its row; in another isolation level than read
-- committed the sum would be an older one.
create function private.limit_partial_refund() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    if (new.payment_id, new.request_key, new.amount_cents) is distinct from (old.payment_id, old.request_key, old.amount_cents)
       or (old.state = 'covered' and new.state <> 'covered') then
      raise exception 'the amount of a refund is frozen' using errcode = '23514', constraint = 'partial_refund_frozen';
    end if;
    return new;
  end if;
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'refunds are made in read committed transactions' using errcode = '25001';
  end if;
  perform from private.payment p where p.id = new.payment_id and p.kind = 'card' and p.state in ('paid', 'disputed') for update;
  if not found or new.amount_cents > private.refundable_cents(new.payment_id) then
    raise exception 'more than what is left of the payment' using errcode = '23514', constraint = 'partial_refund_within_payment';
  end if;
  return new;
end
$$;
create trigger partial_refund_limit before insert or update on private.partial_refund
  for each row execute function private.limit_partial_refund();
revoke execute on function private.limit_partial_refund() from public;

-- As before, with partial refunds.
create or replace function public.retry_job(job uuid) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  open private.outbox;
begin
  perform private.require_permission(coalesce((select 'money' from private.outbox o where o.id = retry_job.job and o.kind like 'payment.%'), 'bookings'));
  update private.outbox o set due_at = least(o.due_at, pg_catalog.now()), closed_at = null, closed_by = null, close_reason = null
  where o.id = retry_job.job and o.done_at is null
  returning o.* into open;
  if not found then return false; end if;
  if open.kind = 'payment.refund' then
    update private.payment p set state = 'refund_pending' where p.id = open.subject_id and p.state = 'refund_manual';
  elsif open.kind = 'payment.partial-refund' then
    update private.partial_refund x set state = 'pending' where x.id = open.subject_id and x.state = 'manual';
  end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text, pg_catalog.jsonb_build_object('kind', open.kind, 'by_hand', 'retry'));
  return true;
end
$$;

create or replace function public.close_job(job uuid, reason text) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  why constant text := pg_catalog.btrim(coalesce(reason, ''));
  closed private.outbox;
begin
  perform private.require_permission(coalesce((select 'money' from private.outbox o where o.id = close_job.job and o.kind like 'payment.%'), 'bookings'));
  if pg_catalog.length(why) not between 3 and 500 then
    raise exception 'a reason of 3 to 500 characters is needed' using errcode = '22023';
  end if;
  update private.outbox o set closed_at = pg_catalog.now(), closed_by = auth.uid(), close_reason = why, notified_at = pg_catalog.now()
  where o.id = close_job.job and o.done_at is null and o.closed_at is null
  returning o.* into closed;
  if not found then return false; end if;
  if closed.kind = 'payment.refund' then
    update private.payment p set state = 'refund_manual' where p.id = closed.subject_id and p.state in ('refund_pending', 'refund_failed');
  elsif closed.kind = 'payment.partial-refund' then
    update private.partial_refund x set state = 'manual' where x.id = closed.subject_id and x.state = 'pending';
  end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text,
    pg_catalog.jsonb_build_object('kind', closed.kind, 'by_hand', 'close', 'reason', why));
  return true;
end
$$;
