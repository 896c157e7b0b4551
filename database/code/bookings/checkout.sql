-- Returns what the checkout reads about a customer, a studio and a code, in one query: {studio, profile,
-- mailConfirmed, termsAccepted, verification, coupon}. `studio` is null if it is not active, `verification` if the
-- customer has no verified ID, and `coupon` if no code is given. If the code cannot be used for `p_hours` hours,
-- `coupon.problem` is the message for the customer and `coupon.problemCode` the reason; otherwise both are null.
create or replace function private.checkout_json(
  p_user uuid, p_studio uuid, p_code text, p_hours numeric, p_now timestamptz
)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_coupon public.discount_codes;
  v_problem text;
begin
  if p_code is not null then
    select * into v_coupon from public.discount_codes d where pg_catalog.upper(d.code) = pg_catalog.upper(p_code);
    v_problem := private.coupon_problem_code(v_coupon, p_user, p_hours, p_now);
  end if;
  return pg_catalog.jsonb_build_object(
    'studio', (
      select pg_catalog.jsonb_build_object('id', s.id, 'name', s.name)
      from public.studios s where s.id = p_studio and s.active),
    'profile', (
      select pg_catalog.jsonb_build_object(
        'fullName', p.full_name, 'dateOfBirth', p.date_of_birth, 'email', p.email, 'phone', p.phone)
      from public.profiles p where p.user_id = p_user),
    'mailConfirmed', (select u.email_confirmed_at is not null from auth.users u where u.id = p_user),
    'termsAccepted', (
      select pg_catalog.jsonb_agg(t.version) from public.terms_acceptances t where t.user_id = p_user),
    'verification', (
      select pg_catalog.jsonb_build_object('id', v.id, 'expiresAt', v.expires_at)
      from public.id_verifications v
      where v.user_id = p_user and v.verification_status = 'verified' and v.expires_at > p_now
      order by v.expires_at desc limit 1),
    'coupon', case when p_code is null then null else pg_catalog.jsonb_build_object(
      'id', v_coupon.id, 'code', v_coupon.code, 'discountType', v_coupon.discount_type,
      'discountValue', v_coupon.discount_value, 'problem', private.coupon_problem_text(v_problem, v_coupon),
      'problemCode', v_problem) end
  );
end
$$;

-- Returns a customer's unpaid hold of exactly these hours, as {booking, couponId, coupon, payable}; null if there is
-- none. `coupon` is the coupon frozen with the price, and `payable` is whether the hold has a payment that has not
-- expired.
create or replace function private.own_hold(p_user uuid, p_studio uuid, p_start timestamptz, p_end timestamptz)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'booking', private.booking_json(b), 'couponId', b.coupon_id, 'coupon', b.coupon_terms,
    'payable', exists (select from private.payment x where x.booking_id = b.id and x.state <> 'expired'))
  from private.booking b
  where b.user_id = p_user and b.studio_id = p_studio and b.status = 'pending'
    and b.start_time = p_start and b.end_time = p_end
$$;
