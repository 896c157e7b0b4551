-- Checks the rules about person, weekdays and hours again when a hold uses a code, because a rule may have changed
-- since the code was checked. `private.hold_booking` has already locked the code. Raises HC003 with the text for the
-- customer.
create or replace function private.refuse_unfit_redemption()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_code public.discount_codes;
  v_held private.booking;
  v_problem text;
begin
  select * into v_code from public.discount_codes d where d.id = new.coupon_id;
  select * into v_held from private.booking b where b.id = new.booking_id;
  v_problem := coalesce(
    private.coupon_person_problem(v_code, v_held.user_id, v_held.created_at),
    case when private.coupon_misses_hours(v_code, v_held.start_time, v_held.end_time) then 'other_hours' end);
  if v_problem is not null then
    raise exception '%', private.coupon_problem_text(v_problem, v_code) using errcode = 'HC003';
  end if;
  return new;
end
$$;

create trigger coupon_redemption_fits before insert on private.coupon_redemption
  for each row execute function private.refuse_unfit_redemption();

-- Commits the use of a code when its booking is confirmed, and gives it back when the booking is cancelled, unless
-- the use is moving to a new hold (`moving_until`). `moving_until` is compared with the time of the cancellation
-- because both come from the server's clock; the database's clock may differ.
create or replace function private.update_redemption()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.status = 'confirmed' and old.status = 'pending' then
    update private.coupon_redemption
    set state = 'committed', moving_until = null
    where booking_id = new.id and state = 'reserved';
  elsif new.status = 'cancelled' and old.status <> 'cancelled' then
    with returned as (
      update private.coupon_redemption
      set state = 'returned', moving_until = null
      where booking_id = new.id and state <> 'returned' and (moving_until is null or moving_until <= new.cancelled_at)
      returning coupon_id
    )
    update public.discount_codes d
    set current_uses = d.current_uses - 1
    from returned r
    where d.id = r.coupon_id;
  end if;
  return null;
end
$$;

create trigger booking_redemption after update of status on private.booking
  for each row execute function private.update_redemption();

-- Gives back the uses of a code that were moving to a new hold which was never made, and returns their number.
-- Idempotent.
create or replace function private.return_abandoned_redemptions(p_coupon uuid, p_now timestamptz)
returns integer language plpgsql set search_path = '' as $$
declare
  v_units integer;
begin
  with left_over as (
    update private.coupon_redemption r
    set state = 'returned', moving_until = null
    from private.booking b
    where r.coupon_id = p_coupon and r.state = 'reserved' and r.moving_until <= p_now
      and b.id = r.booking_id and b.status = 'cancelled'
    returning r.booking_id
  )
  select count(*) into v_units from left_over;
  if v_units > 0 then
    update public.discount_codes d set current_uses = d.current_uses - v_units where d.id = p_coupon;
  end if;
  return v_units;
end
$$;

-- Returns for how many bookings a customer can use a code; null if the code has no limit. Uses that the customer's
-- own unpaid holds have reserved count as free, as in private.coupon_problem_code().
create or replace function private.coupon_units(p_code text, p_user uuid, p_now timestamptz) returns integer
language sql stable set search_path = '' as $$
  select greatest(0, least(
    d.max_uses - d.current_uses + (
      select count(*) from private.coupon_redemption r join private.booking b on b.id = r.booking_id
      where r.coupon_id = d.id and r.state = 'reserved'
        and (r.user_id = p_user or (b.status = 'cancelled' and r.moving_until <= p_now))),
    d.per_user_limit - (
      select count(*) from private.coupon_redemption r
      where r.coupon_id = d.id and r.user_id = p_user and r.state = 'committed')))::integer
  from public.discount_codes d where pg_catalog.upper(d.code) = pg_catalog.upper(p_code)
$$;
