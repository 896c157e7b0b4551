-- Prices as rows: lists of each studio with the prices of a week, and days with prices of their own.

-- Whether a list has so many elements, each of them in a range: a list of prices has no hole.
create function private.is_filled(list integer[], length integer, low integer, high integer) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.array_ndims(list) = 1 and pg_catalog.array_lower(list, 1) = 1 and pg_catalog.cardinality(list) = length
    and pg_catalog.array_position(list, null) is null and low <= all (list) and high >= all (list), false)
$$;

create table public.price_lists (
  id uuid primary key default gen_random_uuid(),
  studio_id uuid not null references public.studios (id) on delete cascade,
  -- Its first day in Sydney. It is valid until the next list of the studio begins.
  valid_from date not null check (valid_from between '2000-01-01' and '2199-12-31'),
  -- The prices of the hours of a week in cents, Sunday 12 AM first.
  hour_cents integer[] not null,
  -- The volume discount in percent by the number of hours, for 1 hour first.
  volume_percents integer[] not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint price_lists_once unique (studio_id, valid_from),
  constraint price_lists_hours check (private.is_filled(hour_cents, 168, 100, 100000)),
  constraint price_lists_percents check (private.is_filled(volume_percents, 24, 0, 90))
);

create table public.special_days (
  id uuid primary key default gen_random_uuid(),
  studio_id uuid not null references public.studios (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 80),
  first_day date not null check (first_day between '2000-01-01' and '2199-12-31'),
  last_day date not null,
  -- The prices of the hours of each of these days in cents, 12 AM first. The volume discount is that of the price list.
  hour_cents integer[] not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint special_days_order check (last_day >= first_day and last_day <= first_day + 366),
  constraint special_days_hours check (private.is_filled(hour_cents, 24, 100, 100000)),
  constraint special_days_apart exclude using gist (studio_id with =, daterange(first_day, last_day, '[]') with &&)
);

alter table public.price_lists enable row level security, force row level security;
alter table public.special_days enable row level security, force row level security;
create policy "anybody reads the prices of the studios" on public.price_lists for select to anon, authenticated
  using (studio_id in (select s.id from public.studios s));
create policy "anybody reads the special days of the studios" on public.special_days for select to anon, authenticated
  using (studio_id in (select s.id from public.studios s));
grant select on public.price_lists, public.special_days to anon, authenticated;
revoke insert, update, delete, truncate on public.price_lists, public.special_days from service_role;

-- The lists that are valid today or later: what the pages need, however many lists there were before.
create view public.current_price_lists with (security_invoker = true) as
select p.studio_id, p.valid_from, p.hour_cents, p.volume_percents
from public.price_lists p
where not exists (
  select from public.price_lists later
  where later.studio_id = p.studio_id and later.valid_from > p.valid_from
    and later.valid_from <= (pg_catalog.now() at time zone 'Australia/Sydney')::date);
grant select on public.current_price_lists to anon, authenticated;
revoke insert, update, delete, truncate on public.current_price_lists from service_role;

-- Prices whose first day has come are history; of special days that have begun, the days to come can be given up. The prices of a deleted
-- studio go with it.
create function private.keep_price_list() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' or (old.valid_from <= (pg_catalog.clock_timestamp() at time zone 'Australia/Sydney')::date
      and exists (select from public.studios s where s.id = old.studio_id)) then
    raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
  end if;
  return old;
end
$$;
create function private.keep_special_days() returns trigger language plpgsql set search_path = '' as $$
declare
  today constant date := (pg_catalog.clock_timestamp() at time zone 'Australia/Sydney')::date;
begin
  if tg_op = 'UPDATE' and (pg_catalog.to_jsonb(new) - 'last_day' is distinct from pg_catalog.to_jsonb(old) - 'last_day'
      or new.last_day not between today and old.last_day)
    or tg_op = 'DELETE' and old.first_day <= today and exists (select from public.studios s where s.id = old.studio_id) then
    raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
  end if;
  return case tg_op when 'UPDATE' then new else old end;
end
$$;
create trigger price_lists_history before update or delete on public.price_lists for each row execute function private.keep_price_list();
create trigger special_days_history before update or delete on public.special_days for each row execute function private.keep_special_days();

