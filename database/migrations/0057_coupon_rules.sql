-- Rules of discount codes beside those of the specification: for one person, on some weekdays, at some hours, from a day on. Gift codes are made in
-- batches, each for one use.

-- The codes that staff made at once.
create table private.gift_batch (
  id uuid primary key,
  prefix text not null check (prefix ~ '^[A-Z0-9]{1,20}$'),
  size integer not null check (size between 1 and 500),
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz not null default clock_timestamp()
);
alter table private.gift_batch enable row level security, force row level security;

-- Says when codes with these rules work, such as "Monday to Thursday from 9 am to 5 pm"; null for always. 0 is Sunday, as in the table of prices.
create function private.coupon_hours_text(p_weekdays smallint[], p_from smallint, p_until smallint) returns text language plpgsql immutable set search_path = '' as $$
declare
  names constant text[] := '{Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday}';
  days integer[];
  words text;
begin
  -- Weeks begin on Monday.
  select pg_catalog.array_agg(distinct case d when 0 then 7 else d end order by case d when 0 then 7 else d end) into days from pg_catalog.unnest(p_weekdays) d;
  if pg_catalog.cardinality(days) >= 3 and days[pg_catalog.cardinality(days)] - days[1] = pg_catalog.cardinality(days) - 1 then
    words := names[days[1]] || ' to ' || names[days[pg_catalog.cardinality(days)]];
  elsif days is not null then
    select pg_catalog.string_agg(names[d.day] || case when d.at = pg_catalog.cardinality(days) then '' when d.at = pg_catalog.cardinality(days) - 1 then ' and ' else ', ' end, '' order by d.at)
    into words from pg_catalog.unnest(days) with ordinality as d(day, at);
  end if;
  if p_from is null then return words; end if;
  return pg_catalog.concat_ws(' ', words, 'from ' || private.hour_text(p_from) || ' to ' || private.hour_text(p_until));
end
$$;

create function private.hour_text(p_hour smallint) returns text language sql immutable set search_path = '' as $$
  select case when p_hour % 24 = 0 then 'midnight' when p_hour = 12 then 'noon' when p_hour < 12 then p_hour || ' am' else p_hour - 12 || ' pm' end
$$;

alter table public.discount_codes
  add valid_from timestamptz,
  -- Only the account with this address can use the code.
  add customer_email text check (customer_email = lower(btrim(customer_email)) and char_length(customer_email) <= 255 and customer_email like '%_@_%'),
  -- Every booked hour must be on one of these days, by Sydney's clock. 0 is Sunday.
  add weekdays smallint[] check (weekdays <@ '{0,1,2,3,4,5,6}' and cardinality(weekdays) between 1 and 6),
  -- Every booked hour must be from the first to before the second, by Sydney's clock; over midnight when the second is smaller.
  add from_hour smallint check (from_hour between 0 and 23),
  add until_hour smallint check (until_hour between 1 and 24),
  -- The rules about days and hours in words; written by a trigger.
  add works_when text,
  add gift_batch_id uuid references private.gift_batch (id),
  add constraint discount_codes_hours check ((from_hour is null) = (until_hour is null) and (from_hour is null or from_hour <> until_hour % 24)),
  add constraint discount_codes_dates check (valid_from < expires_at);
create index discount_codes_gift_batch on public.discount_codes (gift_batch_id);
grant insert (valid_from, customer_email, weekdays, from_hour, until_hour) on public.discount_codes to authenticated;
grant update (valid_from, customer_email, weekdays, from_hour, until_hour) on public.discount_codes to authenticated;

create or replace function private.normalise_discount_code() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.code := pg_catalog.upper(pg_catalog.btrim(new.code));
  new.customer_email := nullif(pg_catalog.lower(pg_catalog.btrim(new.customer_email)), '');
  new.works_when := private.coupon_hours_text(new.weekdays, new.from_hour, new.until_hour);
  return new;
