-- Returns the reason why a person cannot use a code for a booking of `p_hours` hours, as a text for the customer;
-- null if the code can be used. The weekdays and hours of the code are checked by coupon_misses_hours().
create or replace function private.coupon_problem(
  p_coupon public.discount_codes, p_user uuid, p_hours numeric, p_now timestamptz
)
returns text language sql stable set search_path = '' as $$
  select private.coupon_problem_text(private.coupon_problem_code(p_coupon, p_user, p_hours, p_now), p_coupon)
$$;

-- Returns the reason as a word: 'invalid', 'expired', 'sign_in', 'other_customer', 'not_yet', 'fully_used',
-- 'used_before' or 'too_few_hours'; null if the code can be used. A use that an unpaid hold of the same customer has
-- reserved counts as free for that customer, and so does a use that was moving to a new hold which was never made.
create or replace function private.coupon_problem_code(
  p_coupon public.discount_codes, p_user uuid, p_hours numeric, p_now timestamptz
)
returns text language sql stable set search_path = '' as $$
  select case
    when p_coupon.id is null or not p_coupon.active then 'invalid'
    when p_coupon.expires_at is not null and p_coupon.expires_at <= p_now then 'expired'
    when private.coupon_person_problem(p_coupon, p_user, p_now) is not null
      then private.coupon_person_problem(p_coupon, p_user, p_now)
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

-- Returns the reason why a person cannot use a code yet or at all: 'sign_in', 'other_customer' or 'not_yet'; null if
-- the code's rules about its customer and its first day allow it.
create or replace function private.coupon_person_problem(
  p_coupon public.discount_codes, p_user uuid, p_now timestamptz
)
returns text language sql stable set search_path = '' as $$
  select case
    when p_coupon.customer_email is not null and p_user is null then 'sign_in'
    when p_coupon.customer_email is not null and not exists (
        select from auth.users u
        where u.id = p_user and pg_catalog.lower(u.email) = p_coupon.customer_email) then 'other_customer'
    when p_coupon.valid_from > p_now then 'not_yet'
  end
$$;

-- Whether a booking has an hour in which the code does not work. `from_hour` is inclusive and `until_hour` exclusive;
-- the span crosses midnight if `until_hour` is the smaller one. The series steps through instants and reads each on
-- Sydney's clock, so an hour that daylight saving skips is never counted.
create or replace function private.coupon_misses_hours(
  p_coupon public.discount_codes, p_start timestamptz, p_end timestamptz
)
returns boolean language sql stable set search_path = '' as $$
  select p_coupon.works_when is not null and exists (
    select
    from pg_catalog.generate_series(p_start, p_end - interval '1 hour', interval '1 hour') as at,
      lateral (
        select extract(hour from at at time zone 'Australia/Sydney') as hour,
          extract(dow from at at time zone 'Australia/Sydney') as day
      ) local
    where not (p_coupon.weekdays is null or local.day = any (p_coupon.weekdays))
      or not (p_coupon.from_hour is null or case when p_coupon.from_hour < p_coupon.until_hour
        then local.hour >= p_coupon.from_hour and local.hour < p_coupon.until_hour
        else local.hour >= p_coupon.from_hour or local.hour < p_coupon.until_hour end))
$$;

-- Returns {problem, problemCode} if the code does not work in one of these hours, otherwise null. Also null for an
-- unknown code.
create or replace function private.coupon_hours_problem(p_code text, p_start timestamptz, p_end timestamptz)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'problem', private.coupon_problem_text('other_hours', d), 'problemCode', 'other_hours')
  from public.discount_codes d
  where pg_catalog.upper(d.code) = pg_catalog.upper(p_code) and private.coupon_misses_hours(d, p_start, p_end)
$$;

-- Returns the text for the customer. Unknown and inactive codes have the same text, so that codes cannot be found by
-- guessing.
create or replace function private.coupon_problem_text(p_problem text, p_coupon public.discount_codes)
returns text language sql immutable set search_path = '' as $$
  select case p_problem
    when 'invalid' then 'Invalid coupon code'
    when 'expired' then 'This code has expired.'
    when 'sign_in' then 'Please sign in to use this code.'
    when 'other_customer' then 'This code is for another email address.'
    when 'not_yet' then 'You can use this code from '
      || pg_catalog.btrim(pg_catalog.to_char(
        p_coupon.valid_from at time zone 'Australia/Sydney', 'FMDD FMMonth YYYY')) || '.'
    when 'fully_used' then 'This code has been fully used.'
    when 'used_before' then 'You’ve already used this code.'
    when 'too_few_hours' then 'This code needs a booking of at least '
      || pg_catalog.trim_scale(p_coupon.min_hours)::text || ' hours.'
    when 'other_hours' then 'This code works ' || p_coupon.works_when || '.'
  end
$$;

-- Describes when a code with these rules works, such as "Monday to Thursday from 9 am to 5 pm"; null if it always
-- works. Weekday 0 is Sunday, as in the price lists.
create or replace function private.coupon_hours_text(p_weekdays smallint[], p_from smallint, p_until smallint)
returns text language plpgsql immutable set search_path = '' as $$
declare
  v_names constant text[] := '{Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday}';
  v_days integer[];
  v_words text;
begin
  -- In the text, weeks begin on Monday.
  select pg_catalog.array_agg(
    distinct case d when 0 then 7 else d end order by case d when 0 then 7 else d end)
  into v_days from pg_catalog.unnest(p_weekdays) d;
  if pg_catalog.cardinality(v_days) >= 3
    and v_days[pg_catalog.cardinality(v_days)] - v_days[1] = pg_catalog.cardinality(v_days) - 1
  then
    v_words := v_names[v_days[1]] || ' to ' || v_names[v_days[pg_catalog.cardinality(v_days)]];
  elsif v_days is not null then
    select pg_catalog.string_agg(
      v_names[d.day] || case
        when d.at = pg_catalog.cardinality(v_days) then ''
        when d.at = pg_catalog.cardinality(v_days) - 1 then ' and '
        else ', ' end,
      '' order by d.at)
    into v_words from pg_catalog.unnest(v_days) with ordinality as d(day, at);
  end if;
  if p_from is null then return v_words; end if;
  return pg_catalog.concat_ws(
    ' ', v_words, 'from ' || private.hour_text(p_from) || ' to ' || private.hour_text(p_until));
end
$$;

-- Returns an hour of the day (0 to 24) as people say it, such as "9 am", "noon" or "midnight".
create or replace function private.hour_text(p_hour smallint)
returns text language sql immutable set search_path = '' as $$
  select case
    when p_hour % 24 = 0 then 'midnight'
    when p_hour = 12 then 'noon'
    when p_hour < 12 then p_hour || ' am'
    else p_hour - 12 || ' pm' end
$$;
