-- Limits of unpaid hours: how many room-hours an account may hold without having paid, over all ways to hold them.

create or replace function private.are_business_settings(s jsonb) returns boolean language sql immutable set search_path = '' as $$
  select private.is_setting_text(s -> 'name', 2, 60) and private.is_setting_text(s -> 'legalName', 2, 120)
    and private.is_setting_text(s -> 'abn', 0, 11) and s ->> 'abn' ~ '^(\d{11})?$'
    and private.is_setting_text(s -> 'address', 2, 200) and private.is_setting_text(s -> 'directions', 0, 1000, true)
    -- Settings of earlier versions lack the photo and the limits of holds.
    and private.is_setting_text(coalesce(s -> 'directionsPhoto', '""'), 0, 41)
    and coalesce(s ->> 'directionsPhoto', '') ~ '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))?$'
    and private.is_setting_text(coalesce(s -> 'directionsPhotoText', '""'), 0, 200)
    and private.is_setting_text(s -> 'phone', 0, 30) and private.is_setting_text(s -> 'email', 5, 254) and s ->> 'email' ~ '^[^@\s<>]+@[^@\s<>]+$'
    and private.is_setting_text(s -> 'instagram', 0, 31) and s ->> 'instagram' ~ '^(@[A-Za-z0-9._]{1,30})?$'
    and private.is_setting_text(s -> 'arrivalNotes', 0, 1000, true) and private.is_setting_text(s -> 'notice', 0, 300)
    and private.is_setting_number(s -> 'holdMinutes', 5, 30) and private.is_setting_number(s -> 'horizonDays', 1, 365)
    and private.is_setting_number(s -> 'freeCancelHours', 0, 336) and private.is_setting_text(s -> 'termsVersion', 1, 40)
    and private.is_setting_number(coalesce(s -> 'maxLiveHolds', '2'), 1, 20) and private.is_setting_number(coalesce(s -> 'holdsPerHour', '6'), 1, 100)
    and private.is_setting_number(coalesce(s -> 'maxUnpaidHours', '48'), 1, 1000)
    and private.is_setting_number(coalesce(s -> 'maxUnpaidHoursOfBooking', '24'), 1, 24)
    and private.are_articles(s -> 'terms') and private.are_articles(s -> 'privacy')
    and s - '{name,legalName,abn,address,directions,directionsPhoto,directionsPhotoText,phone,email,instagram,arrivalNotes,notice,holdMinutes,horizonDays,freeCancelHours,maxLiveHolds,holdsPerHour,maxUnpaidHours,maxUnpaidHoursOfBooking,termsVersion,terms,privacy}'::text[] = '{}'
$$;

insert into public.business_settings (settings)
select s.settings || '{"maxLiveHolds": 2, "holdsPerHour": 6, "maxUnpaidHours": 48, "maxUnpaidHoursOfBooking": 24}'
from public.business_settings s order by s.version desc limit 1;

-- What a hold needs of the settings, in a language that keeps the plan of its statement: each hold calls it.
create or replace function private.booking_settings() returns json language plpgsql stable set search_path = '' as $$
declare
  s jsonb;
begin
  select b.settings into s from public.business_settings b order by b.version desc limit 1;
  return pg_catalog.json_build_object('holdMinutes', s -> 'holdMinutes', 'horizonDays', s -> 'horizonDays',
    'freeCancelHours', s -> 'freeCancelHours', 'termsVersion', s -> 'termsVersion', 'email', s -> 'email',
    'maxLiveHolds', s -> 'maxLiveHolds', 'holdsPerHour', s -> 'holdsPerHour', 'maxUnpaidHours', s -> 'maxUnpaidHours',
    'maxUnpaidHoursOfBooking', s -> 'maxUnpaidHoursOfBooking');
end
$$;

-- Pages do not show the limits of holds.
create or replace function public.site_settings() returns jsonb language sql stable security definer set search_path = '' as $$
  select private.business_settings()
    - '{arrivalNotes,terms,privacy,maxLiveHolds,holdsPerHour,maxUnpaidHours,maxUnpaidHoursOfBooking}'::text[]
$$;

