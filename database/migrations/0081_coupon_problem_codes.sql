-- Why a discount code cannot be used: a code for the program, a text for people. No program compares the text.

-- Returns 'invalid', 'expired', 'fully_used', 'used_before' or 'too_few_hours'; null for a code that can be used. Units that the customer's
-- own unpaid holds have reserved count as free to that customer.
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

-- Returns the text for the customer.
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
revoke all on function private.coupon_problem_code(public.discount_codes, uuid, numeric, timestamptz),
  private.coupon_problem_text(text, public.discount_codes) from public;

create or replace function private.coupon_problem(p_coupon public.discount_codes, p_user uuid, p_hours numeric, p_now timestamptz)
returns text language sql stable set search_path = '' as $$
  select private.coupon_problem_text(private.coupon_problem_code(p_coupon, p_user, p_hours, p_now), p_coupon)
$$;

-- As in 0010, and the coupon has its `problemCode` beside its `problem`.
create or replace function private.checkout_json(p_user uuid, p_studio uuid, p_code text, p_hours numeric, p_now timestamptz)
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
