-- The numbers of the business in a range of days.

-- The hours of a span by their weekday (1 = Monday) and hour in Sydney. Sydney's offset from UTC is whole hours.
create function private.studio_hours(p_start timestamptz, p_end timestamptz) returns table (weekday integer, hour integer, hours numeric)
language sql stable set search_path = '' as $$
  select extract(isodow from t at time zone 'Australia/Sydney')::integer, extract(hour from t at time zone 'Australia/Sydney')::integer,
    extract(epoch from least(t + interval '1 hour', p_end) - greatest(t, p_start)) / 3600
  from pg_catalog.generate_series(pg_catalog.date_trunc('hour', p_start), p_end - interval '1 microsecond', interval '1 hour') as t
$$;

-- For each weekday and hour how many hours were booked, and how many could be: all hours of the studios without those that were closed.
create function private.occupancy(p_from timestamptz, p_to timestamptz, p_studio uuid) returns jsonb language sql stable set search_path = '' as $$
  with studio as (
    select s.id from public.studios s where case when p_studio is null then s.active else s.id = p_studio end
  ), booked as (
    select h.weekday, h.hour, sum(h.hours) as hours
    from private.booking b
    cross join lateral private.studio_hours(greatest(b.start_time, p_from), least(b.end_time, p_to)) h
    where b.start_time > p_from - interval '25 hours' and b.start_time < p_to and b.end_time > p_from
      and b.status = 'confirmed' and b.notes is distinct from 'test' and b.studio_id in (select id from studio)
    group by 1, 2
  ), closed as (
    -- Closures may overlap each other; an hour is closed once.
    select h.weekday, h.hour, sum(h.hours) as hours
    from (
      select pg_catalog.unnest(pg_catalog.range_agg(c.during * pg_catalog.tstzrange(p_from, p_to, '[)'))) as span
      from private.closed_span c
      where c.end_time > p_from and c.start_time < p_to and c.studio_id in (select id from studio)
      group by c.studio_id
    ) x cross join lateral private.studio_hours(pg_catalog.lower(x.span), pg_catalog.upper(x.span)) h
    group by 1, 2
  ), possible as (
    select h.weekday, h.hour, sum(h.hours) * (select count(*) from studio) as hours from private.studio_hours(p_from, p_to) h group by 1, 2
  )
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('weekday', p.weekday, 'hour', p.hour,
      'booked', coalesce(b.hours, 0)::double precision, 'open', (p.hours - coalesce(c.hours, 0))::double precision) order by p.weekday, p.hour), '[]')
  from possible p left join booked b using (weekday, hour) left join closed c using (weekday, hour)
$$;

-- The money of each month in Sydney, in cents: what arrived and what was refunded, by the days on which it did. The same rows as in the exports.
create function private.money_by_month(p_from timestamptz, p_to timestamptz, p_studio uuid) returns jsonb language sql stable set search_path = '' as $$
  with money as (
    select p.paid_at as at, p.booking_id, p.paid_cents as paid, 0 as refunded from private.payment p
    where p.paid_at >= p_from and p.paid_at < p_to and p.paid_cents > 0
    union all
    select r.created_at, p.booking_id, 0, r.amount_cents from private.refund r join private.payment p on p.id = r.payment_id
    where r.created_at >= p_from and r.created_at < p_to and r.status = 'succeeded'
  ), months as (
    select pg_catalog.to_char(m.at at time zone 'Australia/Sydney', 'YYYY-MM') as month, sum(m.paid) as paid, sum(m.refunded) as refunded
    from money m
    where p_studio is null or exists (select from private.booking b where b.id = m.booking_id and b.studio_id = p_studio)
    group by 1
  )
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('month', m.month, 'paidCents', m.paid, 'refundedCents', m.refunded) order by m.month), '[]')
  from months m
$$;

create index booking_by_guest on private.booking (guest_email, start_time) where user_id is null and guest_email is not null;

-- The numbers from the first to the last day in Sydney, of one studio or of all. At most 366 days. Money is in cents. private.booking_totals() is
-- made by a later migration, which adds what it counts.
create function public.business_numbers(first_day date, last_day date, studio uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  range_start constant timestamptz := first_day::timestamp at time zone 'Australia/Sydney';
  range_end constant timestamptz := (last_day + 1)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('money');
  if (last_day >= first_day and last_day - first_day < 366) is not true then
    raise exception 'a range of 1 to 366 days is needed' using errcode = '22023';
  end if;
  return pg_catalog.jsonb_build_object('occupancy', private.occupancy(range_start, range_end, studio),
    'months', private.money_by_month(range_start, range_end, studio), 'totals', private.booking_totals(range_start, range_end, studio));
end
$$;
grant execute on function public.business_numbers(date, date, uuid) to authenticated;
