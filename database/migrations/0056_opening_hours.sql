-- Opening hours of each room. The hours outside of them are closed spans like those that staff close, so that the grid, holds, moves, calendars and
-- numbers know them in one way.

alter table public.studios
  -- Whether the room is open in each hour of a week in Sydney, Sunday 12 AM first.
  add column open_hours boolean[] not null default pg_catalog.array_fill(true, array[168])
    constraint studios_open_hours check (pg_catalog.array_ndims(open_hours) = 1 and pg_catalog.array_lower(open_hours, 1) = 1
      and pg_catalog.cardinality(open_hours) = 168 and pg_catalog.array_position(open_hours, null) is null);

-- The closure that holds the hours outside the opening hours of a room; each room has at most one.
alter table private.closure add column opening boolean not null default false;
create unique index closure_one_opening on private.closure (studio_id) where opening;

-- When an hour of a day begins in Sydney; null for the hour that is skipped. When an hour comes twice, the first of both.
create function private.hour_start(p_day date, p_hour integer) returns timestamptz language plpgsql immutable set search_path = '' as $$
declare
  local constant timestamp := p_day + pg_catalog.make_interval(hours => p_hour);
  at constant timestamptz := local at time zone 'Australia/Sydney';
begin
  if at at time zone 'Australia/Sydney' <> local then return null; end if;
  if (at - interval '1 hour') at time zone 'Australia/Sydney' = local then return at - interval '1 hour'; end if;
  return at;
end
$$;

-- The spans outside the opening hours of a room for as long as it can be booked ahead, without the hours that have a booking: it stays.
create function private.closed_by_hours(p_studio uuid, p_now timestamptz) returns tstzmultirange language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.range_agg(pg_catalog.tstzrange(h.starts, h.ends, '[)')), '{}')
    - coalesce((select pg_catalog.range_agg(b.during) from private.booking b
      where b.studio_id = p_studio and b.status in ('pending', 'confirmed') and b.end_time > p_now - interval '2 days'), '{}')
  from (
    select s.open_hours, private.hour_start(d.day, g.hour) as starts,
      coalesce(private.hour_start(d.day, g.hour + 1), private.hour_start(d.day, g.hour + 2)) as ends,
      extract(dow from d.day)::integer * 24 + g.hour + 1 as place
    from public.studios s
    cross join lateral (select (p_now at time zone 'Australia/Sydney')::date + n as day
      from pg_catalog.generate_series(-1, (private.business_settings() ->> 'horizonDays')::integer + 2) n) d
    cross join pg_catalog.generate_series(0, 23) g(hour)
    where s.id = p_studio) h
  where h.starts is not null and not h.open_hours[h.place]
$$;

-- Brings the closed spans of a room in line with its opening hours. Changes nothing that is right already.
create function private.follow_opening_hours(p_studio uuid, p_now timestamptz) returns void language plpgsql volatile set search_path = '' as $$
declare
  wanted tstzmultirange;
  v_closure uuid;
begin
  perform from public.studios s where s.id = p_studio for update;
  wanted := private.closed_by_hours(p_studio, p_now);
  select c.id into v_closure from private.closure c where c.studio_id = p_studio and c.opening;
  if v_closure is null then
    if wanted = '{}' then return; end if;
    insert into private.closure (studio_id, start_time, end_time, reason, public, opening)
    values (p_studio, 'epoch', pg_catalog.to_timestamp(3600), 'Outside the opening hours', true, true) returning id into v_closure;
  end if;
  delete from private.closed_span c where c.closure_id = v_closure and c.end_time > p_now
    and not exists (select from pg_catalog.unnest(wanted) w where w = c.during);
  insert into private.closed_span (closure_id, studio_id, start_time, end_time)
  select v_closure, p_studio, pg_catalog.lower(w), pg_catalog.upper(w) from pg_catalog.unnest(wanted) w
  where pg_catalog.upper(w) > p_now
  on conflict do nothing;
end
$$;

-- Periodic task: days that come into reach are closed too, and hours whose booking was cancelled.
create function private.follow_all_opening_hours(p_now timestamptz) returns void language plpgsql volatile set search_path = '' as $$
declare
  studio uuid;
begin
  for studio in
    select s.id from public.studios s
    where not (true = all (s.open_hours)) or exists (select from private.closure c join private.closed_span x on x.closure_id = c.id
      where c.studio_id = s.id and c.opening and x.end_time > p_now)
    order by s.id
  loop
    perform private.follow_opening_hours(studio, p_now);
  end loop;
end
$$;

-- As before, with the opening hours.
create or replace function private.room_json(p_studio uuid) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('name', s.name, 'title', s.title, 'summary', s.summary, 'description', s.description,
    'features', pg_catalog.to_jsonb(s.features), 'photos', pg_catalog.to_jsonb(s.photos), 'active', s.active,
    'lockId', (select l.lock_id from private.studio_lock l where l.studio_id = s.id), 'openHours', pg_catalog.to_jsonb(s.open_hours))
  from public.studios s where s.id = p_studio
$$;
drop function private.set_room(uuid, jsonb, uuid);
create function private.set_room(p_studio uuid, p_room jsonb, p_actor uuid, p_now timestamptz) returns uuid
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
  if before -> 'openHours' is distinct from wanted -> 'openHours' then perform private.follow_opening_hours(v_id, p_now); end if;
  if before is distinct from private.room_json(v_id) then
    perform private.audit(p_actor, case when before is null then 'create' else 'update' end, 'studio', v_id::text,
      pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('before', before, 'after', private.room_json(v_id))));
    perform private.announce_rooms();
  end if;
  return v_id;
end
$$;