end
$$;
drop trigger discount_codes_normalise on public.discount_codes;
create trigger discount_codes_normalise before insert or update of code, customer_email, weekdays, from_hour, until_hour, works_when
  on public.discount_codes for each row execute function private.normalise_discount_code();
revoke execute on function private.normalise_discount_code() from public;

-- As before, with all that staff changed. The codes of a batch have one entry together when they are made.
create or replace function private.audit_discount_code() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  ignored constant text[] := '{current_uses,updated_at}';
  before constant jsonb := case when tg_op = 'UPDATE' then pg_catalog.to_jsonb(old) - ignored end;
  after constant jsonb := case when tg_op = 'UPDATE' then pg_catalog.to_jsonb(new) - ignored end;
begin
  -- Every hold changes the counter; the booking's own entry records that.
  if tg_op = 'UPDATE' and new.current_uses <> old.current_uses then return null; end if;
  if tg_op = 'INSERT' and new.gift_batch_id is not null then return null; end if;
  perform private.audit(auth.uid(), case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end,
    'discount_code', coalesce(new.id, old.id)::text,
    pg_catalog.jsonb_build_object('code', coalesce(new.code, old.code), 'active', new.active, 'discount_type', new.discount_type, 'discount_value', new.discount_value)
    || case when tg_op <> 'UPDATE' then '{}' else (
      select pg_catalog.jsonb_build_object('before', coalesce(pg_catalog.jsonb_object_agg(c.key, before -> c.key), '{}'),
        'after', coalesce(pg_catalog.jsonb_object_agg(c.key, c.value), '{}'))
      from pg_catalog.jsonb_each(after) c where c.value is distinct from before -> c.key) end);
  return null;
end
$$;

-- Whether a booking has an hour at which the code does not work. Hours are those of Sydney's clock, so none is counted that the clocks skip.
create function private.coupon_misses_hours(p_coupon public.discount_codes, p_start timestamptz, p_end timestamptz)
returns boolean language sql stable set search_path = '' as $$
  select p_coupon.works_when is not null and exists (
    select from pg_catalog.generate_series(p_start, p_end - interval '1 hour', interval '1 hour') as at,
      lateral (select extract(hour from at at time zone 'Australia/Sydney') as hour, extract(dow from at at time zone 'Australia/Sydney') as day) local
    where not (p_coupon.weekdays is null or local.day = any (p_coupon.weekdays))
      or not (p_coupon.from_hour is null or case when p_coupon.from_hour < p_coupon.until_hour
        then local.hour >= p_coupon.from_hour and local.hour < p_coupon.until_hour
        else local.hour >= p_coupon.from_hour or local.hour < p_coupon.until_hour end))
$$;

-- Returns why a person cannot use a code now: 'sign_in', 'other_customer' or 'not_yet'; null when the code has no such rule against it.
create function private.coupon_person_problem(p_coupon public.discount_codes, p_user uuid, p_now timestamptz) returns text language sql stable set search_path = '' as $$
  select case
    when p_coupon.customer_email is not null and p_user is null then 'sign_in'
    when p_coupon.customer_email is not null and not exists (
        select from auth.users u where u.id = p_user and pg_catalog.lower(u.email) = p_coupon.customer_email) then 'other_customer'
    when p_coupon.valid_from > p_now then 'not_yet'
  end
$$;

-- As before, with the rules about person and first day.
create or replace function private.coupon_problem_code(p_coupon public.discount_codes, p_user uuid, p_hours numeric, p_now timestamptz)
returns text language sql stable set search_path = '' as $$
  select case
    when p_coupon.id is null or not p_coupon.active then 'invalid'
    when p_coupon.expires_at is not null and p_coupon.expires_at <= p_now then 'expired'
    when private.coupon_person_problem(p_coupon, p_user, p_now) is not null then private.coupon_person_problem(p_coupon, p_user, p_now)
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

