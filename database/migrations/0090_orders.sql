-- Orders: two to eight bookings of one account that are held and paid together, such as the same hours each week. Each has its share of the payment
-- as a payment of its own, so after the payment each changes like any other booking.

alter table private.booking
  -- The first booking of its order, also for that one itself; null for a booking that was made alone.
  add column order_id uuid references private.booking (id),
  -- Which of its order it is by time when it was made, and how many there were.
  add column order_place smallint check (order_place > 0),
  add column order_size smallint check (order_size between 2 and 8),
  add constraint booking_order check ((order_id is null) = (order_place is null) and (order_id is null) = (order_size is null)
    and order_place <= order_size and (order_id is null or (order_id = id) = (order_place = 1))
    and (order_id is null or (moves_booking is null and waitlist_entry_id is null)));
create unique index booking_by_order on private.booking (order_id, order_place) where order_id is not null;

-- The payment of an order: each share names the one of the first booking, also that one itself. null: the payment of one booking.
alter table private.payment
  add column share_of uuid references private.payment (id),
  drop constraint payment_session_id_key;
create unique index payment_session on private.payment (session_id) where share_of is null or share_of = id;
create index payment_shares on private.payment (share_of) where share_of is not null;

-- A refund that people make at the provider is divided among the shares of an order.
alter table private.refund drop constraint refund_pkey, add primary key (id, payment_id);

-- What an order is does not change.
create function private.freeze_order() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'an order is frozen' using errcode = '23514', constraint = 'order_frozen';
end
$$;
create trigger booking_order_frozen before update on private.booking for each row
  when ((old.order_id, old.order_place, old.order_size) is distinct from (new.order_id, new.order_place, new.order_size))
  execute function private.freeze_order();
create trigger payment_share_frozen before update on private.payment for each row
  when (old.share_of is distinct from new.share_of) execute function private.freeze_order();

-- When a transaction ends, an order is complete, and all of it is held or nothing.
create function private.check_order() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  broken boolean;
begin
  select count(*) <> min(b.order_size)
    or bool_or(b.status = 'pending') and (not bool_and(b.status = 'pending') or count(distinct b.hold_expires_at) > 1)
    or tg_op = 'INSERT' and (count(distinct b.user_id) <> 1 or count(distinct b.studio_id) <> 1)
  into broken
  from private.booking b where b.order_id = new.order_id;
  if broken then
    raise exception 'the bookings of order % are not held together', new.order_id using errcode = '23514', constraint = 'booking_order_whole';
  end if;
  return null;
end
$$;
create constraint trigger booking_order_whole after insert or update of status, hold_expires_at on private.booking
  deferrable initially deferred for each row when (new.order_id is not null) execute function private.check_order();
revoke execute on function private.freeze_order(), private.check_order() from public;

create or replace function private.booking_json(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'userId', b.user_id, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at,
    'totalHours', b.total_hours, 'slots', b.slots, 'baseCostCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponDiscountCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCostCents', b.final_cost_cents, 'moves', b.moves,
    'guestEmail', b.guest_email, 'guestName', b.guest_name, 'madeBy', b.made_by, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at,
    'movesBooking', b.moves_booking, 'moveNumber', b.move_number, 'orderId', b.order_id, 'orderPlace', b.order_place,
    'orderSize', b.order_size)
$$;

create or replace function private.payment_json(x private.payment) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paidCents', x.paid_cents, 'refundedCents', x.refunded_cents, 'refundFailures', x.refund_failures,
    'disputeId', x.dispute_id, 'disputeStatus', x.dispute_status,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at, 'moveNumber', x.move_number,
    'card', x.card, 'cardAt', x.card_at, 'replacedUntil', x.replaced_until, 'shareOf', x.share_of)
$$;

-- Locks a booking until the transaction ends, with all bookings of its order, in their order. Returns them; an empty list when there is none.
create function private.lock_order(p_booking uuid) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_order constant uuid := (select b.order_id from private.booking b where b.id = p_booking);
begin
  if v_order is null then
    return coalesce('[]'::jsonb || private.lock_booking(p_booking), '[]');
  end if;
  perform from private.booking b where b.order_id = v_order order by b.order_place for update;
  return (select pg_catalog.jsonb_agg(private.booking_json(b) order by b.order_place) from private.booking b where b.order_id = v_order);