-- How many unpaid room-hours an account may hold, besides those that it holds now. All ways to hold hours count: holds, each booking of a series, holds of
-- new hours for a booking that moves, and claims of the wait list. Not counted: the bookings in `p_except`, which the caller replaces; links to pay, for
-- which staff answer; test bookings of staff; and bookings whose payment is on its way. The caller has the lock `hold:` of the account, so that two
-- requests count each other.
create function private.unpaid_allowance(
  p_user uuid, p_now timestamptz, p_except uuid[], out fit numeric, out most numeric, out most_of_booking numeric
) language plpgsql stable set search_path = '' as $$
declare
  s constant json := private.booking_settings();
  factor constant numeric := coalesce((select (x.value #>> '{}')::numeric from private.settings x where x.name = 'limit_factor'), 1);
begin
  most := (s ->> 'maxUnpaidHours')::numeric * factor;
  most_of_booking := (s ->> 'maxUnpaidHoursOfBooking')::numeric * factor;
  select greatest(0, most - coalesce(pg_catalog.sum(b.total_hours), 0)) into fit
  from (
    select b.* from private.booking b where b.user_id = p_user and b.status = 'pending'
    union all
    select b.* from private.booking b join private.booking m on m.id = b.moves_booking
    where m.user_id = p_user and b.moves_booking is not null and b.status = 'pending') b
  where b.hold_expires_at > p_now and b.made_by is null and b.notes is distinct from 'test' and not b.id = any (p_except)
    and not private.payment_is_processing(b.id);
end
$$;

-- Holds hours, and returns what happened:
--   {outcome: 'held' | 'existing', booking, payment}
--   {outcome: 'taken', expired: [ids], mine: reference | null}   `expired`: somebody else's holds that may be released; `mine`: the caller has paid for it
--   {outcome: 'replace', bookingIds}                             own holds whose payment sessions must be closed before this hold replaces them
--   {outcome: 'too_many_holds', holds: [booking], retryAt}       `retryAt` is null when releasing one of `holds` is enough
--   {outcome: 'too_many_hours', hours, fit, most, mostOfBooking} `fit`: how many unpaid room-hours the account may hold besides those that it has
-- `also` has the other spans of an order, later ones, each with its hours, price and `couponId`. An order is held as a whole, and `booking` and `payment` are
-- those of its first booking.
-- Raises HC001 when the code has too few uses left, HC002 when somebody took hours at the same moment. Both undo everything.
create or replace function private.hold_booking(p jsonb, p_now timestamptz) returns jsonb language plpgsql set search_path = '' as $$
declare
  v_user constant uuid := (p ->> 'userId')::uuid;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  -- The hours with their prices, earliest first: one booking, or those of an order.
  v_spans constant jsonb := pg_catalog.jsonb_build_array(p - 'also') || coalesce(p -> 'also', '[]');
  v_size constant integer := pg_catalog.jsonb_array_length(v_spans);
  v_ranges constant tstzrange[] := array(
    select pg_catalog.tstzrange((s ->> 'startTime')::timestamptz, (s ->> 'endTime')::timestamptz, '[)') from pg_catalog.jsonb_array_elements(v_spans) s);
  v_total constant integer := (select pg_catalog.sum((s ->> 'finalCostCents')::integer) from pg_catalog.jsonb_array_elements(v_spans) s);
  -- The coupon of those that have one, and how many have one.
  v_coupon constant uuid := (
    select (s ->> 'couponId')::uuid from pg_catalog.jsonb_array_elements(v_spans) s where s ->> 'couponId' is not null limit 1);
  v_units constant integer := (select count(*) from pg_catalog.jsonb_array_elements(v_spans) s where s ->> 'couponId' is not null);
  v_phone constant text := p ->> 'contactPhone';
  v_live_max constant integer := (p ->> 'maxLiveHolds')::integer;
  v_hour_max constant integer := (p ->> 'holdsPerHour')::integer;
  held private.booking;
  made private.booking;
  due private.payment;
  span record;
  code public.discount_codes;
  replaced uuid[];
  still_open uuid[];
  moved uuid[];
  change record;
  own_units integer;
  lacking integer;
  live integer;
  recent integer;
  v_hours constant numeric := (select pg_catalog.sum((s ->> 'totalHours')::numeric) from pg_catalog.jsonb_array_elements(v_spans) s);
  allowance record;
  taker record;
begin
  -- An order takes several rows one after another. A move that waits for one of them has another one: they wait here instead.
  if v_size > 1 then
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('booking-move', 0));
  end if;
  -- Two requests of one person wait for each other, so that each counts the other's hold.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || v_user::text, 0));

  select * into held from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.start_time = v_start and b.end_time = v_end
    and coalesce(b.order_id, b.id) = b.id and coalesce(b.order_size, 1) = v_size;
  if found then
    select * into due from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1;
    if held.hold_expires_at > p_now and due.state is distinct from 'expired' and not exists (
        select from pg_catalog.jsonb_array_elements(v_spans) s
        where not exists (
          select from private.booking b
          where (b.id = held.id or b.order_id = held.id) and b.start_time = (s ->> 'startTime')::timestamptz and b.end_time = (s ->> 'endTime')::timestamptz
            and b.final_cost_cents = (s ->> 'finalCostCents')::integer and b.coupon_id is not distinct from (s ->> 'couponId')::uuid)) then
      -- The number typed last counts.
      if v_phone is not null and v_phone is distinct from held.contact_phone then
        update private.booking b set contact_phone = v_phone where (b.id = held.id or b.order_id = held.id);
      end if;
      return pg_catalog.jsonb_build_object('outcome', 'existing', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
    end if;
  end if;

  -- The new hold replaces the person's own unpaid holds that overlap it, and orders as a whole.
  replaced := private.own_held_orders(v_user, array(
    select b.id from private.booking b
    where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.during && any (v_ranges)));

  -- It also replaces own holds elsewhere, as many as it needs uses of its code from.
  if v_coupon is not null then
    perform private.return_abandoned_redemptions(v_coupon, p_now);
    select * into code from public.discount_codes d where d.id = v_coupon;
    select count(*) into own_units from private.coupon_redemption r join private.booking b on b.id = r.booking_id
    where r.coupon_id = v_coupon and r.user_id = v_user and r.state = 'reserved' and (b.id = any (replaced) or b.status = 'cancelled');
    lacking := greatest(0,
      coalesce(code.current_uses + v_units - own_units - code.max_uses, 0),
      coalesce(v_units - own_units - code.per_user_limit + (
        select count(*) from private.coupon_redemption r where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned')::integer, 0));
    if lacking > 0 then
      select replaced || coalesce(pg_catalog.array_agg(e.id), '{}') into replaced from (
        select b.id from private.booking b join private.coupon_redemption r on r.booking_id = b.id
        where b.user_id = v_user and b.status = 'pending' and r.coupon_id = v_coupon and r.state = 'reserved' and not b.id = any (replaced)
        order by b.created_at desc limit lacking) e;
      replaced := private.own_held_orders(v_user, replaced);
      if own_units + lacking > (select count(*) from private.coupon_redemption r join private.booking b on b.id = r.booking_id
          where r.coupon_id = v_coupon and r.user_id = v_user and r.state = 'reserved' and (b.id = any (replaced) or b.status = 'cancelled')) then
        raise exception 'This code has been fully used.' using errcode = 'HC001';
      end if;
    end if;
  end if;

  select count(*) filter (where b.status = 'pending' and not b.id = any (replaced)),
    count(*) filter (where b.created_at > p_now - interval '1 hour')
  into live, recent
  from private.unpaid_holds(v_user, p_now) b;
  if live >= v_live_max or recent >= v_hour_max then
    return pg_catalog.jsonb_build_object('outcome', 'too_many_holds',
      'holds', coalesce((select pg_catalog.jsonb_agg(private.booking_json(b) order by b.created_at, b.start_time) from private.unpaid_holds(v_user, p_now) b
        where b.status = 'pending'), '[]'),
      'retryAt', case when recent >= v_hour_max then (
        select b.created_at + interval '1 hour' from private.unpaid_holds(v_user, p_now) b
        where b.created_at > p_now - interval '1 hour'
        order by b.created_at offset greatest(recent - v_hour_max, 0) limit 1) end);
  end if;

  select * into allowance from private.unpaid_allowance(v_user, p_now, replaced);
  if v_hours > allowance.fit or (p ->> 'totalHours')::numeric > allowance.most_of_booking then
    return pg_catalog.jsonb_build_object('outcome', 'too_many_hours', 'hours', v_hours, 'fit', allowance.fit, 'most', allowance.most,
      'mostOfBooking', allowance.most_of_booking);
  end if;

  -- No own hold is replaced for hours that somebody else has.
  select count(*) > 0 as found, pg_catalog.max(b.reference) filter (where b.user_id = v_user) as mine,
    coalesce(pg_catalog.jsonb_agg(b.id) filter (where b.status = 'pending' and b.hold_expires_at <= p_now), '[]') as expired
  into taker
  from private.booking b
  where b.studio_id = v_studio and b.status in ('pending', 'confirmed') and b.during && any (v_ranges) and not b.id = any (replaced);
  if taker.found then
    update private.coupon_redemption r set moving_until = null
    from private.booking b where r.user_id = v_user and r.moving_until is not null and b.id = r.booking_id and b.status = 'pending';
    return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', taker.expired, 'mine', taker.mine);
  end if;

  select pg_catalog.array_agg(distinct x.booking_id) into still_open from private.payment x
  where x.booking_id = any (replaced) and (x.share_of is null or x.share_of = x.id) and x.state <> 'expired';
  if still_open is not null then
    update private.coupon_redemption r set moving_until = p_now + interval '2 minutes'
    where r.booking_id = any (private.own_held_orders(v_user, still_open)) and r.coupon_id = v_coupon and r.state = 'reserved';
    return pg_catalog.jsonb_build_object('outcome', 'replace', 'bookingIds', pg_catalog.to_jsonb(still_open));
  end if;

  perform from private.booking b where b.id = any (replaced) order by coalesce(b.order_id, b.id), b.order_place for update;
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

  held := null;
  for span in
    select s.value as j, s.place::smallint as place, (s.value ->> 'couponId')::uuid as coupon
    from pg_catalog.jsonb_array_elements(v_spans) with ordinality s(value, place) order by s.place
  loop
    -- The id of the first one names the order.
    insert into private.booking (id, order_id, order_place, order_size, reference, user_id, studio_id, studio_name, start_time, end_time, status,
      hold_expires_at, total_hours, slots, base_cost_cents, discount_cents, coupon_id, coupon_terms, coupon_discount_cents, final_cost_cents,
      id_verification_id, terms_version, policy, contact_phone, created_at)
    select n.id, case when v_size > 1 then coalesce(held.id, n.id) end, case when v_size > 1 then span.place end, case when v_size > 1 then v_size end,
      private.new_reference(), v_user, v_studio, p ->> 'studioName', (span.j ->> 'startTime')::timestamptz, (span.j ->> 'endTime')::timestamptz, 'pending',
      (p ->> 'holdExpiresAt')::timestamptz, (span.j ->> 'totalHours')::numeric, span.j -> 'slots', (span.j ->> 'baseCostCents')::integer,
      (span.j ->> 'discountCents')::integer, span.coupon, case when span.coupon is not null then p -> 'couponTerms' end,
      (span.j ->> 'couponDiscountCents')::integer, (span.j ->> 'finalCostCents')::integer, (p ->> 'idVerificationId')::uuid, p ->> 'termsVersion',
      p -> 'policy', v_phone, p_now
    from (select pg_catalog.gen_random_uuid() as id) n
    on conflict do nothing returning * into made;
    if made.id is null then
      if v_size = 1 and pg_catalog.cardinality(replaced) = 0 and pg_catalog.cardinality(moved) = 0 then
        return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', '[]'::jsonb, 'mine', null);
      end if;
      raise exception 'that time was taken in this moment' using errcode = 'HC002';
    end if;
    if span.place = 1 then held := made; end if;
  end loop;

  -- The codes are locked after the hours, as everywhere else. A use that moves within one code does not change its counter.
  for change in
    select c.id, pg_catalog.sum(c.units)::integer as units
    from (select pg_catalog.unnest(moved) as id, -1 as units union all select v_coupon, v_units where v_coupon is not null) c
    group by c.id order by c.id
  loop
    if change.id is distinct from v_coupon then
      update public.discount_codes d set current_uses = d.current_uses + change.units where d.id = change.id;
      continue;
    end if;
    update public.discount_codes d set current_uses = d.current_uses + change.units
    where d.id = v_coupon and d.active and (d.expires_at is null or d.expires_at > p_now)
      and (change.units <= 0 or d.max_uses is null or d.current_uses + change.units <= d.max_uses)
      and d.discount_type = p -> 'couponTerms' ->> 'discountType' and d.discount_value = (p -> 'couponTerms' ->> 'discountValue')::numeric
      and (d.per_user_limit is null or d.per_user_limit >= v_units + (
        select count(*) from private.coupon_redemption r where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned'));
    if not found then
      raise exception 'This code has been fully used.' using errcode = 'HC001';
    end if;
  end loop;
  if v_coupon is not null then
    insert into private.coupon_redemption (booking_id, coupon_id, user_id)
    select b.id, b.coupon_id, v_user from private.booking b where (b.id = held.id or b.order_id = held.id) and b.coupon_id is not null;
  end if;

  insert into public.terms_acceptances (user_id, version, accepted_at) values (v_user, p ->> 'termsVersion', p_now) on conflict do nothing;

  -- Each booking of an order has its share of the payment. The session belongs to the share of the first one.
  insert into private.payment (id, share_of, booking_id, attempt, kind, key, amount_cents, session_expires_at, session_id)
  select n.id, case when v_size > 1 then n.id end, held.id, 1, case when v_total = 0 then 'free' else 'card' end, 'create:' || held.id || ':1',
    held.final_cost_cents, (p ->> 'sessionExpiresAt')::timestamptz, case when v_total = 0 then 'free_' || held.id end
  from (select pg_catalog.gen_random_uuid() as id) n
  returning * into due;
  insert into private.payment (booking_id, share_of, attempt, kind, key, amount_cents, session_expires_at, session_id)
  select b.id, due.id, 1, due.kind, 'create:' || b.id || ':1', b.final_cost_cents, due.session_expires_at, due.session_id
  from private.booking b where b.order_id = held.id and b.id <> held.id order by b.order_place;
  return pg_catalog.jsonb_build_object('outcome', 'held', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
end
$$;
