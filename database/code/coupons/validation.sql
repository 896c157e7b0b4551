-- Checks a code for a booking of `booking_hours` hours and, if `booking_start` and `booking_end` are given, for
-- exactly these hours (only up to 25 hours, so that the check stays cheap). Returns one row: the discount, its rules
-- and, as the specification requires, its uses; or `is_valid` = false and the reason in `error_message`. Every call
-- with a code of up to 50 characters counts as an attempt, see take_coupon_guess(); raises PT429 if there were too
-- many.
create or replace function public.validate_discount_code(
  code_input text, booking_hours numeric, booking_start timestamptz default null, booking_end timestamptz default null
)
returns table (
  id uuid, code text, discount_type text, discount_value numeric, min_hours numeric, expires_at timestamptz,
  max_uses integer, current_uses integer, is_valid boolean, error_message text,
  weekdays smallint[], from_hour smallint, until_hour smallint, works_when text
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_found_code public.discount_codes;
  v_problem text := 'Invalid coupon code';
begin
  if char_length(coalesce(code_input, '')) <= 50 then
    if private.take_coupon_guess(auth.uid(), nullif(current_setting('request.ip', true), '')) is not null then
      raise exception 'Too many attempts. Please try again in a minute.' using errcode = 'PT429';
    end if;
    select * into v_found_code from public.discount_codes d
    where pg_catalog.upper(d.code) = pg_catalog.upper(pg_catalog.btrim(code_input));
    v_problem := coalesce(
      private.coupon_problem(v_found_code, auth.uid(), booking_hours, pg_catalog.now()),
      case when booking_end <= booking_start + interval '25 hours'
          and private.coupon_misses_hours(v_found_code, booking_start, booking_end)
        then private.coupon_problem_text('other_hours', v_found_code) end);
  end if;
  if v_problem is not null then
    return query
      select null::uuid, null::text, null::text, null::numeric, null::numeric, null::timestamptz,
        null::integer, null::integer, false, v_problem,
        null::smallint[], null::smallint, null::smallint, null::text;
    return;
  end if;
  return query
    select v_found_code.id, v_found_code.code, v_found_code.discount_type, v_found_code.discount_value,
      v_found_code.min_hours, v_found_code.expires_at, v_found_code.max_uses, v_found_code.current_uses,
      true, null::text,
      v_found_code.weekdays, v_found_code.from_hour, v_found_code.until_hour, v_found_code.works_when;
end
$$;
grant execute on function public.validate_discount_code(
  text, numeric, timestamp with time zone, timestamp with time zone
) to anon, authenticated;

-- Counts an attempt to enter a code. Wherever a code is entered, the same limits apply: 10 attempts a minute for an
-- account and 30 for an IP address, times the setting `limit_factor`. A null argument is not counted. Returns null if
-- the limits admit the attempt, otherwise the seconds to wait.
create or replace function private.take_coupon_guess(p_user uuid, p_address text)
returns integer language plpgsql volatile security definer set search_path = '' as $$
declare
  v_factor constant numeric := coalesce(
    (select (s.value #>> '{}')::numeric from private.settings s where s.name = 'limit_factor'), 1);
  v_user_wait integer;
  v_address_wait integer;
begin
  if p_user is not null then
    v_user_wait := private.take_limit('coupon-guess', 'user:' || p_user::text, 10 * v_factor, 60, pg_catalog.now());
  end if;
  if p_address is not null then
    v_address_wait := private.take_limit('coupon-guess', 'ip:' || p_address, 30 * v_factor, 60, pg_catalog.now());
  end if;
  -- `greatest` ignores nulls.
  return greatest(v_user_wait, v_address_wait);
end
$$;
