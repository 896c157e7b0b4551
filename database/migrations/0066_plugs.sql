-- A smart plug for each room. Plugs and their addresses are in the environment (SHELLY_PLUGS); a room only names one.

create table private.studio_plug (
  studio_id uuid primary key references public.studios (id) on delete cascade,
  plug text not null check (char_length(plug) between 1 and 80)
);
alter table private.studio_plug enable row level security, force row level security;

-- One row for each plug. '' is the plug of SHELLY_URL, which serves the rooms that name none. Jobs have the id of the row as their subject;
-- those that were queued before have zeros.
alter table private.light_state
  drop column singleton,
  add column id uuid primary key default pg_catalog.gen_random_uuid(),
  add column plug text not null default '' unique check (char_length(plug) <= 80);
update private.light_state set id = '00000000-0000-0000-0000-000000000000';
alter table private.light_state alter column plug drop default;

-- As before, for each of the plugs that the server knows. A plug that several rooms name is on while a session of any of them wants it.
-- Returns how many plugs are switched.
drop function private.follow_sessions(timestamptz, interval, interval);
create function private.follow_sessions(p_now timestamptz, p_before interval, p_after interval, p_plugs text[]) returns integer
language sql volatile set search_path = '' as $$
  with lit as materialized (
    select coalesce(p.plug, '') as plug
    from private.booking b left join private.studio_plug p on p.studio_id = b.studio_id
    where b.status = 'confirmed' and b.notes is distinct from 'test'
      and b.start_time <= p_now + p_before and b.start_time > p_now - interval '25 hours' - p_after and b.end_time > p_now - p_after
  ), wish as materialized (
    select n.plug, n.plug in (select lit.plug from lit) as wanted from pg_catalog.unnest(p_plugs) n (plug)
  ), changed as (
    update private.light_state l set wanted = w.wanted, changed_at = p_now
    from wish w where l.plug = w.plug and l.wanted <> w.wanted
    returning l.id
  ), first as (
    -- A first "off" switches nothing: nobody knows who put the lights on.
    insert into private.light_state (plug, wanted, changed_at)
    select w.plug, w.wanted, p_now from wish w where not exists (select from private.light_state l where l.plug = w.plug)
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

-- Tells staff that lights were switched.
create function private.announce_lights() returns void language sql volatile set search_path = '' as $$
  select realtime.send('{}', 'lights', 'staff', true)
$$;

-- As before, with the plug.
create or replace function private.room_json(p_studio uuid) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('name', s.name, 'title', s.title, 'summary', s.summary, 'description', s.description,
    'features', pg_catalog.to_jsonb(s.features), 'photos', pg_catalog.to_jsonb(s.photos), 'active', s.active,
    'lockId', (select l.lock_id from private.studio_lock l where l.studio_id = s.id),
    'plug', (select p.plug from private.studio_plug p where p.studio_id = s.id), 'openHours', pg_catalog.to_jsonb(s.open_hours))
  from public.studios s where s.id = p_studio
$$;
create or replace function private.set_room(p_studio uuid, p_room jsonb, p_actor uuid, p_now timestamptz) returns uuid
language plpgsql volatile set search_path = '' as $$
declare
  before constant jsonb := private.room_json(p_studio);
  v_id uuid := p_studio;
  wanted jsonb;
begin
  if p_studio is null then
    insert into public.studios (name, hourly_rate, active, sort_order)
    values (p_room ->> 'name', (select min(c) / 100.0 from private.first_prices() f, pg_catalog.unnest(f.hour_cents) c), false,
      (select coalesce(max(s.sort_order), 0) + 1 from public.studios s))
    returning studios.id into v_id;
  else
    perform from public.studios s where s.id = p_studio for update;
    if not found then return null; end if;
  end if;
  wanted := private.room_json(v_id) || p_room;
  update public.studios s set name = wanted ->> 'name', title = wanted ->> 'title', summary = wanted ->> 'summary',
    description = wanted ->> 'description', active = (wanted ->> 'active')::boolean,
    features = array(select f.value from pg_catalog.jsonb_array_elements_text(wanted -> 'features') with ordinality f order by f.ordinality),
    photos = array(select f.value from pg_catalog.jsonb_array_elements_text(wanted -> 'photos') with ordinality f order by f.ordinality),
    open_hours = array(select f.value::boolean from pg_catalog.jsonb_array_elements_text(wanted -> 'openHours') with ordinality f order by f.ordinality)
  where s.id = v_id;
  if wanted ->> 'lockId' is not null then
    insert into private.studio_lock (studio_id, lock_id) values (v_id, wanted ->> 'lockId')
    on conflict (studio_id) do update set lock_id = excluded.lock_id;
  end if;
  if wanted ->> 'plug' is null then
    delete from private.studio_plug p where p.studio_id = v_id;
  else
    insert into private.studio_plug (studio_id, plug) values (v_id, wanted ->> 'plug')
    on conflict (studio_id) do update set plug = excluded.plug;
  end if;
  if before -> 'openHours' is distinct from wanted -> 'openHours' then perform private.follow_opening_hours(v_id, p_now); end if;
  if before is distinct from private.room_json(v_id) then
    perform private.audit(p_actor, case when before is null then 'create' else 'update' end, 'studio', v_id::text,
      pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('before', before, 'after', private.room_json(v_id))));
    perform private.announce_rooms();
  end if;
  return v_id;
end
$$;
