-- Customers switch the lights of their own room during their session, in step with the lights that follow the sessions.

-- When the newest session began that the plug was switched on for. Somebody may have switched the lights off meanwhile: the next session finds them on.
alter table private.light_state add column newest_start timestamptz;

-- As before, and each session that begins is a reason to switch on, also where one before it still wants the lights.
create or replace function private.follow_sessions(p_now timestamptz, p_before interval, p_after interval, p_plugs text[]) returns integer
language sql volatile set search_path = '' as $$
  with lit as materialized (
    select coalesce(p.plug, '') as plug, pg_catalog.max(b.start_time) as newest_start
    from private.booking b left join private.studio_plug p on p.studio_id = b.studio_id
    where b.status = 'confirmed' and b.notes is distinct from 'test'
      and b.start_time <= p_now + p_before and b.start_time > p_now - interval '25 hours' - p_after and b.end_time > p_now - p_after
    group by 1
  ), wish as materialized (
    select n.plug, l.plug is not null as wanted, l.newest_start
    from pg_catalog.unnest(p_plugs) n (plug) left join lit l on l.plug = n.plug
  ), changed as (
    update private.light_state l set wanted = w.wanted, newest_start = coalesce(w.newest_start, l.newest_start), changed_at = p_now
    from wish w where l.plug = w.plug and (l.wanted <> w.wanted or w.newest_start > coalesce(l.newest_start, '-infinity'))
    returning l.id
  ), first as (
    -- A first "off" switches nothing: nobody knows who put the lights on.
    insert into private.light_state (plug, wanted, newest_start, changed_at)
    select w.plug, w.wanted, w.newest_start, p_now from wish w where not exists (select from private.light_state l where l.plug = w.plug)
    on conflict (plug) do nothing
    returning id, wanted
  ), queued as (
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    select 'power.follow', c.id, p_now::text, p_now from (select id from changed union all select id from first where wanted) c
    on conflict do nothing
    returning 1
  )
  select count(*)::integer from queued
$$;

-- What the customer of a booking may know of its room now: its plug, whether somebody else has the room or the same plug now or in the minutes before
-- a session, and whether somebody has the room in the hour after. It names nobody.
create function private.session_room(p_booking uuid, p_now timestamptz, p_before interval) returns jsonb
language sql stable set search_path = '' as $$
  with own as (
    select b.id, b.studio_id, b.end_time, coalesce(p.plug, '') as plug
    from private.booking b left join private.studio_plug p on p.studio_id = b.studio_id where b.id = p_booking
  ), others as (
    select b.studio_id from own
    join private.booking b on b.id <> own.id and b.status = 'confirmed' and b.notes is distinct from 'test'
      and b.start_time <= p_now + p_before and b.start_time > p_now - interval '25 hours' and b.end_time > p_now
    left join private.studio_plug p on p.studio_id = b.studio_id
    where b.studio_id = own.studio_id or coalesce(p.plug, '') = own.plug
  )
  select pg_catalog.jsonb_build_object('plug', own.plug,
    'roomInUse', exists (select from others o where o.studio_id = own.studio_id),
    'lightsInUse', exists (select from others),
    'followed', exists (select from private.booking b where b.studio_id = own.studio_id and b.id <> own.id and b.status in ('pending', 'confirmed')
      and b.moves_booking is distinct from own.id and b.during && pg_catalog.tstzrange(own.end_time, own.end_time + interval '1 hour', '[)')))
  from own
$$;
