-- Adds the next attempt to pay for a hold, after the provider turned out to have no session for attempt `p_payment`.
-- For an order it adds the attempts of all its shares. Returns the new attempt; if another attempt is the newest one
-- already, returns that one while it can be paid, else null. Also null if the booking no longer waits for payment.
create or replace function private.next_payment_attempt(p_payment uuid, p_now timestamptz, p_expires timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_held private.booking;
  v_before private.payment;
  v_next private.payment;
begin
  select b.* into v_held
  from private.booking b join private.payment x on x.booking_id = b.id
  where x.id = p_payment for update of b;
  if v_held.id is null or v_held.status <> 'pending' then return null; end if;
  select * into v_before from private.payment x
  where x.booking_id = v_held.id order by x.attempt desc limit 1 for update;
  if v_before.id <> p_payment or v_before.state <> 'intent' then
    return case when v_before.state in ('intent', 'open') then private.payment_json(v_before) end;
  end if;
  perform from private.booking b where b.order_id = v_held.id order by b.order_place for update;
  update private.payment set state = 'expired' where id = v_before.id or share_of = v_before.id;
  insert into private.payment (
    id, share_of, booking_id, attempt, kind, key, amount_cents, session_expires_at, created_at)
  select n.id, case when v_before.share_of is not null then n.id end, v_held.id, v_before.attempt + 1, v_before.kind,
    'create:' || v_held.id || ':' || (v_before.attempt + 1), v_before.amount_cents, p_expires, p_now
  from (select pg_catalog.gen_random_uuid() as id) n
  returning * into v_next;
  insert into private.payment (booking_id, share_of, attempt, kind, key, amount_cents, session_expires_at, created_at)
  select x.booking_id, v_next.id, v_next.attempt, x.kind, 'create:' || x.booking_id || ':' || v_next.attempt,
    x.amount_cents, p_expires, p_now
  from private.payment x
  where x.share_of = v_before.id and x.id <> v_before.id;
  return private.payment_json(v_next);
end
$$;

-- Begins to replace an attempt to pay for a hold: until `p_until`, the end of the attempt's session does not end the
-- hold. Returns the attempt; null if it is not the newest one, has been paid or has ended.
create or replace function private.begin_replacing(p_payment uuid, p_until timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_held private.booking;
  v_last private.payment;
begin
  select b.* into v_held
  from private.booking b join private.payment x on x.booking_id = b.id
  where x.id = p_payment for update of b;
  if v_held.id is null or v_held.status <> 'pending' then return null; end if;
  select x.* into v_last from private.payment x
  where x.booking_id = v_held.id order by x.attempt desc limit 1 for update;
  if v_last.id <> p_payment or v_last.state not in ('intent', 'open') then return null; end if;
  update private.payment x set replaced_until = p_until where x.id = v_last.id;
  return private.payment_json(v_last);
end
$$;

-- Adds an attempt in place of attempt `p_payment`, which must have ended at the provider so that it cannot be paid:
-- with the saved card `p_card`, or on the pay page if that is null. Returns the newest attempt, which may be that of
-- a concurrent call; null if the hold is over or was paid. Not for orders: the attempts of their other shares would
-- not be replaced.
create or replace function private.replace_attempt(
  p_payment uuid, p_card text, p_now timestamptz, p_expires timestamptz
)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_held private.booking;
  v_last private.payment;
  v_next private.payment;
begin
  select b.* into v_held
  from private.booking b join private.payment x on x.booking_id = b.id
  where x.id = p_payment for update of b;
  if v_held.id is null or v_held.status <> 'pending' then return null; end if;
  select x.* into v_last from private.payment x
  where x.booking_id = v_held.id order by x.attempt desc limit 1 for update;
  if v_last.id <> p_payment then
    return case when v_last.state in ('intent', 'open') then private.payment_json(v_last) end;
  end if;
  if v_last.state not in ('intent', 'open', 'expired') then return null; end if;
  update private.payment x set state = 'expired' where x.id = v_last.id;
  insert into private.payment (
    booking_id, attempt, kind, key, amount_cents, session_expires_at, created_at, card)
  values (v_held.id, v_last.attempt + 1, v_last.kind, 'create:' || v_held.id || ':' || (v_last.attempt + 1),
    v_last.amount_cents, p_expires, p_now, p_card)
  returning * into v_next;
  return private.payment_json(v_next);
end
$$;
