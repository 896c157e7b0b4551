-- The calendar of staff, and closures of which single weeks are reopened.

-- Finds the closures of any room by time; closed_span_during needs the room.
create index closed_span_time on private.closed_span using gist (during);

-- The bookings and closures of consecutive days in Sydney, of one room or all. kind: booking, hold or closure; id is that of the booking or closure.
-- A hold of hours to which a booking moves has reference and customer of that booking.
create function public.staff_calendar(first_day date, days integer default 1, studio uuid default null) returns table (
  kind text, id uuid, studio_id uuid, start_time timestamptz, end_time timestamptz, reference text, customer_name text, customer_email text,
  is_test boolean, final_cost numeric, reason text, public boolean, weeks integer
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_start constant timestamptz := first_day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (first_day + days)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  if days not between 1 and 42 then raise exception 'a calendar shows 1 to 42 days' using errcode = '22023'; end if;
  return query
    with booked as (
      select b.* from private.booking b
      where b.status in ('pending', 'confirmed') and b.start_time > v_start - interval '25 hours' and b.start_time < v_end and b.end_time > v_start
        and (studio is null or b.studio_id = studio)
      order by b.start_time limit 1000
    ), closed as (
      select s.* from private.closed_span s
      where s.during && pg_catalog.tstzrange(v_start, v_end, '[)') and (studio is null or s.studio_id = studio)
      order by s.start_time limit 1000
    )
    select case b.status when 'pending' then 'hold' else 'booking' end, b.id, b.studio_id, b.start_time, b.end_time, coalesce(o.reference, b.reference),
      coalesce(p.full_name, b.guest_name, o.guest_name), coalesce(p.email, b.guest_email, o.guest_email), b.notes is not distinct from 'test',
      pg_catalog.round(b.final_cost_cents / 100.0, 2), null::text, null::boolean, null::integer
    from booked b
    left join private.booking o on o.id = b.moves_booking
    left join lateral (select x.full_name, x.email from public.profiles x where x.user_id = coalesce(b.user_id, o.user_id) limit 1) p on true
    union all
    select 'closure', s.closure_id, s.studio_id, s.start_time, s.end_time, null, null, null, null, null, c.reason, c.public, c.weeks
    from closed s join private.closure c on c.id = s.closure_id
    order by 4, 3, 2;
end
$$;
grant execute on function public.staff_calendar(date, integer, uuid) to authenticated;

-- How many hours of each day can be booked or could have been, and how many of them are neither booked, held nor closed. A day on which the clocks
-- change has 23 or 25 hours.
create function public.free_hours(first_day date, days integer, studio uuid default null)
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
      select b.studio_id, b.during from private.booking b
      where b.status in ('pending', 'confirmed') and b.start_time > v_start - interval '25 hours' and b.start_time < v_end and b.end_time > v_start
        and (studio is null or b.studio_id = studio)
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
grant execute on function public.free_hours(date, integer, uuid) to authenticated;

-- The same time of day in Sydney, so many weeks later. Of an hour that comes twice it is the first, as in rules/studio-time.ts; an hour that the
-- clocks skip begins when the next one does.
create or replace function private.weeks_later(at timestamptz, weeks integer) returns timestamptz language sql stable set search_path = '' as $$
  select case
    when weeks = 0 then at
    when (l.instant - interval '1 hour') at time zone 'Australia/Sydney' = l.wall then l.instant - interval '1 hour'
    else l.instant
  end
  from (
    select w.wall, w.wall at time zone 'Australia/Sydney' as instant
    from (select (at at time zone 'Australia/Sydney') + weeks * interval '7 days' as wall) w) l
$$;

-- The starts of a closure's weeks that are not over.
create function private.closure_starts(p_closure uuid, p_now timestamptz) returns jsonb language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(distinct s.start_time), '[]') from private.closed_span s where s.closure_id = p_closure and s.end_time > p_now
$$;

