-- The check of a discount code returns its uses, as the specification says. As in 0057, with them.
create or replace function public.validate_discount_code(
  code_input text, booking_hours numeric, booking_start timestamptz default null, booking_end timestamptz default null
) returns table (
  id uuid, code text, discount_type text, discount_value numeric, min_hours numeric, expires_at timestamptz,
  max_uses integer, current_uses integer, is_valid boolean, error_message text,
  weekdays smallint[], from_hour smallint, until_hour smallint, works_when text
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  found_code public.discount_codes;
  problem text := 'Invalid coupon code';
begin
  if char_length(coalesce(code_input, '')) <= 50 then
    if private.take_coupon_guess(auth.uid(), nullif(current_setting('request.ip', true), '')) is not null then
      raise exception 'Too many attempts. Please try again in a minute.' using errcode = 'PT429';
    end if;
    select * into found_code from public.discount_codes d where pg_catalog.upper(d.code) = pg_catalog.upper(pg_catalog.btrim(code_input));
    problem := coalesce(private.coupon_problem(found_code, auth.uid(), booking_hours, pg_catalog.now()),
      case when booking_end <= booking_start + interval '25 hours' and private.coupon_misses_hours(found_code, booking_start, booking_end)
        then private.coupon_problem_text('other_hours', found_code) end);
  end if;
  if problem is not null then
    return query select null::uuid, null::text, null::text, null::numeric, null::numeric, null::timestamptz, null::integer, null::integer, false, problem,
      null::smallint[], null::smallint, null::smallint, null::text;
    return;
  end if;
  return query select found_code.id, found_code.code, found_code.discount_type, found_code.discount_value, found_code.min_hours,
    found_code.expires_at, found_code.max_uses, found_code.current_uses, true, null::text,
    found_code.weekdays, found_code.from_hour, found_code.until_hour, found_code.works_when;
end
$$;
