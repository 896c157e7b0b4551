-- A coupon belongs to the hold that reserved a unit of it: its terms are frozen with the price, its unit never counts against the same
-- person, and it moves with the hold when that is replaced.

alter table private.booking add column coupon_terms jsonb;
alter table private.booking add constraint booking_coupon_terms check (coupon_terms is null or coupon_id is not null);
update private.booking b
set coupon_terms = pg_catalog.jsonb_build_object('code', d.code, 'discountType', d.discount_type, 'discountValue', d.discount_value)
from public.discount_codes d where d.id = b.coupon_id and b.status = 'pending';

-- Set while the payment session of a replaced hold is being closed: the provider's own news of that may cancel the hold first,
-- and its unit must not go to somebody else in between. After this time it is nobody's and goes back.
alter table private.coupon_redemption add column moving_until timestamptz;
create index coupon_redemption_by_user on private.coupon_redemption (user_id, coupon_id) where state <> 'returned';

create or replace function private.update_redemption() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.status = 'confirmed' and old.status = 'pending' then
    update private.coupon_redemption set state = 'committed', moving_until = null where booking_id = new.id and state = 'reserved';
  elsif new.status = 'cancelled' and old.status <> 'cancelled' then
    with given_back as (
      update private.coupon_redemption set state = 'returned', moving_until = null
      where booking_id = new.id and state <> 'returned' and (moving_until is null or moving_until <= pg_catalog.clock_timestamp())
      returning coupon_id
    )
    update public.discount_codes d set current_uses = d.current_uses - 1 from given_back g where d.id = g.coupon_id;
  end if;
  return null;
end
$$;

-- Whether the customer has paid in a way that takes days: such a booking is no unpaid hold.
create function private.payment_is_processing(p_booking uuid) returns boolean language sql stable set search_path = '' as $$
  select exists (select from private.payment x where x.booking_id = p_booking and x.state = 'processing')
$$;
revoke all on function private.payment_is_processing(uuid) from public;

-- Returns the units of a code whose replacement never came. Answers how many.
create function private.return_abandoned_redemptions(p_coupon uuid, p_now timestamptz) returns integer language plpgsql set search_path = '' as $$
declare
  units integer;
begin
  with left_over as (
    update private.coupon_redemption r set state = 'returned', moving_until = null
    from private.booking b
    where r.coupon_id = p_coupon and r.state = 'reserved' and r.moving_until <= p_now and b.id = r.booking_id and b.status = 'cancelled'
    returning r.booking_id
  )
  select count(*) into units from left_over;
  if units > 0 then
    update public.discount_codes d set current_uses = d.current_uses - units where d.id = p_coupon;
  end if;
  return units;
end
$$;

-- As in 0008, and what the person's own unpaid holds have reserved counts as free to that person; the limit per person is told before paying.
create or replace function private.coupon_problem(p_coupon public.discount_codes, p_user uuid, p_hours numeric, p_now timestamptz)
returns text language sql stable set search_path = '' as $$
  select case
    when p_coupon.id is null or not p_coupon.active then 'Invalid coupon code'
    when p_coupon.expires_at is not null and p_coupon.expires_at <= p_now then 'This code has expired.'
    when p_coupon.max_uses is not null and p_coupon.current_uses - (
        select count(*) from private.coupon_redemption r join private.booking b on b.id = r.booking_id
        where r.coupon_id = p_coupon.id and r.state = 'reserved'
          and (r.user_id = p_user or (b.status = 'cancelled' and r.moving_until <= p_now))
      ) >= p_coupon.max_uses then 'This code has been fully used.'
    when p_coupon.per_user_limit is not null and (
        select count(*) from private.coupon_redemption r
        where r.coupon_id = p_coupon.id and r.user_id = p_user and r.state = 'committed'
      ) >= p_coupon.per_user_limit then 'You have used this code already.'
    when p_coupon.min_hours is not null and p_hours < p_coupon.min_hours
      then 'This code needs a booking of at least ' || pg_catalog.trim_scale(p_coupon.min_hours)::text || ' hours.'
  end