create or replace function private.coupon_problem_text(p_problem text, p_coupon public.discount_codes)
returns text language sql immutable set search_path = '' as $$
  select case p_problem
    when 'invalid' then 'Invalid coupon code'
    when 'expired' then 'This code has expired.'
    when 'sign_in' then 'Please sign in to use this code.'
    when 'other_customer' then 'This code is for another email address.'
    when 'not_yet' then 'You can use this code from '
      || pg_catalog.btrim(pg_catalog.to_char(p_coupon.valid_from at time zone 'Australia/Sydney', 'FMDD FMMonth YYYY')) || '.'
    when 'fully_used' then 'This code has been fully used.'
    when 'used_before' then 'You’ve already used this code.'
    when 'too_few_hours' then 'This code needs a booking of at least ' || pg_catalog.trim_scale(p_coupon.min_hours)::text || ' hours.'
    when 'other_hours' then 'This code works ' || p_coupon.works_when || '.'
  end
$$;

-- Returns {problem, problemCode} of a code that does not work at one of these hours, else null.
create function private.coupon_hours_problem(p_code text, p_start timestamptz, p_end timestamptz) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('problem', private.coupon_problem_text('other_hours', d), 'problemCode', 'other_hours')
  from public.discount_codes d
  where pg_catalog.upper(d.code) = pg_catalog.upper(p_code) and private.coupon_misses_hours(d, p_start, p_end)
$$;

-- A rule may change between the check of a code and the hold that uses it. `private.hold_booking` has locked the code before this.
create function private.refuse_unfit_redemption() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  code public.discount_codes;
  held private.booking;
  problem text;
begin
  select * into code from public.discount_codes d where d.id = new.coupon_id;
  select * into held from private.booking b where b.id = new.booking_id;
  problem := coalesce(private.coupon_person_problem(code, held.user_id, held.created_at),
    case when private.coupon_misses_hours(code, held.start_time, held.end_time) then 'other_hours' end);
  if problem is not null then
    raise exception '%', private.coupon_problem_text(problem, code) using errcode = 'HC003';
  end if;
  return new;
end
$$;
create trigger coupon_redemption_fits before insert on private.coupon_redemption for each row execute function private.refuse_unfit_redemption();
revoke execute on function private.refuse_unfit_redemption() from public;

