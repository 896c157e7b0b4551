-- Uses of discount codes: reserved with the hold, committed when the booking is confirmed, returned when it is cancelled.

create table private.coupon_redemption (
  booking_id uuid primary key references private.booking (id),
  coupon_id uuid not null references public.discount_codes (id),
  user_id uuid,
  state text not null default 'reserved' check (state in ('reserved', 'committed', 'returned')),
  created_at timestamptz not null default clock_timestamp(),
  -- Set while the payment session of a hold that is being replaced is closed. The provider's event may cancel that hold first, and its use must
  -- not go to somebody else before the new hold takes it. After this time the use is returned.
  moving_until timestamptz
);
create index coupon_redemption_by_coupon on private.coupon_redemption (coupon_id) where state <> 'returned';
create index coupon_redemption_by_user on private.coupon_redemption (user_id, coupon_id) where state <> 'returned';
alter table private.coupon_redemption enable row level security, force row level security;

-- Commits or returns the use when its booking is confirmed or cancelled: in a trigger, so that no code path can forget it.
create function private.update_redemption() returns trigger language plpgsql security definer set search_path = '' as $$
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
create trigger booking_redemption after update of status on private.booking for each row execute function private.update_redemption();

-- Returns the uses of a code whose new hold never came; the result is their number.
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

-- Returns why a code cannot be used: 'invalid', 'expired', 'fully_used', 'used_before' or 'too_few_hours'; null for a code that can be used.
-- Uses that the customer's own unpaid holds have reserved count as free to that customer.
create function private.coupon_problem_code(p_coupon public.discount_codes, p_user uuid, p_hours numeric, p_now timestamptz)
returns text language sql stable set search_path = '' as $$
  select case
    when p_coupon.id is null or not p_coupon.active then 'invalid'
    when p_coupon.expires_at is not null and p_coupon.expires_at <= p_now then 'expired'
    when p_coupon.max_uses is not null and p_coupon.current_uses - (
        select count(*) from private.coupon_redemption r join private.booking b on b.id = r.booking_id
        where r.coupon_id = p_coupon.id and r.state = 'reserved'
          and (r.user_id = p_user or (b.status = 'cancelled' and r.moving_until <= p_now))
      ) >= p_coupon.max_uses then 'fully_used'
    when p_coupon.per_user_limit is not null and (
        select count(*) from private.coupon_redemption r
        where r.coupon_id = p_coupon.id and r.user_id = p_user and r.state = 'committed'
      ) >= p_coupon.per_user_limit then 'used_before'
    when p_coupon.min_hours is not null and p_hours < p_coupon.min_hours then 'too_few_hours'
  end
$$;

-- Returns the text for the customer. Unknown and inactive codes have the same text, so that nobody finds codes by trying.
create function private.coupon_problem_text(p_problem text, p_coupon public.discount_codes)
returns text language sql immutable set search_path = '' as $$
  select case p_problem
    when 'invalid' then 'Invalid coupon code'
    when 'expired' then 'This code has expired.'
    when 'fully_used' then 'This code has been fully used.'
    when 'used_before' then 'You’ve already used this code.'
    when 'too_few_hours' then 'This code needs a booking of at least ' || pg_catalog.trim_scale(p_coupon.min_hours)::text || ' hours.'
  end
$$;

create function private.coupon_problem(p_coupon public.discount_codes, p_user uuid, p_hours numeric, p_now timestamptz)
returns text language sql stable set search_path = '' as $$
  select private.coupon_problem_text(private.coupon_problem_code(p_coupon, p_user, p_hours, p_now), p_coupon)
$$;