$$;

-- The unpaid hold that somebody has for exactly these hours, with its frozen coupon; null when there is none.
create function private.own_hold(p_user uuid, p_studio uuid, p_start timestamptz, p_end timestamptz)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('booking', private.booking_json(b), 'couponId', b.coupon_id, 'coupon', b.coupon_terms,
    'payable', exists (select from private.payment x where x.booking_id = b.id and x.state <> 'expired'))
  from private.booking b
  where b.user_id = p_user and b.studio_id = p_studio and b.status = 'pending' and b.start_time = p_start and b.end_time = p_end
$$;
revoke all on function private.return_abandoned_redemptions(uuid, timestamptz), private.own_hold(uuid, uuid, timestamptz, timestamptz) from public;

-- hold(): one statement, one transaction; answers what happened:
--   {outcome: 'held'|'existing', booking, payment}
--   {outcome: 'taken', expired: [ids], mine: reference | null}   somebody else's expired holds may be released; `mine`: the caller has paid for it
--   {outcome: 'replace', bookingIds}                             own holds whose payment sessions must be closed before this hold takes their place
--   {outcome: 'too_many_holds', holds: [booking], retryAt}       `retryAt` is null when letting one of `holds` go is enough
-- Raises HC001 when the code has no unit left, HC002 when the hours were taken in this moment; everything is undone.
create or replace function private.hold_booking(p jsonb, p_now timestamptz) returns jsonb language plpgsql set search_path = '' as $$
declare
  v_user constant uuid := (p ->> 'userId')::uuid;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  v_span constant tstzrange := pg_catalog.tstzrange((p ->> 'startTime')::timestamptz, (p ->> 'endTime')::timestamptz, '[)');
  v_cents constant integer := (p ->> 'finalCostCents')::integer;
  v_coupon constant uuid := (p ->> 'couponId')::uuid;
  v_phone constant text := p ->> 'contactPhone';
  v_live_max constant integer := (p ->> 'maxLiveHolds')::integer;
  v_hour_max constant integer := (p ->> 'holdsPerHour')::integer;
  held private.booking;
  due private.payment;
  code public.discount_codes;
  replaced uuid[];
  still_open uuid[];
  moved uuid[];
  change record;
  own_units integer;
  lacking integer;
  live integer;
  recent integer;
  taker record;