-- Checks a code for a booking of so many hours, and with `booking_start` and `booking_end` for exactly these. Returns one row: the discount and when it
-- works, or the reason why there is none.
drop function public.validate_discount_code(text, numeric);
create function public.validate_discount_code(
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
  -- Only staff see the counters.
  return query select found_code.id, found_code.code, found_code.discount_type, found_code.discount_value, found_code.min_hours,
    found_code.expires_at, null::integer, null::integer, true, null::text,
    found_code.weekdays, found_code.from_hour, found_code.until_hour, found_code.works_when;
end
$$;
grant execute on function public.validate_discount_code(text, numeric, timestamptz, timestamptz) to anon, authenticated;

-- Makes gift codes: `amount` codes for one use each, that begin with the prefix. `terms` are columns of discount_codes. The id of the batch tells a
-- repeated call, which makes none again. Returns how many codes the batch has.
create function public.make_gift_codes(batch uuid, amount integer, prefix text, terms jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_prefix constant text := pg_catalog.upper(pg_catalog.btrim(coalesce(prefix, '')));
  v_terms public.discount_codes;
  made integer := 0;
begin
  perform private.require_permission('settings');
  insert into private.gift_batch (id, prefix, size, made_by)
  values (batch, v_prefix, amount, coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000')) on conflict (id) do nothing;
  if not found then
    return (select count(*) from public.discount_codes d where d.gift_batch_id = batch);
  end if;
  v_terms := pg_catalog.jsonb_populate_record(null::public.discount_codes, terms);
  while made < amount loop
    -- A random code may exist already.
    insert into public.discount_codes (code, discount_type, discount_value, description, min_hours, max_uses, valid_from, expires_at, weekdays, from_hour,
      until_hour, gift_batch_id)
    select v_prefix || '-' || private.new_reference(), v_terms.discount_type, v_terms.discount_value, v_terms.description, v_terms.min_hours, 1,
      v_terms.valid_from, v_terms.expires_at, v_terms.weekdays, v_terms.from_hour, v_terms.until_hour, batch
    from pg_catalog.generate_series(1, amount - made)
    on conflict do nothing;
    select count(*) into made from public.discount_codes d where d.gift_batch_id = batch;
  end loop;
  perform private.audit(auth.uid(), 'create', 'gift_codes', batch::text,
    pg_catalog.jsonb_build_object('prefix', v_prefix, 'amount', amount, 'terms', pg_catalog.jsonb_strip_nulls(terms)));
  return made;
end
$$;

-- What each of these codes brought and cost in dollars: the bookings that stay, their prices, and the discounts in them.
create index booking_by_coupon on private.booking (coupon_id) include (final_cost_cents, coupon_discount_cents)
  where coupon_id is not null and status = 'confirmed';
create function public.discount_code_results(codes uuid[]) returns table (coupon_id uuid, bookings integer, sold numeric, discount numeric)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query
    select b.coupon_id, count(*)::integer, (pg_catalog.sum(b.final_cost_cents) / 100.0)::numeric(12, 2),
      (pg_catalog.sum(b.coupon_discount_cents) / 100.0)::numeric(12, 2)
    from private.booking b
    where b.coupon_id = any (codes[1:1000]) and b.coupon_id is not null and b.status = 'confirmed'
    group by b.coupon_id;
end
$$;

-- The batches of gift codes, newest first, with how many codes are left to use and what they brought and cost.
create function public.gift_batches(most integer default 100) returns table (
  id uuid, prefix text, created_at timestamptz, discount_type text, discount_value numeric, description text, valid_from timestamptz,
  expires_at timestamptz, works_when text, codes integer, used integer, active integer, sold numeric, discount numeric
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query
    with newest as (select g.* from private.gift_batch g order by g.created_at desc, g.id limit least(most, 200))
    select g.id, g.prefix, g.created_at, one.discount_type, one.discount_value, one.description, one.valid_from, one.expires_at, one.works_when,
      n.codes, n.used, n.active, n.sold, n.discount
    from newest g
    cross join lateral (select d.* from public.discount_codes d where d.gift_batch_id = g.id order by d.id limit 1) one
    cross join lateral (
      select count(*)::integer as codes, count(*) filter (where d.current_uses > 0)::integer as used,
        count(*) filter (where d.active and d.current_uses = 0)::integer as active,
        (coalesce(pg_catalog.sum(b.sold), 0) / 100.0)::numeric(12, 2) as sold, (coalesce(pg_catalog.sum(b.discount), 0) / 100.0)::numeric(12, 2) as discount
      from public.discount_codes d
      left join lateral (select pg_catalog.sum(x.final_cost_cents) as sold, pg_catalog.sum(x.coupon_discount_cents) as discount from private.booking x
        where x.coupon_id = d.id and x.status = 'confirmed') b on d.current_uses > 0
      where d.gift_batch_id = g.id) n
    order by g.created_at desc, g.id;
end
$$;

-- Turns the codes of a batch off or on. Returns how many changed.
create function public.set_gift_batch_active(batch uuid, active boolean) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform private.require_permission('settings');
  update public.discount_codes d set active = set_gift_batch_active.active
  where d.gift_batch_id = batch and d.active <> set_gift_batch_active.active;
  get diagnostics changed = row_count;
  return changed;
end
$$;
grant execute on function public.make_gift_codes(uuid, integer, text, jsonb), public.discount_code_results(uuid[]), public.gift_batches(integer),
  public.set_gift_batch_active(uuid, boolean) to authenticated;
