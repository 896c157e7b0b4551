-- Incidents in the rooms, and codes for people without a booking, such as tradespeople.

create table private.incident (
  id uuid primary key default gen_random_uuid(),
  -- Null: it is about no room.
  studio_id uuid references public.studios (id),
  description text not null check (char_length(description) between 1 and 2000),
  state text not null default 'open' check (state in ('open', 'in_progress', 'done')),
  -- The account that reported it; null: the service key, or an account that is deleted.
  reporter uuid references auth.users (id) on delete set null,
  -- The object of the bucket incidents.
  photo text check (char_length(photo) between 1 and 1024),
  -- Tells a repeated report from a second one like it.
  request_id text check (char_length(request_id) between 1 and 100),
  created_at timestamptz not null,
  -- Who changed the state last.
  changed_by uuid,
  changed_at timestamptz,
  constraint incident_once unique (reporter, request_id),
  constraint incident_changed check ((changed_by is null) = (changed_at is null))
);
create index incident_newest on private.incident (state, created_at desc);
alter table private.incident enable row level security, force row level security;

create function private.publish_incident() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'incidents', 'staff', true);
  return null;
end
$$;
revoke execute on function private.publish_incident() from public;
create trigger publish_incident after insert or update on private.incident for each row execute function private.publish_incident();

-- Photos of incidents: decoded and encoded again as those of IDs, so that no metadata is kept. Each is in a folder named after its owner's id.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, reencode, max_signed_seconds)
values ('incidents', 'incidents', false, 10485760, '{image/jpeg,image/png,image/webp}', true, 60);
create policy "staff add photos of incidents" on storage.objects for insert to authenticated
  with check (bucket_id = 'incidents' and (storage.foldername(name))[1] = (select auth.uid())::text and owner = (select auth.uid())
    and (select public.has_permission('bookings')));
create policy "staff see photos of incidents" on storage.objects for select to authenticated
  using (bucket_id = 'incidents' and (select public.has_permission('bookings')));

-- Codes that staff make for somebody without a booking. The hours are closed for bookings, so nobody else is in the room.
create table private.staff_code (
  id uuid primary key default gen_random_uuid(),
  studio_id uuid not null references public.studios (id),
  lock_id text not null check (char_length(lock_id) between 1 and 60),
  -- Whom it is for.
  name text not null check (char_length(name) between 1 and 60),
  status text not null default 'requested' check (status in ('requested', 'issued', 'revoking', 'revoked')),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- As of a booking's code: written before the lock is asked.
  variant integer not null check (variant >= 0),
  pin_encrypted text,
  pin_fingerprint text,
  made_by uuid not null,
  request_id text not null check (char_length(request_id) between 1 and 100),
  created_at timestamptz not null,
  issued_at timestamptz,
  revoked_at timestamptz,
  constraint staff_code_once unique (made_by, request_id),
  constraint staff_code_ends_after_start check (ends_at > starts_at)
);
create index staff_code_newest on private.staff_code (ends_at desc);
create unique index staff_code_variant on private.staff_code (lock_id, starts_at, ends_at, variant) where variant > 0;
alter table private.staff_code enable row level security, force row level security;

alter table private.lock_event add column staff_code_id uuid references private.staff_code (id) on delete set null;

-- The next number of a code of a lock for the same hours, from 1, among those of bookings and of staff.
create function private.next_code_variant(p_lock text, p_from timestamptz, p_until timestamptz) returns integer
language sql stable set search_path = '' as $$
  select 1 + greatest(
    (select coalesce(pg_catalog.max(s.variant), 0) from private.access_secret s where s.lock_id = p_lock and s.starts_at = p_from and s.ends_at = p_until),
    (select coalesce(pg_catalog.max(c.variant), 0) from private.staff_code c where c.lock_id = p_lock and c.starts_at = p_from and c.ends_at = p_until))
$$;

-- Whether a lock has a code with these digits that may still open it.
create function private.is_pin_taken(p_lock text, p_fingerprint text) returns boolean language sql stable set search_path = '' as $$
  select exists (select from private.access_secret s where s.lock_id = p_lock and s.pin_fingerprint = p_fingerprint and s.live)
    or exists (select from private.staff_code c where c.lock_id = p_lock and c.pin_fingerprint = p_fingerprint and c.status <> 'revoked')
$$;

-- As before, with whom staff made the code for.
create or replace function private.door_log(p_locks jsonb, p_from timestamptz, p_until timestamptz, p_booking uuid, p_most integer) returns table (
  at timestamptz, kind text, studio_id uuid, studio_name text, reference text, by_code boolean, start_time timestamptz, customer_name text, actor text
)
language sql stable set search_path = '' as $$
  select e.at, e.kind, s.id, s.name, b.reference, c.booking_id is not null, b.start_time, coalesce(p.full_name, b.guest_name),
    coalesce(a.full_name, t.name)
  from pg_catalog.jsonb_each_text(p_locks) l
  join private.lock_event e on e.lock_id = l.key and e.at >= p_from and e.at < p_until
  join public.studios s on s.id = l.value::uuid
  left join public.booking_access_codes c on c.id = e.code_id
  left join private.staff_code t on t.id = e.staff_code_id
  left join lateral (
    select x.* from private.booking x
    where case when c.booking_id is not null then x.id = c.booking_id when t.id is not null then false
      else x.studio_id = s.id and x.status = 'confirmed' and x.start_time <= e.at and x.start_time > e.at - interval '25 hours' and x.end_time > e.at end
    order by x.start_time desc limit 1) b on true
  left join public.profiles p on p.user_id = b.user_id
  left join public.profiles a on a.user_id = e.actor
  where p_booking is null or b.id = p_booking
  order by e.at desc, e.id limit p_most
$$;
