-- Compares which plugs of `p_plugs` the sessions need with the recorded state, records the changes and queues a job for
-- each plug to switch. Returns the number of jobs. A session needs the lights of its room from `p_before` before its
-- start until `p_after` after its end. A plug of several rooms is on while a session in any of them needs it. The plug
-- '' is for the rooms without their own plug. Each session that begins switches its plug on, even if an earlier session
-- still needs it, because the lights may have been switched off in the meantime. Lights that staff switch by hand stay
-- as they are until the next change. Idempotent while the sessions stay the same.
create or replace function private.follow_sessions(
  p_now timestamptz, p_before interval, p_after interval, p_plugs text[]
)
returns integer language sql volatile set search_path = '' as $$
  with lit as materialized (
    select coalesce(p.plug, '') as plug, pg_catalog.max(b.start_time) as newest_start
    from private.booking b left join private.studio_plug p on p.studio_id = b.studio_id
    where b.status = 'confirmed' and b.notes is distinct from 'test'
      and b.start_time <= p_now + p_before and b.start_time > p_now - interval '25 hours' - p_after
      and b.end_time > p_now - p_after
    group by 1
  ), wish as materialized (
    select n.plug, l.plug is not null as wanted, l.newest_start
    from pg_catalog.unnest(p_plugs) n (plug) left join lit l on l.plug = n.plug
  ), changed as (
    update private.light_state l
    set wanted = w.wanted, newest_start = coalesce(w.newest_start, l.newest_start), changed_at = p_now
    from wish w
    where l.plug = w.plug and (l.wanted <> w.wanted or w.newest_start > coalesce(l.newest_start, '-infinity'))
    returning l.id
  ), first as (
    -- The first state of a plug switches nothing if it is "off": the lights may be on for an unknown reason.
    insert into private.light_state (plug, wanted, newest_start, changed_at)
    select w.plug, w.wanted, w.newest_start, p_now
    from wish w
    where not exists (select from private.light_state l where l.plug = w.plug)
    on conflict (plug) do nothing
    returning id, wanted
  ), queued as (
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    select 'power.follow', c.id, p_now::text, p_now
    from (select id from changed union all select id from first where wanted) c
    on conflict do nothing
    returning 1
  )
  select count(*)::integer from queued
$$;

-- Returns what the customer of a booking may know about its room: {plug, roomInUse, lightsInUse, followed}; null if
-- there is no such booking. `roomInUse`: another confirmed booking has the room now or within `p_before`.
-- `lightsInUse`: the same for the room or any room with its plug. `followed`: another booking or hold takes up the
-- room in the hour after the booking. The result never includes who it is.
create or replace function private.session_room(p_booking uuid, p_now timestamptz, p_before interval)
returns jsonb language sql stable set search_path = '' as $$
  with own as (
    select b.id, b.studio_id, b.end_time, coalesce(p.plug, '') as plug
    from private.booking b left join private.studio_plug p on p.studio_id = b.studio_id
    where b.id = p_booking
  ), others as (
    select b.studio_id
    from own
    join private.booking b on b.id <> own.id and b.status = 'confirmed' and b.notes is distinct from 'test'
      and b.start_time <= p_now + p_before and b.start_time > p_now - interval '25 hours' and b.end_time > p_now
    left join private.studio_plug p on p.studio_id = b.studio_id
    where b.studio_id = own.studio_id or coalesce(p.plug, '') = own.plug
  )
  select pg_catalog.jsonb_build_object(
    'plug', own.plug,
    'roomInUse', exists (select from others o where o.studio_id = own.studio_id),
    'lightsInUse', exists (select from others),
    'followed', exists (
      select from private.booking b
      where b.studio_id = own.studio_id and b.id <> own.id and b.status in ('pending', 'confirmed')
        and b.moves_booking is distinct from own.id
        and b.during && pg_catalog.tstzrange(own.end_time, own.end_time + interval '1 hour', '[)')))
  from own
$$;

-- Publishes the event `lights` to staff, after lights were switched.
create or replace function private.announce_lights()
returns void language sql volatile set search_path = '' as $$
  select realtime.send('{}', 'lights', 'staff', true)
$$;
