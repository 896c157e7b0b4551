-- Rooms as data: staff add, edit, order and retire studios, with photos and their locks.

alter table public.studios
  -- What the first page says: a name for the kind of room, and a sentence.
  add column title text not null default '' check (char_length(title) <= 80),
  add column summary text not null default '' check (char_length(summary) <= 300),
  -- Photos that staff uploaded to the bucket rooms, or the pictures drawn for the first three rooms. Whoever writes a row checks it, so the check
  -- calls no function of ours.
  add column photos text[] not null default '{}' constraint studios_photos check (pg_catalog.cardinality(photos) <= 8
    and pg_catalog.array_position(photos, null) is null and pg_catalog.array_to_string(photos, ' ')
      ~ '^((drawn-[abc]|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))( |$))*$'),
  add column sort_order integer not null default 0;

-- The first three rooms, where they exist already; others are in database/seed/studios.sql.
update public.studios s set title = f.title, summary = f.summary, photos = f.photos::text[], sort_order = f.at
from (values
  ('5a000000-0000-4000-8000-00000000000a'::uuid, 'The club rig', 'Four decks on a raised booth, four-point sound, room for five.', '{drawn-a}', 1),
  ('5a000000-0000-4000-8000-00000000000b', 'The vinyl room', 'Two turntables, a rotary mixer, and quiet enough to record.', '{drawn-b}', 2),
  ('5a000000-0000-4000-8000-00000000000c', 'The camera room', 'Three cameras, soft light, and you take home a video of your set.', '{drawn-c}', 3)
) f (id, title, summary, photos, at)
where s.id = f.id;

-- The lock of a room, where staff have set one. For the others IGLOOHOME_LOCKS names it.
create table private.studio_lock (
  studio_id uuid primary key references public.studios (id) on delete cascade,
  lock_id text not null check (char_length(lock_id) between 1 and 120)
);
alter table private.studio_lock enable row level security, force row level security;

-- Photos of the rooms. Everybody reads them, staff with the permission settings write them.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, reencode)
values ('rooms', 'rooms', true, 10485760, '{image/jpeg,image/png,image/webp}', true);
create policy "staff add photos of rooms" on storage.objects for insert to authenticated
  with check (bucket_id = 'rooms' and (select public.has_permission('settings')));
create policy "staff see photos of rooms" on storage.objects for select to authenticated
  using (bucket_id = 'rooms' and (select public.has_permission('settings')));
create policy "staff remove photos of rooms" on storage.objects for delete to authenticated
  using (bucket_id = 'rooms' and (select public.has_permission('settings')));

-- The rooms as public pages show them, in their order.
create function private.site_rooms() returns jsonb language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', s.name, 'title', s.title, 'summary', s.summary, 'photo', s.photos[1])
    order by s.sort_order, s.name), '[]')
  from public.studios s where s.active
$$;

-- A room with everything that staff set, for the audit log too.
create function private.room_json(p_studio uuid) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('name', s.name, 'title', s.title, 'summary', s.summary, 'description', s.description,
    'features', pg_catalog.to_jsonb(s.features), 'photos', pg_catalog.to_jsonb(s.photos), 'active', s.active,
    'lockId', (select l.lock_id from private.studio_lock l where l.studio_id = s.id))
  from public.studios s where s.id = p_studio
$$;

-- All rooms, retired ones too, for staff with the permission settings; nothing for anybody else.
create function public.staff_rooms() returns table (id uuid, room jsonb, upcoming integer)
language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('settings')) then return; end if;
  return query
    select s.id, private.room_json(s.id),
      (select count(*)::integer from private.booking b where b.studio_id = s.id and b.status <> 'cancelled' and b.end_time > pg_catalog.now())
    from public.studios s order by s.active desc, s.sort_order, s.name;
end
$$;
revoke execute on function public.staff_rooms() from public, anon;
grant execute on function public.staff_rooms() to authenticated, service_role;

-- Tells every process and staff that a room has changed.
create function private.announce_rooms() returns void language sql volatile set search_path = '' as $$
  select realtime.send('{}', 'rooms', 'staff', true);
  select pg_catalog.pg_notify('business_settings', '');
$$;

-- Adds a room (p_studio null) or changes those parts of one that p_room names. Returns its id; null when there is none.
create function private.set_room(p_studio uuid, p_room jsonb, p_actor uuid) returns uuid language plpgsql volatile set search_path = '' as $$
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
    photos = array(select f.value from pg_catalog.jsonb_array_elements_text(wanted -> 'photos') with ordinality f order by f.ordinality)
  where s.id = v_id;
  if wanted ->> 'lockId' is not null then
    insert into private.studio_lock (studio_id, lock_id) values (v_id, wanted ->> 'lockId')
    on conflict (studio_id) do update set lock_id = excluded.lock_id;
  end if;
  if before is distinct from private.room_json(v_id) then
    perform private.audit(p_actor, case when before is null then 'create' else 'update' end, 'studio', v_id::text,
      pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('before', before, 'after', private.room_json(v_id))));
    perform private.announce_rooms();
  end if;
  return v_id;
end
$$;

-- Orders the rooms as listed; rooms that are not listed follow.
create function private.order_rooms(p_studios uuid[], p_actor uuid) returns void language plpgsql volatile set search_path = '' as $$
declare
  before jsonb;
begin
  select pg_catalog.jsonb_agg(s.name order by s.sort_order, s.name) into before from (select * from public.studios order by id for update) s;
  update public.studios s set sort_order = coalesce(pg_catalog.array_position(p_studios, s.id), 1000 + s.sort_order);
  perform private.audit(p_actor, 'update', 'studio', null, pg_catalog.jsonb_build_object('before', before, 'after',
    (select pg_catalog.jsonb_agg(s.name order by s.sort_order, s.name) from public.studios s)));
  perform private.announce_rooms();
end
$$;