end
$$;

-- The unpaid bookings of a person among these, with those of their orders.
create function private.own_held_orders(p_user uuid, p_bookings uuid[]) returns uuid[] language sql stable set search_path = '' as $$
  select case when pg_catalog.cardinality(p_bookings) = 0 then p_bookings else coalesce((
    select pg_catalog.array_agg(b.id) from private.booking b
    where b.user_id = p_user and b.status = 'pending' and coalesce(b.order_id, b.id) in (
      select coalesce(o.order_id, o.id) from private.booking o where o.id = any (p_bookings))), '{}') end
$$;

-- As before, and an order counts as one.
create or replace function private.unpaid_holds(p_user uuid, p_now timestamptz) returns setof private.booking language sql stable set search_path = '' as $$
  select b.* from private.booking b
  where b.user_id = p_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test' and b.made_by is null
    and b.waitlist_entry_id is null and (b.order_id is null or b.order_id = b.id)
    and (b.status = 'pending' or b.created_at > p_now - interval '1 hour') and b.cancel_reason is distinct from 'payment_failed'
    and not private.payment_is_processing(b.id)
$$;

-- For how many bookings a person can use a code now; null without a limit. Uses that own unpaid holds have reserved count as free, as in
-- `private.coupon_problem_code`.
create function private.coupon_units(p_code text, p_user uuid, p_now timestamptz) returns integer language sql stable set search_path = '' as $$
  select greatest(0, least(
    d.max_uses - d.current_uses + (
      select count(*) from private.coupon_redemption r join private.booking b on b.id = r.booking_id
      where r.coupon_id = d.id and r.state = 'reserved' and (r.user_id = p_user or (b.status = 'cancelled' and r.moving_until <= p_now))),
    d.per_user_limit - (
      select count(*) from private.coupon_redemption r where r.coupon_id = d.id and r.user_id = p_user and r.state = 'committed')))::integer
  from public.discount_codes d where pg_catalog.upper(d.code) = pg_catalog.upper(p_code)
$$;

-- What is in the way of each of these spans of a studio, in their order: 'taken', 'closed' or null. Own unpaid holds are not in the way, nor those that
-- have expired: a new hold takes their place.
create function private.spans_in_the_way(p_studio uuid, p_spans jsonb, p_user uuid, p_now timestamptz) returns text[]
language sql stable set search_path = '' as $$
  select pg_catalog.array_agg(case
    when exists (
      select from private.booking b
      where b.studio_id = p_studio and b.status in ('pending', 'confirmed') and b.during && s.during
        and not (b.status = 'pending' and (b.hold_expires_at <= p_now or b.user_id is not distinct from p_user and p_user is not null
          and not private.payment_is_processing(b.id)))) then 'taken'
    when exists (select from private.closed_span c where c.studio_id = p_studio and c.during && s.during) then 'closed' end order by s.place)
  from (
    select pg_catalog.tstzrange((x.value ->> 'startTime')::timestamptz, (x.value ->> 'endTime')::timestamptz, '[)') as during, x.place
    from pg_catalog.jsonb_array_elements(p_spans) with ordinality x(value, place)) s
$$;

-- Holds hours, and returns what happened:
--   {outcome: 'held' | 'existing', booking, payment}
--   {outcome: 'taken', expired: [ids], mine: reference | null}   `expired`: somebody else's holds that may be released; `mine`: the caller has paid for it
--   {outcome: 'replace', bookingIds}                             own holds whose payment sessions must be closed before this hold replaces them
--   {outcome: 'too_many_holds', holds: [booking], retryAt}       `retryAt` is null when releasing one of `holds` is enough
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

-- As before, for all shares of an order.
create or replace function private.next_payment_attempt(p_payment uuid, p_now timestamptz, p_expires timestamptz)
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
  perform from private.booking b where b.order_id = held.id order by b.order_place for update;
  update private.payment set state = 'expired' where id = before.id or share_of = before.id;
  insert into private.payment (id, share_of, booking_id, attempt, kind, key, amount_cents, session_expires_at, created_at)
  select n.id, case when before.share_of is not null then n.id end, held.id, before.attempt + 1, before.kind,
    'create:' || held.id || ':' || (before.attempt + 1), before.amount_cents, p_expires, p_now
  from (select pg_catalog.gen_random_uuid() as id) n
  returning * into next;
  insert into private.payment (booking_id, share_of, attempt, kind, key, amount_cents, session_expires_at, created_at)
  select x.booking_id, next.id, next.attempt, x.kind, 'create:' || x.booking_id || ':' || next.attempt, x.amount_cents, p_expires, p_now
  from private.payment x where x.share_of = before.id and x.id <> before.id;
  return private.payment_json(next);
