-- Holds hours for a customer, together with their payment. Returns one of:
--   {outcome: 'held', booking, payment}
--   {outcome: 'existing', booking, payment}
--     The customer already holds exactly these hours at this price.
--   {outcome: 'taken', expired, mine}
--     Some of the hours are taken. `expired` has the ids of other customers' expired holds, which the caller may
--     release. `mine` is the reference of the customer's own booking of these hours, or null.
--   {outcome: 'replace', bookingIds}
--     The caller must first close the payment sessions of these holds of the customer, and then call again.
--   {outcome: 'too_many_holds', holds, retryAt}
--     The customer has too many unpaid holds. `retryAt` is null if releasing one of `holds` is enough.
--   {outcome: 'too_many_hours', hours, fit, most, mostOfBooking}
--     `fit` is how many unpaid room-hours the account may hold in addition to those it holds.
--
-- `p.also` has the later spans of an order, each with its hours, price and `couponId`. An order is held as a whole,
-- and `booking` and `payment` are those of its first booking.
--
-- Raises HC001 if the code has too few uses left, and HC002 if another customer took hours at the same moment. Both
-- undo all changes. Idempotent: a repeated call returns 'existing'.
create or replace function private.hold_booking(p jsonb, p_now timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_user constant uuid := (p ->> 'userId')::uuid;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  -- The hours with their prices, earliest first: one booking, or those of an order.
  v_spans constant jsonb := pg_catalog.jsonb_build_array(p - 'also') || coalesce(p -> 'also', '[]');
  v_size constant integer := pg_catalog.jsonb_array_length(v_spans);
  v_ranges constant tstzrange[] := array(
    select pg_catalog.tstzrange((s ->> 'startTime')::timestamptz, (s ->> 'endTime')::timestamptz, '[)')
    from pg_catalog.jsonb_array_elements(v_spans) s);
  v_total constant integer := (
    select pg_catalog.sum((s ->> 'finalCostCents')::integer) from pg_catalog.jsonb_array_elements(v_spans) s);
  -- The coupon of the spans that have one, and how many spans have one.
  v_coupon constant uuid := (
    select (s ->> 'couponId')::uuid from pg_catalog.jsonb_array_elements(v_spans) s
    where s ->> 'couponId' is not null limit 1);
  v_units constant integer := (
    select count(*) from pg_catalog.jsonb_array_elements(v_spans) s where s ->> 'couponId' is not null);
  v_phone constant text := p ->> 'contactPhone';
  v_live_max constant integer := (p ->> 'maxLiveHolds')::integer;
  v_hour_max constant integer := (p ->> 'holdsPerHour')::integer;
  v_held private.booking;
  v_made private.booking;
  v_due private.payment;
  v_span record;
  v_code public.discount_codes;
  v_replaced uuid[];
  v_still_open uuid[];
  v_moved uuid[];
  v_change record;
  v_own_units integer;
  v_lacking integer;
  v_live integer;
  v_recent integer;
  v_hours constant numeric := (
    select pg_catalog.sum((s ->> 'totalHours')::numeric) from pg_catalog.jsonb_array_elements(v_spans) s);
  v_allowance record;
  v_taker record;
begin
  -- An order locks several rows one after another, and so does a move. They wait for each other here, because they
  -- would deadlock if each had a row that the other needs.
  if v_size > 1 then
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('booking-move', 0));
  end if;
  -- Two requests of one customer wait for each other, so that each counts the other's hold.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || v_user::text, 0));

  select * into v_held from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending'
    and b.start_time = v_start and b.end_time = v_end
    and coalesce(b.order_id, b.id) = b.id and coalesce(b.order_size, 1) = v_size;
  if found then
    select * into v_due from private.payment x where x.booking_id = v_held.id order by x.attempt desc limit 1;
    if v_held.hold_expires_at > p_now and v_due.state is distinct from 'expired' and not exists (
        select from pg_catalog.jsonb_array_elements(v_spans) s
        where not exists (
          select from private.booking b
          where (b.id = v_held.id or b.order_id = v_held.id)
            and b.start_time = (s ->> 'startTime')::timestamptz and b.end_time = (s ->> 'endTime')::timestamptz
            and b.final_cost_cents = (s ->> 'finalCostCents')::integer
            and b.coupon_id is not distinct from (s ->> 'couponId')::uuid)) then
      -- The phone number that was entered last replaces an earlier one.
      if v_phone is not null and v_phone is distinct from v_held.contact_phone then
        update private.booking b set contact_phone = v_phone where (b.id = v_held.id or b.order_id = v_held.id);
      end if;
      return pg_catalog.jsonb_build_object('outcome', 'existing',
        'booking', private.booking_json(v_held), 'payment', private.payment_json(v_due));
    end if;
  end if;

  -- The new hold replaces the customer's own unpaid holds that overlap it. Orders are replaced as a whole.
  v_replaced := private.own_held_orders(v_user, array(
    select b.id from private.booking b
    where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.during && any (v_ranges)));

  -- If the code has too few uses left, the new hold also replaces other holds of the customer that have reserved uses
  -- of it: the newest holds, as many as are needed.
  if v_coupon is not null then
    perform private.return_abandoned_redemptions(v_coupon, p_now);
    select * into v_code from public.discount_codes d where d.id = v_coupon;
    select count(*) into v_own_units
    from private.coupon_redemption r join private.booking b on b.id = r.booking_id
    where r.coupon_id = v_coupon and r.user_id = v_user and r.state = 'reserved'
      and (b.id = any (v_replaced) or b.status = 'cancelled');
    v_lacking := greatest(0,
      coalesce(v_code.current_uses + v_units - v_own_units - v_code.max_uses, 0),
      coalesce(v_units - v_own_units - v_code.per_user_limit + (
        select count(*) from private.coupon_redemption r
        where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned')::integer, 0));
    if v_lacking > 0 then
      select v_replaced || coalesce(pg_catalog.array_agg(e.id), '{}') into v_replaced from (
        select b.id from private.booking b join private.coupon_redemption r on r.booking_id = b.id
        where b.user_id = v_user and b.status = 'pending' and r.coupon_id = v_coupon and r.state = 'reserved'
          and not b.id = any (v_replaced)
        order by b.created_at desc limit v_lacking) e;
      v_replaced := private.own_held_orders(v_user, v_replaced);
      if v_own_units + v_lacking > (
          select count(*) from private.coupon_redemption r join private.booking b on b.id = r.booking_id
          where r.coupon_id = v_coupon and r.user_id = v_user and r.state = 'reserved'
            and (b.id = any (v_replaced) or b.status = 'cancelled')) then
        raise exception 'This code has been fully used.' using errcode = 'HC001';
      end if;
    end if;
  end if;

  select count(*) filter (where b.status = 'pending' and not b.id = any (v_replaced)),
    count(*) filter (where b.created_at > p_now - interval '1 hour')
  into v_live, v_recent
  from private.unpaid_holds(v_user, p_now) b;
  if v_live >= v_live_max or v_recent >= v_hour_max then
    return pg_catalog.jsonb_build_object('outcome', 'too_many_holds',
      'holds', coalesce((
        select pg_catalog.jsonb_agg(private.booking_json(b) order by b.created_at, b.start_time)
        from private.unpaid_holds(v_user, p_now) b
        where b.status = 'pending'), '[]'),
      'retryAt', case when v_recent >= v_hour_max then (
        select b.created_at + interval '1 hour' from private.unpaid_holds(v_user, p_now) b
        where b.created_at > p_now - interval '1 hour'
        order by b.created_at offset greatest(v_recent - v_hour_max, 0) limit 1) end);
  end if;

  select * into v_allowance from private.unpaid_allowance(v_user, p_now, v_replaced);
  if v_hours > v_allowance.fit or (p ->> 'totalHours')::numeric > v_allowance.most_of_booking then
    return pg_catalog.jsonb_build_object('outcome', 'too_many_hours', 'hours', v_hours, 'fit', v_allowance.fit,
      'most', v_allowance.most, 'mostOfBooking', v_allowance.most_of_booking);
  end if;

  -- The customer's holds stay if another customer has the hours.
  select count(*) > 0 as found, pg_catalog.max(b.reference) filter (where b.user_id = v_user) as mine,
    coalesce(
      pg_catalog.jsonb_agg(b.id) filter (where b.status = 'pending' and b.hold_expires_at <= p_now), '[]') as expired
  into v_taker
  from private.booking b
  where b.studio_id = v_studio and b.status in ('pending', 'confirmed') and b.during && any (v_ranges)
    and not b.id = any (v_replaced);
  if v_taker.found then
    update private.coupon_redemption r set moving_until = null
    from private.booking b
    where r.user_id = v_user and r.moving_until is not null and b.id = r.booking_id and b.status = 'pending';
    return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', v_taker.expired, 'mine', v_taker.mine);
  end if;

  -- While the caller closes the sessions, the code's uses that these holds have reserved stay with the customer.
  select pg_catalog.array_agg(distinct x.booking_id) into v_still_open from private.payment x
  where x.booking_id = any (v_replaced) and (x.share_of is null or x.share_of = x.id) and x.state <> 'expired';
  if v_still_open is not null then
    update private.coupon_redemption r set moving_until = p_now + interval '2 minutes'
    where r.booking_id = any (private.own_held_orders(v_user, v_still_open)) and r.coupon_id = v_coupon
      and r.state = 'reserved';
    return pg_catalog.jsonb_build_object('outcome', 'replace', 'bookingIds', pg_catalog.to_jsonb(v_still_open));
  end if;

  perform from private.booking b where b.id = any (v_replaced)
  order by coalesce(b.order_id, b.id), b.order_place for update;
  select coalesce(pg_catalog.array_agg(b.id), '{}') into v_replaced
  from private.booking b where b.id = any (v_replaced) and b.status = 'pending';
  with given_up as (
    update private.coupon_redemption r set state = 'returned', moving_until = null from private.booking b
    where r.user_id = v_user and r.state = 'reserved' and b.id = r.booking_id
      and (b.id = any (v_replaced) or (b.status = 'cancelled' and r.coupon_id = v_coupon))
    returning r.coupon_id)
  select coalesce(pg_catalog.array_agg(g.coupon_id), '{}') into v_moved from given_up g;
  update private.booking b set status = 'cancelled', cancel_reason = 'replaced' where b.id = any (v_replaced);
  perform private.audit(null, 'update', 'booking', one::text, '{"status": "cancelled", "reason": "replaced"}')
  from pg_catalog.unnest(v_replaced) as one;

  v_held := null;
  for v_span in
    select s.value as j, s.place::smallint as place, (s.value ->> 'couponId')::uuid as coupon
    from pg_catalog.jsonb_array_elements(v_spans) with ordinality s(value, place) order by s.place
  loop
    -- The id of the first booking is also the id of the order.
    insert into private.booking (id, order_id, order_place, order_size, reference, user_id, studio_id, studio_name,
      start_time, end_time, status, hold_expires_at, total_hours, slots, base_cost_cents, discount_cents, coupon_id,
      coupon_terms, coupon_discount_cents, final_cost_cents, id_verification_id, terms_version, policy, contact_phone,
      created_at)
    select n.id, case when v_size > 1 then coalesce(v_held.id, n.id) end, case when v_size > 1 then v_span.place end,
      case when v_size > 1 then v_size end, private.new_reference(), v_user, v_studio, p ->> 'studioName',
      (v_span.j ->> 'startTime')::timestamptz, (v_span.j ->> 'endTime')::timestamptz, 'pending',
      (p ->> 'holdExpiresAt')::timestamptz, (v_span.j ->> 'totalHours')::numeric, v_span.j -> 'slots',
      (v_span.j ->> 'baseCostCents')::integer, (v_span.j ->> 'discountCents')::integer, v_span.coupon,
      case when v_span.coupon is not null then p -> 'couponTerms' end,
      (v_span.j ->> 'couponDiscountCents')::integer, (v_span.j ->> 'finalCostCents')::integer,
      (p ->> 'idVerificationId')::uuid, p ->> 'termsVersion', p -> 'policy', v_phone, p_now
    from (select pg_catalog.gen_random_uuid() as id) n
    on conflict do nothing returning * into v_made;
    if v_made.id is null then
      if v_size = 1 and pg_catalog.cardinality(v_replaced) = 0 and pg_catalog.cardinality(v_moved) = 0 then
        return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', '[]'::jsonb, 'mine', null);
      end if;
      raise exception 'that time was taken in this moment' using errcode = 'HC002';
    end if;
    if v_span.place = 1 then v_held := v_made; end if;
  end loop;

  -- Codes are locked after the hours, as everywhere else. A use that moves from one hold to another within a code
  -- does not change the counter of the code.
  for v_change in
    select c.id, pg_catalog.sum(c.units)::integer as units
    from (
      select pg_catalog.unnest(v_moved) as id, -1 as units
      union all select v_coupon, v_units where v_coupon is not null) c
    group by c.id order by c.id
  loop
    if v_change.id is distinct from v_coupon then
      update public.discount_codes d set current_uses = d.current_uses + v_change.units where d.id = v_change.id;
      continue;
    end if;
    update public.discount_codes d set current_uses = d.current_uses + v_change.units
    where d.id = v_coupon and d.active and (d.expires_at is null or d.expires_at > p_now)
      and (v_change.units <= 0 or d.max_uses is null or d.current_uses + v_change.units <= d.max_uses)
      and d.discount_type = p -> 'couponTerms' ->> 'discountType'
      and d.discount_value = (p -> 'couponTerms' ->> 'discountValue')::numeric
      and (d.per_user_limit is null or d.per_user_limit >= v_units + (
        select count(*) from private.coupon_redemption r
        where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned'));
    if not found then
      raise exception 'This code has been fully used.' using errcode = 'HC001';
    end if;
  end loop;
  if v_coupon is not null then
    insert into private.coupon_redemption (booking_id, coupon_id, user_id)
    select b.id, b.coupon_id, v_user from private.booking b
    where (b.id = v_held.id or b.order_id = v_held.id) and b.coupon_id is not null;
  end if;

  insert into public.terms_acceptances (user_id, version, accepted_at) values (v_user, p ->> 'termsVersion', p_now)
  on conflict do nothing;

  -- Each booking of an order has its share of the payment. The share of the first booking has the payment session.
  insert into private.payment (id, share_of, booking_id, attempt, kind, key, amount_cents, session_expires_at,
    session_id)
  select n.id, case when v_size > 1 then n.id end, v_held.id, 1, case when v_total = 0 then 'free' else 'card' end,
    'create:' || v_held.id || ':1', v_held.final_cost_cents, (p ->> 'sessionExpiresAt')::timestamptz,
    case when v_total = 0 then 'free_' || v_held.id end
  from (select pg_catalog.gen_random_uuid() as id) n
  returning * into v_due;
  insert into private.payment (booking_id, share_of, attempt, kind, key, amount_cents, session_expires_at, session_id)
  select b.id, v_due.id, 1, v_due.kind, 'create:' || b.id || ':1', b.final_cost_cents, v_due.session_expires_at,
    v_due.session_id
  from private.booking b where b.order_id = v_held.id and b.id <> v_held.id order by b.order_place;
  return pg_catalog.jsonb_build_object('outcome', 'held',
    'booking', private.booking_json(v_held), 'payment', private.payment_json(v_due));
end
$$;
