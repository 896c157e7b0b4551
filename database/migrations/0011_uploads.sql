-- Resumable uploads (tus 1.0). Each PATCH stores a part; the last one joins the parts into an object.

create table storage.uploads (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 1024),
  -- Who began it: the role, and the account when there is one. Nobody else may continue it.
  role text not null,
  owner uuid,
  replace boolean not null,
  content_type text not null,
  cache_control text,
  content_encoding text,
  user_metadata jsonb not null default '{}' check (octet_length(user_metadata::text) <= 8192),
  -- The Upload-Metadata header as it was sent; HEAD returns it.
  described text not null check (octet_length(described) <= 8192),
  length bigint not null check (length >= 0),
  received bigint not null default 0,
  -- Until then a request is joining the parts.
  assembling_until timestamptz,
  done_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint uploads_received_within_length check (received between 0 and length)
);
create index uploads_expired on storage.uploads (expires_at);
alter table storage.uploads enable row level security, force row level security;

create table storage.upload_parts (
  upload_id uuid not null references storage.uploads (id) on delete cascade,
  starts_at bigint not null check (starts_at >= 0),
  size bigint not null check (size > 0),
  storage_key text not null unique,
  primary key (upload_id, starts_at)
);
alter table storage.upload_parts enable row level security, force row level security;
create trigger upload_parts_cancel_deletion after insert on storage.upload_parts
  for each row execute function storage.cancel_deletion();
create trigger upload_parts_queue_deletion after delete on storage.upload_parts
  for each row execute function storage.queue_deletion();