end
$$;

-- As before. What the shares of an order got is one payment at the provider, and what went back of them may be one refund.
create or replace function private.ledger_items(p_start timestamptz, p_end timestamptz, p_ids text[]) returns table (
  kind text, id text, booking_id uuid, amount_cents bigint, currency text, at timestamptz
)
language sql stable set search_path = '' as $$
  select 'payment', p.payment_intent_id, (pg_catalog.array_agg(p.booking_id order by p.share_of is distinct from p.id, p.id))[1], sum(p.paid_cents)::bigint,
    min(p.currency), min(coalesce(p.paid_at, p.created_at))
  from private.payment p
  where p.kind = 'card' and p.payment_intent_id is not null and p.paid_cents is not null
    and ((p.paid_at >= p_start and p.paid_at < p_end) or p.payment_intent_id = any (p_ids))
  group by p.payment_intent_id
  union all
  select 'refund', r.id, (pg_catalog.array_agg(p.booking_id order by p.share_of is distinct from p.id, p.id))[1],
    sum(case when r.status in ('failed', 'canceled') then 0 else -r.amount_cents end)::bigint, min(p.currency), min(r.created_at)
  from private.refund r join private.payment p on p.id = r.payment_id
  where (r.created_at >= p_start and r.created_at < p_end) or r.id = any (p_ids)
  group by r.id
  union all
  select 'dispute', d.id, p.booking_id,
    case when d.status = 'won' or d.provider_status like 'warning\_%' then 0 else -d.amount_cents end, p.currency, d.opened_at
  from private.dispute d join private.payment p on p.id = d.payment_id
  where (d.opened_at >= p_start and d.opened_at < p_end) or d.id = any (p_ids)
$$;

-- As before, and which booking of which order each is.
drop function public.own_bookings();
create function public.own_bookings() returns table (
  id uuid, reference text, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, cancel_reason text,
  hold_expires_at timestamptz, total_hours numeric, final_cost numeric, coupon_code text, coupon_type text, coupon_value numeric,
  free_cancel_hours numeric, created_at timestamptz, base_cost numeric, volume_discount numeric, slots jsonb, order_id uuid,
  order_place smallint, order_size smallint
)
language sql stable security definer set search_path = '' as $$
  select b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.cancel_reason,
    b.hold_expires_at, b.total_hours, (b.final_cost_cents / 100.0)::numeric(10, 2), b.coupon_terms ->> 'code', b.coupon_terms ->> 'discountType',
    (b.coupon_terms ->> 'discountValue')::numeric, (b.policy ->> 'freeCancelHours')::numeric, b.created_at,
    (b.base_cost_cents / 100.0)::numeric(10, 2), (b.discount_cents / 100.0)::numeric(10, 2), case when b.status = 'pending' then b.slots end,
    b.order_id, b.order_place, b.order_size
  from private.booking b
  where b.user_id = auth.uid() and b.waitlist_entry_id is null
    and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;

-- The bookings of the order of a booking, for staff; none for a booking that was made alone. Money is cents.
create function public.order_of_booking(reference text) returns table (
  place smallint, size smallint, booking_id uuid, booking_reference text, studio_name text, start_time timestamptz, end_time timestamptz, status text,
  cents integer
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('bookings');
  return query
    select b.order_place, b.order_size, b.id, b.reference, b.studio_name, b.start_time, b.end_time, b.status, b.final_cost_cents
    from private.booking a join private.booking b on b.order_id = a.order_id
    where a.reference = order_of_booking.reference
    order by b.order_place;
end
$$;
revoke execute on function public.own_bookings(), public.order_of_booking(text) from public, anon;
grant execute on function public.own_bookings(), public.order_of_booking(text) to authenticated;
