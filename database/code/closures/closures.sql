-- Closes hours of one studio, or of all if `studioId` is null, once or for `weeks` weeks. `p` is {studioId,
-- startTime, endTime, weeks, reason, public}. Returns one of:
--   {outcome: 'closed', closureId}
--   {outcome: 'booked', bookings}   Up to 100 bookings and holds that are in the way. Nothing is closed.
--   {outcome: 'no_studio'}
-- A repeated call returns the same closure; it also closes the weeks that were reopened in the meantime. A week is
-- left out if it is over or if the clocks skip all of its hours.
create or replace function private.close_hours(p jsonb, p_actor uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  v_weeks constant integer := (p ->> 'weeks')::integer;
  v_made private.closure;
  v_spans jsonb;
  v_in_the_way jsonb;
  v_before jsonb;
begin
  perform from public.studios s where v_studio is null or s.id = v_studio order by s.id for update;
  if not found then return '{"outcome": "no_studio"}'; end if;
  select * into v_made from private.closure c
  where c.studio_id is not distinct from v_studio
    and (c.start_time, c.end_time, c.weeks) = (v_start, v_end, v_weeks) and c.reopened_at is null
  for update;

  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
    'studio_id', w.studio_id, 'start_time', w.start_time, 'end_time', w.end_time))
  into v_spans
  from (
    select s.id as studio_id, private.weeks_later(v_start, n) as start_time, private.weeks_later(v_end, n) as end_time
    from public.studios s cross join pg_catalog.generate_series(0, v_weeks - 1) n
    where v_studio is null or s.id = v_studio) w
  where w.end_time > p_now and w.end_time > w.start_time and not exists (
    select from private.closed_span c
    where (c.closure_id, c.studio_id, c.start_time) = (v_made.id, w.studio_id, w.start_time));
  if v_made.id is not null and v_spans is null then
    return pg_catalog.jsonb_build_object('outcome', 'closed', 'closureId', v_made.id);
  end if;

  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
    'id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status) order by b.start_time, b.studio_name)
  into v_in_the_way
  from (
    select distinct b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status
    from pg_catalog.jsonb_to_recordset(v_spans) as s (studio_id uuid, start_time timestamptz, end_time timestamptz)
    join private.booking b on b.studio_id = s.studio_id and b.status in ('pending', 'confirmed')
      and b.during && pg_catalog.tstzrange(s.start_time, s.end_time, '[)')
    order by b.start_time limit 100) b;
  if v_in_the_way is not null then
    return pg_catalog.jsonb_build_object('outcome', 'booked', 'bookings', v_in_the_way);
  end if;

  if v_made.id is null then
    insert into private.closure (studio_id, start_time, end_time, weeks, reason, public, created_by)
    values (v_studio, v_start, v_end, v_weeks, p ->> 'reason', (p ->> 'public')::boolean, p_actor)
    returning * into v_made;
  else
    v_before := private.closure_json(v_made)
      || pg_catalog.jsonb_build_object('starts', private.closure_starts(v_made.id, p_now));
  end if;
  insert into private.closed_span (closure_id, studio_id, start_time, end_time)
  select v_made.id, s.studio_id, s.start_time, s.end_time
  from pg_catalog.jsonb_to_recordset(v_spans) as s (studio_id uuid, start_time timestamptz, end_time timestamptz);
  if v_before is null then
    perform private.audit(p_actor, 'create', 'closure', v_made.id::text,
      pg_catalog.jsonb_build_object('after', private.closure_json(v_made)));
  else
    perform private.changed_closure(v_made, v_before, p_actor, p_now);
  end if;
  return pg_catalog.jsonb_build_object('outcome', 'closed', 'closureId', v_made.id);
end
$$;

