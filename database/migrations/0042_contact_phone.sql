-- The number somebody gave with the payment, which need not be the account's: staff ring it when somebody is at the wrong door.

alter table private.booking add column contact_phone text check (contact_phone ~ '^\+?[0-9]{8,20}$');

-- It is the person's, so it goes when the account goes; what was booked and paid stays.
create function private.clear_contact_phone() returns trigger language plpgsql set search_path = '' as $$
begin
  new.contact_phone := null;
  return new;
end
$$;
revoke all on function private.clear_contact_phone() from public;
create trigger booking_clear_contact_phone before update of user_id on private.booking for each row
  when (new.user_id is null) execute function private.clear_contact_phone();

-- As in 0020, with the number in the branch of the owner, staff and the service.
create or replace view public.bookings as
select b.id, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.total_hours,
  (b.base_cost_cents / 100.0)::numeric(10, 2) as base_cost,
  ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2) as discount_amount,
  (b.coupon_discount_cents / 100.0)::numeric(10, 2) as coupon_discount,
  (b.final_cost_cents / 100.0)::numeric(10, 2) as final_cost,
  b.id_verification_id, b.notes, b.guest_email, b.reference, b.cancel_reason, b.hold_expires_at, b.slots, b.created_at, b.confirmed_at, b.cancelled_at,
  b.contact_phone
from private.booking b
where b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role'
union all
select null, null, b.studio_id, null, b.start_time, b.end_time, b.status, null,
  null, null, null, null,
  null, null, null, null, null, null, null, null, null, null,
  null
from private.booking b
where (b.user_id = (select auth.uid())) is not true and not (select public.is_staff()) and (select auth.role()) is distinct from 'service_role';

-- As in 0010, and keeps the number.
create or replace function private.hold_booking(p jsonb, p_now timestamptz) returns jsonb language plpgsql set search_path = '' as $$
declare
  v_user constant uuid := (p ->> 'userId')::uuid;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  v_cents constant integer := (p ->> 'finalCostCents')::integer;
  v_coupon constant uuid := (p ->> 'couponId')::uuid;
  v_phone constant text := p ->> 'contactPhone';
  held private.booking;
  due private.payment;
  live integer;
  recent integer;
begin
  -- One person's holds are counted one at a time.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || v_user::text, 0));

  select * into held from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.start_time = v_start and b.end_time = v_end;
  if found then
    if held.final_cost_cents <> v_cents or held.coupon_id is distinct from v_coupon then
      return pg_catalog.jsonb_build_object('outcome', 'replace', 'bookingId', held.id);
    end if;
    select * into due from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1;
    if held.hold_expires_at > p_now then
      -- Who comes back and types another number means that one.
      if v_phone is not null and v_phone is distinct from held.contact_phone then
        update private.booking b set contact_phone = v_phone where b.id = held.id;
      end if;
      return pg_catalog.jsonb_build_object('outcome', 'existing', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
    end if;
    return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', pg_catalog.jsonb_build_array(held.id));
  end if;

  select count(*) filter (where b.status = 'pending'), count(*) filter (where b.created_at > p_now - interval '1 hour' and b.cancel_reason is distinct from 'replaced')
  into live, recent
  from private.booking b where b.user_id = v_user and (b.status = 'pending' or b.created_at > p_now - interval '1 hour');
  if live >= (p ->> 'maxLiveHolds')::integer or recent >= (p ->> 'holdsPerHour')::integer then
    return pg_catalog.jsonb_build_object('outcome', 'too_many_holds', 'live', live);
  end if;

  insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, slots,
    base_cost_cents, discount_cents, coupon_id, coupon_discount_cents, final_cost_cents, id_verification_id, terms_version, policy, contact_phone, created_at)
  values (private.new_reference(), v_user, v_studio, p ->> 'studioName', v_start, v_end, 'pending', (p ->> 'holdExpiresAt')::timestamptz,
    (p ->> 'totalHours')::numeric, p -> 'slots', (p ->> 'baseCostCents')::integer, (p ->> 'discountCents')::integer, v_coupon,
    (p ->> 'couponDiscountCents')::integer, v_cents, (p ->> 'idVerificationId')::uuid, p ->> 'termsVersion', p -> 'policy', v_phone, p_now)
  on conflict do nothing returning * into held;
  if held.id is null then
    return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', coalesce((
      select pg_catalog.jsonb_agg(b.id) from private.booking b
      where b.studio_id = v_studio and b.status = 'pending' and b.hold_expires_at <= p_now and b.during && pg_catalog.tstzrange(v_start, v_end, '[)')), '[]'));
  end if;

  if v_coupon is not null then
    update public.discount_codes d set current_uses = d.current_uses + 1
    where d.id = v_coupon and d.active and (d.expires_at is null or d.expires_at > p_now) and (d.max_uses is null or d.current_uses < d.max_uses)
      and d.discount_type = p ->> 'couponType' and d.discount_value = (p ->> 'couponValue')::numeric
      and (d.per_user_limit is null or d.per_user_limit > (
        select count(*) from private.coupon_redemption r where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned'));
    if not found then
      raise exception 'This code has been fully used.' using errcode = 'HC001';
    end if;
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
