-- Holding hours: what the checkout reads, and the one function that makes a hold.

-- Everything that the checkout must know of a person, a studio and a code, in one query.
create function private.checkout_json(p_user uuid, p_studio uuid, p_code text, p_hours numeric, p_now timestamptz)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  coupon public.discount_codes;
  problem text;
begin
  if p_code is not null then
    select * into coupon from public.discount_codes d where pg_catalog.upper(d.code) = pg_catalog.upper(p_code);
    problem := private.coupon_problem_code(coupon, p_user, p_hours, p_now);
  end if;
  return pg_catalog.jsonb_build_object(
    'studio', (select pg_catalog.jsonb_build_object('id', s.id, 'name', s.name) from public.studios s where s.id = p_studio and s.active),
    'profile', (select pg_catalog.jsonb_build_object('fullName', p.full_name, 'dateOfBirth', p.date_of_birth, 'email', p.email, 'phone', p.phone)
      from public.profiles p where p.user_id = p_user),
    'mailConfirmed', (select u.email_confirmed_at is not null from auth.users u where u.id = p_user),
    'termsAccepted', (select pg_catalog.jsonb_agg(t.version) from public.terms_acceptances t where t.user_id = p_user),
    'verification', (select pg_catalog.jsonb_build_object('id', v.id, 'expiresAt', v.expires_at) from public.id_verifications v
      where v.user_id = p_user and v.verification_status = 'verified' and v.expires_at > p_now order by v.expires_at desc limit 1),
    'coupon', case when p_code is null then null else pg_catalog.jsonb_build_object(
      'id', coupon.id, 'code', coupon.code, 'discountType', coupon.discount_type, 'discountValue', coupon.discount_value,
      'problem', private.coupon_problem_text(problem, coupon), 'problemCode', problem) end
  );
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

-- The bookings that count as unpaid holds of a person: pending now, or made within the last hour and then released, cancelled or replaced. One
-- that was ever confirmed does not count, nor one whose payment failed or is processing, nor a test booking of staff.
create function private.unpaid_holds(p_user uuid, p_now timestamptz) returns setof private.booking language sql stable set search_path = '' as $$
  select b.* from private.booking b
  where b.user_id = p_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test'
    and (b.status = 'pending' or b.created_at > p_now - interval '1 hour') and b.cancel_reason is distinct from 'payment_failed'
    and not private.payment_is_processing(b.id)
$$;

-- Holds hours, and returns what happened:
--   {outcome: 'held' | 'existing', booking, payment}
--   {outcome: 'taken', expired: [ids], mine: reference | null}   `expired`: somebody else's holds that may be released; `mine`: the caller has paid for it
--   {outcome: 'replace', bookingIds}                             own holds whose payment sessions must be closed before this hold replaces them
--   {outcome: 'too_many_holds', holds: [booking], retryAt}       `retryAt` is null when releasing one of `holds` is enough
-- Raises HC001 when the code has no use left, HC002 when somebody took the hours at the same moment. Both undo everything.
create function private.hold_booking(p jsonb, p_now timestamptz) returns jsonb language plpgsql set search_path = '' as $$
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
  -- Two requests of one person wait for each other, so that each counts the other's hold.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || v_user::text, 0));

  select * into held from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.start_time = v_start and b.end_time = v_end;
  if found then
    select * into due from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1;
    if held.hold_expires_at > p_now and held.final_cost_cents = v_cents and held.coupon_id is not distinct from v_coupon
       and due.state is distinct from 'expired' then
      -- The number typed last counts.
      if v_phone is not null and v_phone is distinct from held.contact_phone then
        update private.booking b set contact_phone = v_phone where b.id = held.id;
      end if;
      return pg_catalog.jsonb_build_object('outcome', 'existing', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
    end if;
  end if;

  -- The new hold replaces the person's own unpaid holds that overlap it.
  select coalesce(pg_catalog.array_agg(b.id), '{}') into replaced from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.during && v_span;

  -- It also replaces own holds elsewhere, as many as it needs uses of its code from.
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

  -- The codes are locked after the hours, as everywhere else. A use that moves within one code does not change its counter.
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