-- Reopens the hours of a closure that are not over: the week that starts at `p_from`, with the weeks after it if
-- `p_following` is true, or all of them if `p_from` is null. Reopening all weeks, or one with all that follow, also
-- ends an endless closure. Returns 'reopened', 'no_closure', or 'no_week' if no week of the closure starts at
-- `p_from`. Idempotent.
create or replace function private.reopen_hours(
  p_closure uuid, p_from timestamptz, p_following boolean, p_actor uuid, p_now timestamptz
)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_closed private.closure;
  v_before jsonb;
  v_opened boolean;
begin
  select * into v_closed from private.closure c where c.id = p_closure for update;
  if not found then return 'no_closure'; end if;
  if p_from is not null and not exists (
    select from pg_catalog.generate_series(0, v_closed.weeks - 1) n
    where private.weeks_later(v_closed.start_time, n) = p_from)
  then return 'no_week'; end if;
  if v_closed.reopened_at is not null then return 'reopened'; end if;
  v_before := private.closure_json(v_closed)
    || pg_catalog.jsonb_build_object('starts', private.closure_starts(p_closure, p_now));
  delete from private.closed_span s
  where s.closure_id = p_closure and s.end_time > p_now
    and (p_from is null or s.start_time = p_from or p_following and s.start_time > p_from);
  v_opened := found;
  if p_from is null or p_following then
    update private.closure c set endless = false where c.id = p_closure and c.endless;
  end if;
  if not v_opened and p_from is not null then return 'reopened'; end if;
  if exists (select from private.closed_span s where s.closure_id = p_closure and s.end_time > p_now) then
    perform private.changed_closure(v_closed, v_before, p_actor, p_now);
  else
    update private.closure c set reopened_at = p_now where c.id = p_closure;
    perform private.audit(p_actor, 'delete', 'closure', p_closure::text,
      pg_catalog.jsonb_build_object('before', v_before));
  end if;
  return 'reopened';
end
$$;

-- Notifies the pages of staff of a new or changed closure.
create or replace function private.publish_closure() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send(pg_catalog.jsonb_build_object('closure_id', new.id), 'closure', 'staff', true);
  return null;
end
$$;

create trigger publish_closure after insert or update on private.closure for each row
  execute function private.publish_closure();

-- Records in the audit log that weeks of a closure were closed or reopened, and notifies the pages of staff.
-- `p_before` is the closure before the change: private.closure_json() with `starts`.
create or replace function private.changed_closure(
  c private.closure, p_before jsonb, p_actor uuid, p_now timestamptz
)
returns void language sql volatile set search_path = '' as $$
  select realtime.send(pg_catalog.jsonb_build_object('closure_id', c.id), 'closure', 'staff', true);
  select private.audit(p_actor, 'update', 'closure', c.id::text, pg_catalog.jsonb_build_object('before', p_before,
    'after', private.closure_json(c) || pg_catalog.jsonb_build_object('starts', private.closure_starts(c.id, p_now))))
$$;

-- Returns a closure as JSON, as the audit log stores it.
create or replace function private.closure_json(c private.closure) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('studioId', c.studio_id, 'startTime', c.start_time, 'endTime', c.end_time,
    'weeks', c.weeks, 'reason', c.reason, 'public', c.public)
$$;

-- Returns the starts of those weeks of a closure that are closed and not over, as a JSON array.
create or replace function private.closure_starts(p_closure uuid, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(distinct s.start_time), '[]') from private.closed_span s
  where s.closure_id = p_closure and s.end_time > p_now
$$;

-- Returns the same time of day in Sydney a number of weeks later. A time that the clocks show twice is the first of
-- both, as in rules/studio-time.ts. A time that they skip is an hour later, so a skipped hour begins when the next
-- one does.
create or replace function private.weeks_later(at timestamptz, weeks integer) returns timestamptz
language sql stable set search_path = '' as $$
  select case
    when weeks = 0 then at
    when (l.instant - interval '1 hour') at time zone 'Australia/Sydney' = l.wall then l.instant - interval '1 hour'
    else l.instant
  end
  from (
    select w.wall, w.wall at time zone 'Australia/Sydney' as instant
    from (select (at at time zone 'Australia/Sydney') + weeks * interval '7 days' as wall) w) l
$$;