-- The prices that a studio begins with: those of the specification.
create function private.first_prices(out hour_cents integer[], out volume_percents integer[]) language sql immutable set search_path = '' as $$
  select pg_catalog.array_agg(d.price * 100 order by d.at), array[0, 0, 10] || pg_catalog.array_fill(15, array[21])
  from pg_catalog.unnest(array[
    -- 12 AM                                        12 PM
    69, 69, 69, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 69, 69, 69, 69, 69, 59, -- Sunday
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 69, 69, 69, 69, 69, 69,
    69, 69, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 69, 69, 69, 69, 69, 69
  ]) with ordinality d (price, at)
$$;
insert into public.price_lists (studio_id, valid_from, hour_cents, volume_percents)
select s.id, '2000-01-01', f.hour_cents, f.volume_percents from public.studios s, private.first_prices() f;
create function private.add_first_prices() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.price_lists (studio_id, valid_from, hour_cents, volume_percents)
  select new.id, '2000-01-01', f.hour_cents, f.volume_percents from private.first_prices() f;
  return null;
end
$$;
create trigger studios_first_prices after insert on public.studios for each row execute function private.add_first_prices();
revoke execute on function private.keep_price_list(), private.keep_special_days(), private.add_first_prices() from public;

-- Prices as the server reads them and as the audit log keeps them.
create function private.price_list_json(l public.price_lists) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('validFrom', l.valid_from, 'hourCents', l.hour_cents, 'volumePercents', l.volume_percents)
$$;
create function private.special_days_json(d public.special_days) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('name', d.name, 'firstDay', d.first_day, 'lastDay', d.last_day, 'hourCents', d.hour_cents)
$$;

-- What the hours of a studio on these days cost, for rules/pricing.ts: the lists valid on them and their special days.
create function private.rates_json(p_studio uuid, p_from date, p_to date) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'lists', coalesce((select pg_catalog.jsonb_agg(private.price_list_json(l)) from public.price_lists l
      where l.studio_id = p_studio and l.valid_from <= p_to and l.valid_from >= coalesce(
        (select max(e.valid_from) from public.price_lists e where e.studio_id = p_studio and e.valid_from <= p_from), l.valid_from)), '[]'),
    'specialDays', coalesce((select pg_catalog.jsonb_agg(private.special_days_json(d)) from public.special_days d
      where d.studio_id = p_studio and d.first_day <= p_to and d.last_day >= p_from), '[]'))
$$;

create function private.integers(list jsonb) returns integer[] language sql immutable set search_path = '' as $$
  select array(select e.value::integer from pg_catalog.jsonb_array_elements_text(list) with ordinality e order by e.ordinality)
$$;
create function private.audit_prices(p_actor uuid, p_type text, p_studio uuid, p_before jsonb, p_after jsonb) returns void
language sql volatile set search_path = '' as $$
  select private.audit(p_actor, case when p_before is null then 'create' when p_after is null then 'delete' else 'update' end, p_type,
    p_studio::text, pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('before', p_before, 'after', p_after)))
$$;

-- studios.hourly_rate is the cheapest hour of the valid list, in dollars.
create function private.update_hourly_rates(p_now timestamptz) returns void language sql volatile set search_path = '' as $$
  update public.studios s set hourly_rate = l.cheapest
  from (
    select distinct on (l.studio_id) l.studio_id, (select min(c) / 100.0 from pg_catalog.unnest(l.hour_cents) c) as cheapest
    from public.price_lists l where l.valid_from <= (p_now at time zone 'Australia/Sydney')::date
    order by l.studio_id, l.valid_from desc) l
  where s.id = l.studio_id and s.hourly_rate <> l.cheapest
$$;

-- Sets the price list of a studio, or of all, from a day on: p is {studioId, validFrom, prices: {hourCents, volumePercents}}. Without prices it
-- removes the list that begins on that day. Returns 'set', 'no_studio', or 'none' when there is nothing to remove. Raises price_history for a
-- day that has come; prices can begin today when none do yet.
create function private.set_price_list(p jsonb, p_actor uuid, p_now timestamptz) returns text language plpgsql volatile set search_path = '' as $$
declare
  today constant date := (p_now at time zone 'Australia/Sydney')::date;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_from constant date := (p ->> 'validFrom')::date;
  wanted constant jsonb := nullif(p -> 'prices', 'null') || pg_catalog.jsonb_build_object('validFrom', v_from);
  before jsonb;
  studio uuid;
  outcome text := 'no_studio';
