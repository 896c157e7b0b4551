-- Returns the numbers of the business from the first to the last day in Sydney, inclusive and at most 366 days, for
-- one studio or, if `studio` is null, for all: {occupancy, months, totals}. Money is in cents. Raises 22023 for
-- another range. Requires the permission `money`.
create or replace function public.business_numbers(first_day date, last_day date, studio uuid default null)
returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_range_start constant timestamptz := first_day::timestamp at time zone 'Australia/Sydney';
  v_range_end constant timestamptz := (last_day + 1)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('money');
  if (last_day >= first_day and last_day - first_day < 366) is not true then
    raise exception 'a range of 1 to 366 days is needed' using errcode = '22023';
  end if;
  return pg_catalog.jsonb_build_object(
    'occupancy', private.occupancy(v_range_start, v_range_end, studio),
    'months', private.money_by_month(v_range_start, v_range_end, studio),
    'totals', private.booking_totals(v_range_start, v_range_end, studio));
end
$$;
grant execute on function public.business_numbers(date, date, uuid) to authenticated;

-- Returns [{weekday, hour, booked, open}] by weekday (1 is Monday) and hour in Sydney: how many hours were booked, and
-- how many could be booked. These are the hours of studio `p_studio`, or of all active studios if it is null, without
-- closed hours.
--
-- Spans that begin in the same second of a week and have the same length are counted once and then split into hours:
-- converting each hour of each booking of a year to Sydney time took a quarter of a second. The sold hours of all
-- studios are read by time before they are joined with the studios.
create or replace function private.occupancy(p_from timestamptz, p_to timestamptz, p_studio uuid)
returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  return (
    with part as materialized (
      select * from private.studio_offsets(p_from, p_to)
    ), studio as materialized (
      select s.id from public.studios s where case when p_studio is null then s.active else s.id = p_studio end
    ), sold as materialized (
      select b.studio_id, b.start_time, b.end_time
      from private.booking b
      where b.start_time > p_from - interval '25 hours' and b.start_time < p_to
        and b.status = 'confirmed' and b.notes is distinct from 'test'
        and (p_studio is null or b.studio_id = p_studio)
    ), span as (
      select 'booked' as kind, p."offset", greatest(b.start_time, p.starts) as starts,
        least(b.end_time, p.ends) as ends, 1 as times
      from part p
      join sold b on b.start_time < p.ends and b.end_time > p.starts
      where b.studio_id in (select id from studio)
      union all
      -- Closures may overlap each other; an hour is closed once.
      select 'closed', p."offset", greatest(pg_catalog.lower(c.closed), p.starts),
        least(pg_catalog.upper(c.closed), p.ends), 1
      from (
        select pg_catalog.unnest(pg_catalog.range_agg(x.during)) as closed
        from private.closed_span x
        where x.end_time > p_from and x.start_time < p_to and x.studio_id in (select id from studio)
        group by x.studio_id
      ) c
      join part p on pg_catalog.lower(c.closed) < p.ends and pg_catalog.upper(c.closed) > p.starts
      union all
      select 'possible', p."offset", p.starts, p.ends, (select count(*)::integer from studio) from part p
    ), alike as (
      -- 1970 began on a Thursday, three days into a week that begins on Monday.
      select s.kind, (pg_catalog.date_part('epoch', s.starts)::bigint + s."offset" + 3 * 86400) % 604800 as at,
        pg_catalog.date_part('epoch', s.ends)::bigint - pg_catalog.date_part('epoch', s.starts)::bigint as seconds,
        sum(s.times) as times
      from span s
      group by 1, 2, 3
    ), hour as (
      select h.number % 168 as number, a.kind,
        sum(a.times * (least(a.at + a.seconds, (h.number + 1) * 3600) - greatest(a.at, h.number * 3600))) / 3600
          as hours
      from alike a
      cross join lateral pg_catalog.generate_series(a.at / 3600, (a.at + a.seconds - 1) / 3600) h(number)
      group by 1, 2
    ), week as (
      select h.number, coalesce(sum(h.hours) filter (where h.kind = 'booked'), 0) as booked,
        sum(case h.kind when 'possible' then h.hours when 'closed' then - h.hours else 0 end) as open
      from hour h
      group by 1
    )
    select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'weekday', w.number / 24 + 1, 'hour', w.number % 24,
      'booked', w.booked::double precision, 'open', w.open::double precision) order by w.number), '[]')
    from week w);
end
$$;

-- Returns [{month, paidCents, refundedCents, disputedCents}] for each month in Sydney (YYYY-MM) with any money, in
-- cents: what arrived, what was refunded, and what disputes took less what was won back, each in the month in which
-- it happened. The exports have the same rows. One query reads one month, because converting the time of every
-- payment to Sydney time took longer than reading the payments.
create or replace function private.money_by_month(p_from timestamptz, p_to timestamptz, p_studio uuid)
returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  return (
    with month as (
      select pg_catalog.to_char(m.first, 'YYYY-MM') as name,
        greatest(m.first at time zone 'Australia/Sydney', p_from) as starts,
        least((m.first + interval '1 month') at time zone 'Australia/Sydney', p_to) as ends
      from pg_catalog.generate_series(
        pg_catalog.date_trunc('month', p_from at time zone 'Australia/Sydney'),
        p_to at time zone 'Australia/Sydney', interval '1 month') m(first)
    ), money as (
      select m.name, coalesce(paid.cents, 0) as paid, coalesce(refunded.cents, 0) as refunded,
        coalesce(disputed.cents, 0) as disputed
      from month m
      cross join lateral (
        select sum(p.paid_cents) as cents
        from private.payment p
        where p.paid_at >= m.starts and p.paid_at < m.ends and p.paid_cents > 0
          and (p_studio is null or exists (
            select from private.booking b where b.id = p.booking_id and b.studio_id = p_studio))
      ) paid
      cross join lateral (
        select sum(r.amount_cents) as cents
        from private.refund r
        join private.payment p on p.id = r.payment_id
        where r.created_at >= m.starts and r.created_at < m.ends and r.status = 'succeeded'
          and (p_studio is null or exists (
            select from private.booking b where b.id = p.booking_id and b.studio_id = p_studio))
      ) refunded
      cross join lateral (
        select -sum(d.cents) as cents
        from private.dispute_money(m.starts, m.ends) d
        where p_studio is null or exists (
          select from private.booking b where b.id = d.booking_id and b.studio_id = p_studio)
      ) disputed
    )
    select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'month', m.name, 'paidCents', m.paid, 'refundedCents', m.refunded,
      'disputedCents', m.disputed) order by m.name), '[]')
    from money m
    where m.paid > 0 or m.refunded > 0 or m.disputed <> 0);
end
$$;
