-- As before, but room by room: the guess of how many bookings start in these days once chose an index that took 93 ms instead of 4.
create or replace function public.free_hours(first_day date, days integer, studio uuid default null)
returns table (day date, hours numeric, free numeric)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_start constant timestamptz := first_day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (first_day + days)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  if days not between 1 and 42 then raise exception 'a calendar shows 1 to 42 days' using errcode = '22023'; end if;
  return query
    with room as (
      select s.id from public.studios s where s.active and (studio is null or s.id = studio)
    ), shown as (
      select d.day, pg_catalog.tstzrange(d.day::timestamp at time zone 'Australia/Sydney', (d.day + 1)::timestamp at time zone 'Australia/Sydney', '[)') as span
      from (select first_day + n as day from pg_catalog.generate_series(0, days - 1) n) d
    ), taken as materialized (
      select r.id as studio_id, b.during from room r
      cross join lateral (
        select pg_catalog.tstzrange(x.start_time, x.end_time, '[)') as during from private.booking x
        where x.studio_id = r.id and x.status in ('pending', 'confirmed')
          and x.start_time > v_start - interval '25 hours' and x.start_time < v_end and x.end_time > v_start offset 0) b
      union all
      select s.studio_id, s.during from private.closed_span s
      where s.during && pg_catalog.tstzrange(v_start, v_end, '[)') and (studio is null or s.studio_id = studio)
    ), merged as (
      -- Closures may overlap each other.
      select x.day, t.studio_id, pg_catalog.range_agg(t.during * x.span) as during
      from shown x join taken t on t.during && x.span join room r on r.id = t.studio_id
      group by x.day, t.studio_id
    ), lost as (
      select m.day, sum(extract(epoch from upper(p.part) - lower(p.part)))::numeric / 3600 as hours
      from merged m cross join lateral pg_catalog.unnest(m.during) as p (part) group by m.day
    ), whole as (
      select x.day, (select count(*) from room) * (extract(epoch from upper(x.span) - lower(x.span)) / 3600)::numeric as hours from shown x
    )
    select w.day, pg_catalog.round(w.hours, 2), pg_catalog.round(w.hours - coalesce(l.hours, 0), 2)
    from whole w left join lost l on l.day = w.day
    order by w.day;
end
$$;