begin
  for studio in select s.id from public.studios s where v_studio is null or s.id = v_studio order by s.id for update loop
    select private.price_list_json(l) into before from public.price_lists l where l.studio_id = studio and l.valid_from = v_from;
    if outcome = 'no_studio' then outcome := 'none'; end if;
    if before is null and wanted is null then continue; end if;
    outcome := 'set';
    if before = wanted then continue; end if;
    if v_from < today or (v_from = today and before is not null) then
      raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
    end if;
    delete from public.price_lists l where l.studio_id = studio and l.valid_from = v_from;
    if wanted is not null then
      insert into public.price_lists (studio_id, valid_from, hour_cents, volume_percents)
      values (studio, v_from, private.integers(wanted -> 'hourCents'), private.integers(wanted -> 'volumePercents'));
    end if;
    perform private.audit_prices(p_actor, 'price_list', studio, before, wanted);
  end loop;
  perform private.update_hourly_rates(p_now);
  return outcome;
end
$$;

-- Sets the prices of days for a studio or all: p is {studioId, firstDay, lastDay, prices: {name, hourCents}}. Without prices it removes these
-- days, or those of them that are yet to come. Returns and raises as set_price_list() does; days never have two prices (special_days_apart).
create function private.set_special_days(p jsonb, p_actor uuid, p_now timestamptz) returns text language plpgsql volatile set search_path = '' as $$
declare
  today constant date := (p_now at time zone 'Australia/Sydney')::date;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_first constant date := (p ->> 'firstDay')::date;
  v_last constant date := (p ->> 'lastDay')::date;
  wanted constant jsonb := nullif(p -> 'prices', 'null') || pg_catalog.jsonb_build_object('firstDay', v_first, 'lastDay', v_last);
  before jsonb;
  studio uuid;
  outcome text := 'no_studio';
begin
  for studio in select s.id from public.studios s where v_studio is null or s.id = v_studio order by s.id for update loop
    select private.special_days_json(d) into before from public.special_days d
    where d.studio_id = studio and (d.first_day, d.last_day) = (v_first, v_last);
    if outcome = 'no_studio' then outcome := 'none'; end if;
    if before is null and wanted is null then continue; end if;
    outcome := 'set';
    if before = wanted then continue; end if;
    if wanted is null and v_first <= today and v_last > today then
      update public.special_days d set last_day = today where d.studio_id = studio and (d.first_day, d.last_day) = (v_first, v_last);
      perform private.audit_prices(p_actor, 'special_days', studio, before, before || pg_catalog.jsonb_build_object('lastDay', today));
      continue;
    end if;
    if v_first < today or (v_first = today and before is not null) then
      raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
    end if;
    delete from public.special_days d where d.studio_id = studio and (d.first_day, d.last_day) = (v_first, v_last);
    if wanted is not null then
      insert into public.special_days (studio_id, name, first_day, last_day, hour_cents)
      values (studio, wanted ->> 'name', v_first, v_last, private.integers(wanted -> 'hourCents'));
    end if;
    perform private.audit_prices(p_actor, 'special_days', studio, before, wanted);
  end loop;
  return outcome;
end
$$;

-- As before, with the price of a hold before its coupon, so that a customer who returns to it sees the price that was agreed.
drop function public.own_bookings();
create function public.own_bookings() returns table (
  id uuid, reference text, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, cancel_reason text,
  hold_expires_at timestamptz, total_hours numeric, final_cost numeric, coupon_code text, coupon_type text, coupon_value numeric,
  free_cancel_hours numeric, created_at timestamptz, base_cost numeric, volume_discount numeric, slots jsonb
)
language sql stable security definer set search_path = '' as $$
  select b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.cancel_reason,
    b.hold_expires_at, b.total_hours, (b.final_cost_cents / 100.0)::numeric(10, 2), b.coupon_terms ->> 'code', b.coupon_terms ->> 'discountType',
    (b.coupon_terms ->> 'discountValue')::numeric, (b.policy ->> 'freeCancelHours')::numeric, b.created_at,
    (b.base_cost_cents / 100.0)::numeric(10, 2), (b.discount_cents / 100.0)::numeric(10, 2), case when b.status = 'pending' then b.slots end
  from private.booking b
  where b.user_id = auth.uid() and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;
grant execute on function public.own_bookings() to authenticated;