begin
  -- One person's holds are counted one at a time.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || v_user::text, 0));

  select * into held from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.start_time = v_start and b.end_time = v_end;
  if found then
    select * into due from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1;
    if held.hold_expires_at > p_now and held.final_cost_cents = v_cents and held.coupon_id is not distinct from v_coupon
       and due.state is distinct from 'expired' then
      -- Who comes back and types another number means that one.
      if v_phone is not null and v_phone is distinct from held.contact_phone then
        update private.booking b set contact_phone = v_phone where b.id = held.id;
      end if;
      return pg_catalog.jsonb_build_object('outcome', 'existing', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
    end if;
  end if;

  -- This hold takes the place of one's own unpaid holds in its way.
  select coalesce(pg_catalog.array_agg(b.id), '{}') into replaced from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.during && v_span;

  -- And of own holds elsewhere, as many as it needs units of its code from.
  if v_coupon is not null then
    perform private.return_abandoned_redemptions(v_coupon, p_now);
    select * into code from public.discount_codes d where d.id = v_coupon;
    select count(*) into own_units from private.coupon_redemption r join private.booking b on b.id = r.booking_id
    where r.coupon_id = v_coupon and r.user_id = v_user and r.state = 'reserved' and (b.id = any (replaced) or b.status = 'cancelled');
    lacking := greatest(0,
      coalesce(code.current_uses + 1 - own_units - code.max_uses, 0),
      coalesce(1 - own_units - code.per_user_limit + (
        select count(*) from private.coupon_redemption r where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned')::integer, 0));
    if lacking > 0 then
      select replaced || coalesce(pg_catalog.array_agg(e.id), '{}') into replaced from (
        select b.id from private.booking b join private.coupon_redemption r on r.booking_id = b.id
        where b.user_id = v_user and b.status = 'pending' and r.coupon_id = v_coupon and r.state = 'reserved' and not b.id = any (replaced)
        order by b.created_at desc limit lacking) e;
      if own_units + lacking > (select count(*) from private.coupon_redemption r join private.booking b on b.id = r.booking_id
          where r.coupon_id = v_coupon and r.user_id = v_user and r.state = 'reserved' and (b.id = any (replaced) or b.status = 'cancelled')) then
        raise exception 'This code has been fully used.' using errcode = 'HC001';
      end if;
    end if;
  end if;

  -- What was paid for is no hold any more; what was given up or replaced counts for an hour.
  select count(*) filter (where b.status = 'pending' and not b.id = any (replaced)),
    count(*) filter (where b.created_at > p_now - interval '1 hour')
  into live, recent
  from private.booking b
  where b.user_id = v_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test'
    and (b.status = 'pending' or b.created_at > p_now - interval '1 hour') and b.cancel_reason is distinct from 'payment_failed' and not private.payment_is_processing(b.id);
  if live >= v_live_max or recent >= v_hour_max then
    return pg_catalog.jsonb_build_object('outcome', 'too_many_holds',
      'holds', coalesce((select pg_catalog.jsonb_agg(private.booking_json(b) order by b.created_at) from private.booking b
        where b.user_id = v_user and b.status = 'pending' and b.cancel_reason is distinct from 'payment_failed' and not private.payment_is_processing(b.id)), '[]'),
      'retryAt', case when recent >= v_hour_max then (
        select b.created_at + interval '1 hour' from private.booking b
        where b.user_id = v_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test'
          and b.created_at > p_now - interval '1 hour' and b.cancel_reason is distinct from 'payment_failed' and not private.payment_is_processing(b.id)
        order by b.created_at offset greatest(recent - v_hour_max, 0) limit 1) end);
  end if;

  -- Nothing of one's own is given up for hours that are somebody else's.
  select count(*) > 0 as found, pg_catalog.max(b.reference) filter (where b.user_id = v_user) as mine,
    coalesce(pg_catalog.jsonb_agg(b.id) filter (where b.status = 'pending' and b.hold_expires_at <= p_now), '[]') as expired
  into taker
  from private.booking b
  where b.studio_id = v_studio and b.status in ('pending', 'confirmed') and b.during && v_span and not b.id = any (replaced);
  if taker.found then
    update private.coupon_redemption r set moving_until = null
    from private.booking b where r.user_id = v_user and r.moving_until is not null and b.id = r.booking_id and b.status = 'pending';
    return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', taker.expired, 'mine', taker.mine);
  end if;

  select pg_catalog.array_agg(distinct x.booking_id) into still_open from private.payment x
  where x.booking_id = any (replaced) and x.state <> 'expired';
  if still_open is not null then
    update private.coupon_redemption r set moving_until = p_now + interval '2 minutes'
    where r.booking_id = any (still_open) and r.coupon_id = v_coupon and r.state = 'reserved';
    return pg_catalog.jsonb_build_object('outcome', 'replace', 'bookingIds', pg_catalog.to_jsonb(still_open));
  end if;

  perform from private.booking b where b.id = any (replaced) order by b.id for update;
  select coalesce(pg_catalog.array_agg(b.id), '{}') into replaced from private.booking b where b.id = any (replaced) and b.status = 'pending';
  with given_up as (
    update private.coupon_redemption r set state = 'returned', moving_until = null from private.booking b
    where r.user_id = v_user and r.state = 'reserved' and b.id = r.booking_id
      and (b.id = any (replaced) or (b.status = 'cancelled' and r.coupon_id = v_coupon))
    returning r.coupon_id)
  select coalesce(pg_catalog.array_agg(g.coupon_id), '{}') into moved from given_up g;
  update private.booking b set status = 'cancelled', cancel_reason = 'replaced' where b.id = any (replaced);
  perform private.audit(null, 'update', 'booking', one::text, '{"status": "cancelled", "reason": "replaced"}')
  from pg_catalog.unnest(replaced) as one;

  insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, slots,
    base_cost_cents, discount_cents, coupon_id, coupon_terms, coupon_discount_cents, final_cost_cents, id_verification_id, terms_version, policy,
    contact_phone, created_at)
  values (private.new_reference(), v_user, v_studio, p ->> 'studioName', v_start, v_end, 'pending', (p ->> 'holdExpiresAt')::timestamptz,
    (p ->> 'totalHours')::numeric, p -> 'slots', (p ->> 'baseCostCents')::integer, (p ->> 'discountCents')::integer, v_coupon,
    case when v_coupon is not null then p -> 'couponTerms' end,
    (p ->> 'couponDiscountCents')::integer, v_cents, (p ->> 'idVerificationId')::uuid, p ->> 'termsVersion', p -> 'policy', v_phone, p_now)
  on conflict do nothing returning * into held;
  if held.id is null then
    if pg_catalog.cardinality(replaced) = 0 and pg_catalog.cardinality(moved) = 0 then
      return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', '[]'::jsonb, 'mine', null);
    end if;
    raise exception 'that time was taken in this moment' using errcode = 'HC002';
  end if;

  -- After the hours, as every other path takes its locks. A unit of the same code moves without a change of its counter.
  for change in
    select c.id, pg_catalog.sum(c.units)::integer as units
    from (select pg_catalog.unnest(moved) as id, -1 as units union all select v_coupon, 1 where v_coupon is not null) c
    group by c.id order by c.id
  loop
    if change.id is distinct from v_coupon then
      update public.discount_codes d set current_uses = d.current_uses + change.units where d.id = change.id;
      continue;
    end if;
    update public.discount_codes d set current_uses = d.current_uses + change.units
    where d.id = v_coupon and d.active and (d.expires_at is null or d.expires_at > p_now)
      and (change.units <= 0 or d.max_uses is null or d.current_uses < d.max_uses)
      and d.discount_type = p -> 'couponTerms' ->> 'discountType' and d.discount_value = (p -> 'couponTerms' ->> 'discountValue')::numeric
      and (d.per_user_limit is null or d.per_user_limit > (
        select count(*) from private.coupon_redemption r where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned'));
    if not found then
      raise exception 'This code has been fully used.' using errcode = 'HC001';
    end if;
  end loop;
  if v_coupon is not null then
    insert into private.coupon_redemption (booking_id, coupon_id, user_id) values (held.id, v_coupon, v_user);
  end if;

  insert into public.terms_acceptances (user_id, version, accepted_at) values (v_user, p ->> 'termsVersion', p_now) on conflict do nothing;

  insert into private.payment (booking_id, attempt, kind, key, amount_cents, session_expires_at, session_id)
  values (held.id, 1, case when v_cents = 0 then 'free' else 'card' end, 'create:' || held.id || ':1', v_cents,
    (p ->> 'sessionExpiresAt')::timestamptz, case when v_cents = 0 then 'free_' || held.id end)
  returning * into due;
  return pg_catalog.jsonb_build_object('outcome', 'held', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
end
$$;

-- One's own bookings with what the grid's view does not have: the coupon and the cancellation terms frozen with each.
-- Holds that were never paid for are no bookings.
create function public.own_bookings() returns table (
  id uuid, reference text, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, cancel_reason text,
  hold_expires_at timestamptz, total_hours numeric, final_cost numeric, coupon_code text, coupon_type text, coupon_value numeric,
  free_cancel_hours numeric, created_at timestamptz
)
language sql stable security definer set search_path = '' as $$
  select b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.cancel_reason,
    b.hold_expires_at, b.total_hours, (b.final_cost_cents / 100.0)::numeric(10, 2), b.coupon_terms ->> 'code', b.coupon_terms ->> 'discountType',
    (b.coupon_terms ->> 'discountValue')::numeric, (b.policy ->> 'freeCancelHours')::numeric, b.created_at
  from private.booking b
  where b.user_id = auth.uid() and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;
revoke all on function public.own_bookings() from public;
grant execute on function public.own_bookings() to authenticated;
