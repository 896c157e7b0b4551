-- Buckets and objects in hosted Supabase's names. Bytes lie outside the database under keys nobody chooses; a row says whose they are.

create table storage.buckets (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  name text not null,
  owner uuid,
  public boolean not null default false,
  file_size_limit bigint check (file_size_limit > 0),
  allowed_mime_types text[],
  -- Pictures are unpacked and packed again as JPEG, so that nothing but pixels is kept.
  reencode boolean not null default false,
  max_signed_seconds integer not null default 604800 check (max_signed_seconds > 0),
  -- Objects older than this are deleted by the sweep.
  retention_seconds integer check (retention_seconds > 0),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id),
  name text not null check (char_length(name) between 1 and 1024),
  owner uuid default auth.uid(),
  storage_key text not null unique,
  content_type text not null,
  size bigint not null check (size >= 0),
  etag text not null default '',
  cache_control text not null default 'max-age=3600',
  user_metadata jsonb not null default '{}' check (octet_length(user_metadata::text) <= 8192),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (bucket_id, name)
);
create index objects_old on storage.objects (bucket_id, created_at);

-- Bytes whose row is gone, until they are gone too.
create table storage.deletion_queue (
  storage_key text primary key,
  delete_at timestamptz not null default clock_timestamp()
);

alter table storage.buckets enable row level security;
alter table storage.buckets force row level security;
alter table storage.objects enable row level security;
alter table storage.objects force row level security;
alter table storage.deletion_queue enable row level security;
alter table storage.deletion_queue force row level security;

create function storage.queue_deletion() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into storage.deletion_queue (storage_key) values (old.storage_key) on conflict do nothing;
  return null;
end
$$;
create trigger objects_queue_deletion after delete on storage.objects for each row execute function storage.queue_deletion();

-- Parts of a path, as policies use them.
create function storage.foldername(name text) returns text[] language sql immutable set search_path = '' as $$
  select (pg_catalog.string_to_array(name, '/'))[1:pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1) - 1]
$$;
create function storage.filename(name text) returns text language sql immutable set search_path = '' as $$
  select pg_catalog.regexp_replace(name, '^.*/', '')
$$;
create function storage.extension(name text) returns text language sql immutable set search_path = '' as $$
  select pg_catalog.substring(name, '\.([^./]+)$')
$$;
grant execute on function storage.foldername(text), storage.filename(text), storage.extension(text) to anon, authenticated, service_role;

grant select on storage.buckets to anon, authenticated;
grant all on storage.buckets, storage.objects to service_role;
grant select, insert, delete on storage.objects to authenticated;
create policy "signed-in people read the buckets" on storage.buckets for select to authenticated using (true);

-- Pictures of identity documents: private, kept an hour, each under its owner's id.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, reencode, max_signed_seconds, retention_seconds)
values ('id-verifications', 'id-verifications', false, 10485760, '{image/jpeg,image/png,image/webp}', true, 60, 3600);
create policy "people add pictures of their own ID" on storage.objects for insert to authenticated
  with check (bucket_id = 'id-verifications' and (storage.foldername(name))[1] = (select auth.uid())::text and owner = (select auth.uid()));
create policy "people see pictures of their own ID" on storage.objects for select to authenticated
  using (bucket_id = 'id-verifications' and owner = (select auth.uid()));
create policy "people remove pictures of their own ID" on storage.objects for delete to authenticated
  using (bucket_id = 'id-verifications' and owner = (select auth.uid()));