-- As before, but sent again it closes also the weeks that were reopened since, and leaves out a week in which the clocks skip all of its hours.
create or replace function private.close_hours(p jsonb, p_actor uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  v_weeks constant integer := (p ->> 'weeks')::integer;
  made private.closure;
  spans jsonb;
  in_the_way jsonb;
  before jsonb;
begin
  perform from public.studios s where v_studio is null or s.id = v_studio order by s.id for update;
  if not found then return '{"outcome": "no_studio"}'; end if;
  select * into made from private.closure c
  where c.studio_id is not distinct from v_studio and (c.start_time, c.end_time, c.weeks) = (v_start, v_end, v_weeks) and c.reopened_at is null
  for update;

  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('studio_id', w.studio_id, 'start_time', w.start_time, 'end_time', w.end_time))
  into spans
  from (
    select s.id as studio_id, private.weeks_later(v_start, n) as start_time, private.weeks_later(v_end, n) as end_time
    from public.studios s cross join pg_catalog.generate_series(0, v_weeks - 1) n
    where v_studio is null or s.id = v_studio) w
  where w.end_time > p_now and w.end_time > w.start_time and not exists (
    select from private.closed_span c where (c.closure_id, c.studio_id, c.start_time) = (made.id, w.studio_id, w.start_time));
  if made.id is not null and spans is null then return pg_catalog.jsonb_build_object('outcome', 'closed', 'closureId', made.id); end if;

  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status) order by b.start_time, b.studio_name)
  into in_the_way
  from (
    select distinct b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status
    from pg_catalog.jsonb_to_recordset(spans) as s (studio_id uuid, start_time timestamptz, end_time timestamptz)
    join private.booking b on b.studio_id = s.studio_id and b.status in ('pending', 'confirmed')
      and b.during && pg_catalog.tstzrange(s.start_time, s.end_time, '[)')
    order by b.start_time limit 100) b;
  if in_the_way is not null then return pg_catalog.jsonb_build_object('outcome', 'booked', 'bookings', in_the_way); end if;

  if made.id is null then
    insert into private.closure (studio_id, start_time, end_time, weeks, reason, public, created_by)
    values (v_studio, v_start, v_end, v_weeks, p ->> 'reason', (p ->> 'public')::boolean, p_actor) returning * into made;
  else
    before := private.closure_json(made) || pg_catalog.jsonb_build_object('starts', private.closure_starts(made.id, p_now));
  end if;
  insert into private.closed_span (closure_id, studio_id, start_time, end_time)
  select made.id, s.studio_id, s.start_time, s.end_time
  from pg_catalog.jsonb_to_recordset(spans) as s (studio_id uuid, start_time timestamptz, end_time timestamptz);
  if before is null then
    perform private.audit(p_actor, 'create', 'closure', made.id::text, pg_catalog.jsonb_build_object('after', private.closure_json(made)));
  else
    perform private.changed_closure(made, before, p_actor, p_now);
  end if;
  return pg_catalog.jsonb_build_object('outcome', 'closed', 'closureId', made.id);
end
$$;

-- Records that weeks of a closure were closed or opened, and tells the pages of staff.
create function private.changed_closure(c private.closure, p_before jsonb, p_actor uuid, p_now timestamptz) returns void
language sql volatile set search_path = '' as $$
  select realtime.send(pg_catalog.jsonb_build_object('closure_id', c.id), 'closure', 'staff', true);
  select private.audit(p_actor, 'update', 'closure', c.id::text, pg_catalog.jsonb_build_object('before', p_before,
    'after', private.closure_json(c) || pg_catalog.jsonb_build_object('starts', private.closure_starts(c.id, p_now))))
$$;

-- Opens hours of a closure that are not over: all of them (p_from is null), the week that starts then, or that and the following ones. Opening them
-- again changes nothing. Returns reopened, no_closure, or no_week when the closure never had a week that starts then.
drop function private.reopen_hours(uuid, uuid, timestamptz);
create function private.reopen_hours(p_closure uuid, p_from timestamptz, p_following boolean, p_actor uuid, p_now timestamptz) returns text
language plpgsql volatile set search_path = '' as $$
declare
  closed private.closure;
  before jsonb;
begin
  select * into closed from private.closure c where c.id = p_closure for update;
  if not found then return 'no_closure'; end if;
  if p_from is not null
    and not exists (select from pg_catalog.generate_series(0, closed.weeks - 1) n where private.weeks_later(closed.start_time, n) = p_from)
  then return 'no_week'; end if;
  if closed.reopened_at is not null then return 'reopened'; end if;
  before := private.closure_json(closed) || pg_catalog.jsonb_build_object('starts', private.closure_starts(p_closure, p_now));
  delete from private.closed_span s
  where s.closure_id = p_closure and s.end_time > p_now
    and (p_from is null or s.start_time = p_from or p_following and s.start_time > p_from);
  if not found and p_from is not null then return 'reopened'; end if;
  if exists (select from private.closed_span s where s.closure_id = p_closure and s.end_time > p_now) then
    perform private.changed_closure(closed, before, p_actor, p_now);
  else
    update private.closure c set reopened_at = p_now where c.id = p_closure;
    perform private.audit(p_actor, 'delete', 'closure', p_closure::text, pg_catalog.jsonb_build_object('before', before));
  end if;
  return 'reopened';
end
$$;
