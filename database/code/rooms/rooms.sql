create policy "anybody reads the studios" on public.studios for select to anon, authenticated using (active);
-- The API may give all guests the same rows.
insert into rest.shared_read values ('public.studios') on conflict do nothing;

-- Returns the active rooms in their order, as public pages show them; `fromCents` is the price of the cheapest hour.
-- The result is part of the pages, so that they can show the rooms and link to each before any request to the server.
create or replace function private.site_rooms()
returns jsonb language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
    'id', s.id, 'name', s.name, 'title', s.title, 'summary', s.summary,
    'description', s.description, 'features', s.features, 'photo', s.photos[1],
    'fromCents', pg_catalog.round(s.hourly_rate * 100)::integer, 'alwaysOpen', true = all (s.open_hours))
    order by s.sort_order, s.name), '[]')
  from public.studios s
  where s.active
$$;

-- Returns all rooms, also retired ones and drafts, to staff with the permission `settings` and to the service key; no
-- rows to other callers. `upcoming` counts the bookings and holds that have not ended; they are found by their start,
-- because without that bound every booking of the room would be read. A room with `opened` = false was never open for
-- sale and is a draft.
create or replace function public.staff_rooms()
returns table (id uuid, room jsonb, upcoming integer, opened boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('settings')) then return; end if;
  return query
    select s.id, r.room,
      (
        select count(*)::integer from private.booking b
        where b.studio_id = s.id and b.start_time > pg_catalog.now() - interval '25 hours'
          and b.status <> 'cancelled' and b.end_time > pg_catalog.now()
      ),
      s.opened_at is not null
    from public.studios s
    join private.room_fields r on r.id = s.id
    order by s.active desc, s.sort_order, s.name;
end
$$;
grant execute on function public.staff_rooms() to authenticated;

-- The fields of each room that staff set. This is a view because calling a function for each of thousands of rooms
-- took most of the time of listing them.
create or replace view private.room_fields as
select s.id, pg_catalog.jsonb_build_object(
    'name', s.name, 'title', s.title, 'summary', s.summary, 'description', s.description,
    'features', pg_catalog.to_jsonb(s.features), 'photos', pg_catalog.to_jsonb(s.photos), 'active', s.active,
    'lockId', l.lock_id, 'plug', p.plug, 'openHours', pg_catalog.to_jsonb(s.open_hours)) as room
from public.studios s
left join private.studio_lock l on l.studio_id = s.id
left join private.studio_plug p on p.studio_id = s.id;

-- Returns the fields of a room that staff set, for one room, such as for the audit log.
create or replace function private.room_json(p_studio uuid)
returns jsonb language sql stable set search_path = '' as $$
  select r.room from private.room_fields r where r.id = p_studio
$$;

-- Sets the order of the rooms to that of `p_studios`. Rooms that are not in it keep their order and follow.
-- Idempotent.
create or replace function private.order_rooms(p_studios uuid[], p_actor uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_before jsonb;
begin
  select pg_catalog.jsonb_agg(s.name order by s.sort_order, s.name) into v_before
  from (select * from public.studios order by id for update) s;
  update public.studios s
  set sort_order = coalesce(pg_catalog.array_position(p_studios, s.id), 1000 + s.sort_order);
  perform private.audit(p_actor, 'update', 'studio', null, pg_catalog.jsonb_build_object(
    'before', v_before,
    'after', (select pg_catalog.jsonb_agg(s.name order by s.sort_order, s.name) from public.studios s)));
  perform private.announce_rooms();
end
$$;

-- Publishes the event `rooms` to staff and notifies every server process, after a room has changed.
create or replace function private.announce_rooms()
returns void language sql volatile set search_path = '' as $$
  select realtime.send('{}', 'rooms', 'staff', true);
  select pg_catalog.pg_notify('business_settings', '');
$$;

-- Records when a room is first opened for sale. An inactive room that was never open is a draft; one that was open is
-- retired.
create or replace function private.note_opening()
returns trigger language plpgsql set search_path = '' as $$
begin
  new.opened_at := pg_catalog.clock_timestamp();
  return new;
end
$$;

create trigger studios_opened before insert or update of active on public.studios for each row
  when (new.active and new.opened_at is null) execute function private.note_opening();

-- Adds a room if `p_studio` is null, otherwise changes it. Returns its id, or null if the room does not exist.
-- `p_room` has those fields of private.room_json() that change. If the room has changed, it records the change in the
-- audit log and notifies staff and all processes.
create or replace function private.set_room(p_studio uuid, p_room jsonb, p_actor uuid, p_now timestamptz) returns uuid
language plpgsql volatile set search_path = '' as $$
declare
  v_before constant jsonb := private.room_json(p_studio);
  v_id uuid := p_studio;
  v_wanted jsonb;
begin
  if p_studio is null then
    insert into public.studios (name, hourly_rate, active, sort_order)
    values (p_room ->> 'name',
      (select min(c) / 100.0 from private.first_prices() f, pg_catalog.unnest(f.hour_cents) c), false,
      (select coalesce(max(s.sort_order), 0) + 1 from public.studios s))
    returning studios.id into v_id;
  else
    perform from public.studios s where s.id = p_studio for update;
    if not found then return null; end if;
  end if;
  v_wanted := private.room_json(v_id) || p_room;
  update public.studios s set
    name = v_wanted ->> 'name', title = v_wanted ->> 'title', summary = v_wanted ->> 'summary',
    description = v_wanted ->> 'description', active = (v_wanted ->> 'active')::boolean,
    features = array(
      select f.value from pg_catalog.jsonb_array_elements_text(v_wanted -> 'features') with ordinality f
      order by f.ordinality),
    photos = array(
      select f.value from pg_catalog.jsonb_array_elements_text(v_wanted -> 'photos') with ordinality f
      order by f.ordinality),
    open_hours = array(
      select f.value::boolean from pg_catalog.jsonb_array_elements_text(v_wanted -> 'openHours') with ordinality f
      order by f.ordinality)
  where s.id = v_id;
  if v_wanted ->> 'lockId' is not null then
    insert into private.studio_lock (studio_id, lock_id) values (v_id, v_wanted ->> 'lockId')
    on conflict (studio_id) do update set lock_id = excluded.lock_id;
  end if;
  if v_wanted ->> 'plug' is null then
    delete from private.studio_plug p where p.studio_id = v_id;
  else
    insert into private.studio_plug (studio_id, plug) values (v_id, v_wanted ->> 'plug')
    on conflict (studio_id) do update set plug = excluded.plug;
  end if;
  if v_before -> 'openHours' is distinct from v_wanted -> 'openHours' then
    perform private.follow_opening_hours(v_id, p_now);
  end if;
  if v_before is distinct from private.room_json(v_id) then
    perform private.audit(p_actor, case when v_before is null then 'create' else 'update' end, 'studio', v_id::text,
      pg_catalog.jsonb_strip_nulls(
        pg_catalog.jsonb_build_object('before', v_before, 'after', private.room_json(v_id))));
    perform private.announce_rooms();
  end if;
  return v_id;
end
$$;
