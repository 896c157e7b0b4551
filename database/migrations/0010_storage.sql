-- Buckets and objects, named as in hosted Supabase. The bytes are outside the database, under keys that the server makes.

create table storage.buckets (
  id text primary key check (id ~ '^[A-Za-z0-9_!.*''()&$@=;:+,? -]{1,100}$' and id = btrim(id) and id not in ('.', '..')),
  name text not null,
  owner uuid default auth.uid(),
  owner_id text generated always as (owner::text) stored,
  public boolean not null default false,
  file_size_limit bigint check (file_size_limit > 0),
  allowed_mime_types text[],
  -- Pictures are decoded and encoded again as JPEG, so that only their pixels are stored.
  reencode boolean not null default false,
  max_signed_seconds integer not null default 604800 check (max_signed_seconds > 0),
  -- Objects are deleted when they are this old.
  retention_seconds integer check (retention_seconds > 0),
  -- Only its owner reads an object, the service key does not; and no object is moved or copied to another bucket.
  owner_only boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint buckets_owner_only_not_public check (not (owner_only and public))
);
alter table storage.buckets enable row level security, force row level security;
create trigger buckets_updated_at before update on storage.buckets for each row execute function private.set_updated_at();

-- No caller, whatever its role, changes the settings of an owner-only bucket.
create function storage.guard_bucket() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.owner_only and current_user in ('anon', 'authenticated', 'service_role') then
    raise exception using errcode = '42501', message = 'this bucket cannot be changed';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger buckets_guarded before update or delete on storage.buckets for each row execute function storage.guard_bucket();

-- What the storage API must know of a bucket, whoever asks for an object in it.
create function storage.bucket_by_id(bucket text) returns setof storage.buckets language sql stable security definer rows 1 set search_path = '' as $$
  select b.* from storage.buckets b where b.id = bucket
$$;
create function storage.owner_only_buckets() returns text[] language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(b.id), '{}') from storage.buckets b where b.owner_only
$$;
grant execute on function storage.bucket_by_id(text), storage.owner_only_buckets() to anon, authenticated, service_role;

-- The metadata that hosted Supabase shows of an object. Immutable: the same arguments always give the same JSON.
create function storage.object_metadata(etag text, size bigint, mimetype text, cache_control text) returns jsonb language sql immutable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('eTag', '"' || etag || '"', 'size', size, 'contentLength', size, 'mimetype', mimetype, 'cacheControl', cache_control)
$$;
grant execute on function storage.object_metadata(text, bigint, text, text) to anon, authenticated, service_role;

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id),
  name text not null check (char_length(name) between 1 and 1024),
  owner uuid default auth.uid(),
  owner_id text generated always as (owner::text) stored,
  storage_key text not null unique,
  content_type text not null,
  -- As the sender said and readers are told.
  content_encoding text check (content_encoding ~ '^[a-z0-9-]{1,20}(, ?[a-z0-9-]{1,20}){0,3}$'),
  size bigint not null check (size >= 0),
  etag text not null default '',
  cache_control text not null default 'max-age=3600',
  metadata jsonb generated always as (storage.object_metadata(etag, size, content_type, cache_control)) stored,
  user_metadata jsonb not null default '{}' check (octet_length(user_metadata::text) <= 8192),
  version text not null default gen_random_uuid()::text,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  last_accessed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (bucket_id, name)
);
create index objects_by_name on storage.objects (bucket_id, name text_pattern_ops);
create index objects_by_time on storage.objects (bucket_id, created_at, name);
create index objects_old on storage.objects (bucket_id, created_at);
alter table storage.objects enable row level security, force row level security;

-- Only an upload decides where the bytes are and whose they are.
create function storage.guard_object() returns trigger language plpgsql set search_path = '' as $$
begin
  new.owner := old.owner;
  new.id := old.id;
  new.created_at := old.created_at;
  new.updated_at := pg_catalog.clock_timestamp();
  return new;
end
$$;
create trigger objects_guarded before update on storage.objects for each row execute function storage.guard_object();

-- Bytes to delete once `delete_at` has come. An upload writes its key here first, with time to finish, and the row of the object removes it
-- again. So when anything fails in between, the bytes are deleted.
create table storage.deletion_queue (
  storage_key text primary key,
  delete_at timestamptz not null default clock_timestamp()
);
create index deletion_queue_due on storage.deletion_queue (delete_at);
alter table storage.deletion_queue enable row level security, force row level security;

create function storage.queue_deletion() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into storage.deletion_queue (storage_key) values (old.storage_key) on conflict do nothing;
  return null;
end
$$;
create trigger objects_queue_deletion after delete on storage.objects for each row execute function storage.queue_deletion();

create function storage.cancel_deletion() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from storage.deletion_queue r where r.storage_key = new.storage_key;
  if tg_op = 'UPDATE' then
    insert into storage.deletion_queue (storage_key) values (old.storage_key) on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger objects_cancel_deletion after insert on storage.objects for each row execute function storage.cancel_deletion();
create trigger objects_replaced after update of storage_key on storage.objects
  for each row when (old.storage_key <> new.storage_key) execute function storage.cancel_deletion();

-- Parts of a path, for policies; the same functions as in hosted Supabase.
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

-- Policies decide who does what; without one, nobody reads, creates or changes anything.
grant select, insert, update, delete on storage.buckets, storage.objects to anon, authenticated;
grant all on storage.buckets, storage.objects to service_role;
create policy "signed-in people read the buckets" on storage.buckets for select to authenticated using (true);

-- Whatever policies are added later, none opens an owner-only bucket to anybody else.
create policy "only its owner reaches an object of an owner-only bucket" on storage.objects as restrictive for all to anon, authenticated
  using (bucket_id <> all ((select storage.owner_only_buckets())::text[]) or owner = (select auth.uid()))
  with check (bucket_id <> all ((select storage.owner_only_buckets())::text[]) or owner = (select auth.uid()));

-- Photos of identity documents: private, kept for an hour, each in a folder named after its owner's id.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, reencode, max_signed_seconds, retention_seconds, owner_only)
values ('id-verifications', 'id-verifications', false, 10485760, '{image/jpeg,image/png,image/webp}', true, 60, 3600, true);
create policy "people add pictures of their own ID" on storage.objects for insert to authenticated
  with check (bucket_id = 'id-verifications' and (storage.foldername(name))[1] = (select auth.uid())::text and owner = (select auth.uid()));
create policy "people see pictures of their own ID" on storage.objects for select to authenticated
  using (bucket_id = 'id-verifications' and owner = (select auth.uid()));
create policy "people remove pictures of their own ID" on storage.objects for delete to authenticated
  using (bucket_id = 'id-verifications' and owner = (select auth.uid()));
