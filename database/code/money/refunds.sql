-- Returns how much of a payment staff can still refund, in cents: what was taken, less the refunds that people made
-- at the provider, less the partial refunds.
create or replace function private.refundable_cents(p_payment uuid)
returns integer language sql stable set search_path = '' as $$
  select greatest(0, coalesce(p.paid_cents, p.amount_cents)
    - (select coalesce(sum(r.amount_cents), 0) from private.refund r
       where r.payment_id = p.id and not r.ours and r.status not in ('failed', 'canceled'))
    - (select coalesce(sum(x.amount_cents), 0) from private.partial_refund x
       where x.payment_id = p.id and x.state <> 'covered'))::integer
  from private.payment p
  where p.id = p_payment
$$;

-- Ensures that partial refunds never exceed what was paid, and freezes their amount. Applies to payments by card and
-- to payments made elsewhere. Raises 23514. Partial refunds of one payment wait for each other at the row of the
-- payment; under an isolation level other than read committed the sum would come from an older snapshot, so that
-- raises 25001.
create or replace function private.limit_partial_refund()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    if (new.payment_id, new.request_key, new.amount_cents)
        is distinct from (old.payment_id, old.request_key, old.amount_cents)
      or (old.state = 'covered' and new.state <> 'covered')
    then
      raise exception 'the amount of a refund is frozen'
        using errcode = '23514', constraint = 'partial_refund_frozen';
    end if;
    return new;
  end if;
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'refunds are made in read committed transactions' using errcode = '25001';
  end if;
  perform from private.payment p
  where p.id = new.payment_id and p.kind <> 'free' and p.state in ('paid', 'disputed') for update;
  if not found or new.amount_cents > private.refundable_cents(new.payment_id) then
    raise exception 'more than what is left of the payment'
      using errcode = '23514', constraint = 'partial_refund_within_payment';
  end if;
  return new;
end
$$;

create trigger partial_refund_limit before insert or update on private.partial_refund
  for each row execute function private.limit_partial_refund();

create trigger partial_refund_updated_at before update on private.partial_refund
  for each row execute function private.set_updated_at();

-- Records that staff gave a partial refund back by hand, which they confirm by closing its job. For a payment made
-- elsewhere, the amount counts as refunded from then on. Idempotent.
create or replace function private.refund_by_hand(p_part uuid, p_now timestamptz)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_paid private.payment;
  v_part private.partial_refund;
begin
  select p.* into v_paid
  from private.payment p join private.partial_refund x on x.payment_id = p.id
  where x.id = p_part for update of p;
  update private.partial_refund x set state = case v_paid.kind when 'elsewhere' then 'done' else 'manual' end
  where x.id = p_part and x.state = 'pending'
  returning x.* into v_part;
  if v_part.id is null or v_paid.kind <> 'elsewhere' then return; end if;
  insert into private.refund (id, payment_id, amount_cents, status, ours, created_at)
  values ('hand_' || v_part.id, v_paid.id, v_part.amount_cents, 'succeeded', true, p_now);
  update private.payment p
  set refunded_cents = p.refunded_cents + v_part.amount_cents, refund_id = 'hand_' || v_part.id,
    refund_reason = 'staff',
    state = case when p.refunded_cents + v_part.amount_cents >= p.paid_cents then 'refunded' else p.state end
  where p.id = v_paid.id;
end
$$;

-- Returns how far a refund has come, as a rank of its status. A refund never goes back to a lower rank: if two
-- answers of the provider arrive in the wrong order, the later state stays.
create or replace function private.refund_rank(status text)
returns integer language sql immutable set search_path = '' as $$
  select pg_catalog.array_position(array['pending', 'requires_action', 'succeeded', 'canceled', 'failed'], status)
$$;

create trigger refund_updated_at before update on private.refund
  for each row execute function private.set_updated_at();
