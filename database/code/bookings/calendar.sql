-- The calendar of staff: bookings, holds, closures and the number of free hours.

-- Returns the bookings, holds and closures of 1 to 42 consecutive days in Sydney, of one room or of all, in the order
-- of their start. `kind` is 'booking', 'hold' or 'closure', and `id` is that of the booking or closure. The hold of a
-- waiting move has the reference and customer of the booking that moves. `final_cost` is in dollars. Requires the
-- permission for bookings. Raises 22023 for another number of days.
create or replace function public.staff_calendar(first_day date, days integer default 1, studio uuid default null)
returns table (
  kind text, id uuid, studio_id uuid, start_time timestamptz, end_time timestamptz, reference text, customer_name text,
  customer_email text, is_test boolean, final_cost numeric, reason text, public boolean, weeks integer
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  v_start constant timestamptz := first_day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (first_day + days)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  if days not between 1 and 42 then raise exception 'a calendar shows 1 to 42 days' using errcode = '22023'; end if;
  return query
    with starting as (
      select b.* from private.booking b
      where b.status <> 'cancelled' and b.start_time > v_start and b.start_time < v_end
        and (studio is null or b.studio_id = studio)
      order by b.start_time limit 1000
    ), booked as (
      select * from (
        select * from private.running_bookings(v_start, studio)
        union all select * from starting
      ) b
      order by b.start_time limit 1000
    ), closed as (
      select s.* from private.closed_span s
      where s.during && pg_catalog.tstzrange(v_start, v_end, '[)') and (studio is null or s.studio_id = studio)
      order by s.start_time limit 1000
    )
    select case b.status when 'pending' then 'hold' else 'booking' end, b.id, b.studio_id, b.start_time, b.end_time,
      coalesce(o.reference, b.reference), coalesce(p.full_name, b.guest_name, o.guest_name),
      coalesce(p.email, b.guest_email, o.guest_email), b.notes is not distinct from 'test',
      pg_catalog.round(b.final_cost_cents / 100.0, 2), null::text, null::boolean, null::integer
    from booked b
    left join private.booking o on o.id = b.moves_booking
    left join lateral (
      select x.full_name, x.email from public.profiles x where x.user_id = coalesce(b.user_id, o.user_id) limit 1
    ) p on true
    union all
    select 'closure', s.closure_id, s.studio_id, s.start_time, s.end_time, null, null, null, null, null, c.reason,
      c.public, c.weeks
    from closed s
    join private.closure c on c.id = s.closure_id
    order by 4, 3, 2;
end
$$;
grant execute on function public.staff_calendar(date, integer, uuid) to authenticated;

-- Returns, for 1 to 42 consecutive days in Sydney, the hours of a day in all active rooms or in one (`hours`), and
-- how many of them are neither booked, held nor closed (`free`). A day on which the clocks change has 23 or 25 hours.
-- Requires the permission for bookings. Raises 22023 for another number of days.
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
      select d.day,
        pg_catalog.tstzrange(d.day::timestamp at time zone 'Australia/Sydney',
          (d.day + 1)::timestamp at time zone 'Australia/Sydney', '[)') as span
      from (select first_day + n as day from pg_catalog.generate_series(0, days - 1) n) d
    ), taken as materialized (
      -- Bookings are read room by room. In one read of all rooms, the planner misjudged how many bookings start in
      -- these days and chose an index that took 93 ms instead of 4 ms.
      select r.id as studio_id, b.during from room r
      cross join lateral (
        select pg_catalog.tstzrange(x.start_time, x.end_time, '[)') as during from private.booking x
        where x.studio_id = r.id and x.status in ('pending', 'confirmed')
          and x.start_time > v_start - interval '25 hours' and x.start_time < v_end and x.end_time > v_start
        offset 0) b
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
      select x.day,
        (select count(*) from room) * (extract(epoch from upper(x.span) - lower(x.span)) / 3600)::numeric as hours
      from shown x
    )
    select w.day, pg_catalog.round(w.hours, 2), pg_catalog.round(w.hours - coalesce(l.hours, 0), 2)
    from whole w left join lost l on l.day = w.day
    order by w.day;
end
$$;
grant execute on function public.free_hours(date, integer, uuid) to authenticated;
