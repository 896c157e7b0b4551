-- Buckets, with the names of hosted Supabase.
create table storage.buckets (
  id text not null,
  name text not null,
  owner uuid default auth.uid(),
  owner_id text generated always as ((owner)::text) stored,
  public boolean default false not null,
  file_size_limit bigint,
  allowed_mime_types text[],
  -- Whether pictures are decoded and encoded again as JPEG, so that only their pixels are stored.
  reencode boolean default false not null,
  -- The longest time for which a signed URL of an object is valid.
  max_signed_seconds integer default 604800 not null,
  -- Objects are deleted at this age.
  retention_seconds integer,
  -- Whether only its owner can read an object: the service key cannot, and no object can be moved or copied to another
  -- bucket.
  owner_only boolean default false not null,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  constraint buckets_pkey primary key (id),
  constraint buckets_file_size_limit_check check (file_size_limit > 0),
  constraint buckets_id_check check (
    (id ~ '^[A-Za-z0-9_!.*''()&$@=;:+,? -]{1,100}$') and (id = btrim(id)) and (id <> ALL (array['.', '..']))
  ),
  constraint buckets_max_signed_seconds_check check (max_signed_seconds > 0),
  constraint buckets_owner_only_not_public check (not (owner_only and public)),
  constraint buckets_retention_seconds_check check (retention_seconds > 0)
);
alter table storage.buckets enable row level security, force row level security;
grant delete, insert, select, update on storage.buckets to anon, authenticated;
grant all on storage.buckets to service_role;

-- Objects, with the names of hosted Supabase. Their bytes are stored outside the database.
create table storage.objects (
  id uuid default gen_random_uuid() not null,
  bucket_id text not null,
  name text not null,
  owner uuid default auth.uid(),
  owner_id text generated always as ((owner)::text) stored,
  -- The key of the bytes, which the server creates.
  storage_key text not null,
  content_type text not null,
  -- The Content-Encoding that the uploader gave. It is returned to readers.
  content_encoding text,
  size bigint not null,
  etag text default '' not null,
  cache_control text default 'max-age=3600' not null,
  metadata jsonb generated always as (storage.object_metadata(etag, size, content_type, cache_control)) stored,
  user_metadata jsonb default '{}'::jsonb not null,
  version text default (gen_random_uuid())::text not null,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  last_accessed_at timestamptz default clock_timestamp() not null,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  constraint objects_pkey primary key (id),
  constraint objects_bucket_id_name_key unique (bucket_id, name),
  constraint objects_storage_key_key unique (storage_key),
  constraint objects_bucket_id_fkey foreign key (bucket_id) references storage.buckets(id),
  constraint objects_content_encoding_check check (
    content_encoding ~ '^[a-z0-9-]{1,20}(, ?[a-z0-9-]{1,20}){0,3}$'
  ),
  constraint objects_name_check check (char_length(name) between 1 and 1024),
  constraint objects_size_check check (size >= 0),
  constraint objects_user_metadata_check check (octet_length((user_metadata)::text) <= 8192)
);
create index objects_by_name on storage.objects (bucket_id, name text_pattern_ops);
create index objects_by_time on storage.objects (bucket_id, created_at, name);
create index objects_old on storage.objects (bucket_id, created_at);
alter table storage.objects enable row level security, force row level security;
grant delete, insert, select, update on storage.objects to anon, authenticated;
grant all on storage.objects to service_role;

-- Bytes to delete at `delete_at`. An upload first writes its key here, with enough time to finish. Writing the row of
-- the object removes the key again, so if anything fails in between, the bytes are deleted.
create table storage.deletion_queue (
  storage_key text not null,
  delete_at timestamptz default clock_timestamp() not null,
  constraint deletion_queue_pkey primary key (storage_key)
);
create index deletion_queue_due on storage.deletion_queue (delete_at);
alter table storage.deletion_queue enable row level security, force row level security;

-- Resumable uploads (tus 1.0). Each PATCH request stores a part. The last one joins the parts into an object.
create table storage.uploads (
  id uuid default gen_random_uuid() not null,
  bucket_id text not null,
  name text not null,
  -- The role that began the upload, and its account if it has one. Other callers cannot continue it.
  role text not null,
  owner uuid,
  replace boolean not null,
  content_type text not null,
  cache_control text,
  content_encoding text,
  user_metadata jsonb default '{}'::jsonb not null,
  -- The Upload-Metadata header as it was sent. HEAD requests return it.
  described text not null,
  length bigint not null,
  received bigint default 0 not null,
  -- Until this time, a request may be joining the parts.
  assembling_until timestamptz,
  done_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint uploads_pkey primary key (id),
  constraint uploads_bucket_id_fkey foreign key (bucket_id) references storage.buckets(id) on delete cascade,
  constraint uploads_described_check check (octet_length(described) <= 8192),
  constraint uploads_length_check check (length >= 0),
  constraint uploads_name_check check (char_length(name) between 1 and 1024),
  constraint uploads_received_within_length check (received between 0 and length),
  constraint uploads_user_metadata_check check (octet_length((user_metadata)::text) <= 8192)
);
create index uploads_expired on storage.uploads (expires_at);
alter table storage.uploads enable row level security, force row level security;

-- The parts of resumable uploads.
create table storage.upload_parts (
  upload_id uuid not null,
  -- The offset of the part's first byte.
  starts_at bigint not null,
  size bigint not null,
  storage_key text not null,
  constraint upload_parts_pkey primary key (upload_id, starts_at),
  constraint upload_parts_storage_key_key unique (storage_key),
  constraint upload_parts_upload_id_fkey foreign key (upload_id) references storage.uploads(id) on delete cascade,
  constraint upload_parts_size_check check (size > 0),
  constraint upload_parts_starts_at_check check (starts_at >= 0)
);
alter table storage.upload_parts enable row level security, force row level security;
