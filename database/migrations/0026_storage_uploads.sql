-- Uploads that may be interrupted and taken up again (tus 1.0). Each PATCH leaves a piece; the last one puts them together.

create table storage.uploads (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 1024),
  -- Who began it and nobody else goes on: the role, and the person when there is one.
  role text not null,
  owner uuid,
  replace boolean not null,
  content_type text not null,
  cache_control text,
  content_encoding text,
  user_metadata jsonb not null default '{}' check (octet_length(user_metadata::text) <= 8192),
  -- As it was sent, to be told again.
  described text not null check (octet_length(described) <= 8192),
  length bigint not null check (length >= 0),
  received bigint not null default 0 check (received between 0 and length),
  -- Somebody is putting the pieces together until then.
  assembling_until timestamptz,
  done_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
create index uploads_expired on storage.uploads (expires_at);
create table storage.upload_parts (
  upload_id uuid not null references storage.uploads (id) on delete cascade,
  starts_at bigint not null check (starts_at >= 0),
  size bigint not null check (size > 0),
  storage_key text not null unique,
  primary key (upload_id, starts_at)
);
alter table storage.uploads enable row level security;
alter table storage.uploads force row level security;
alter table storage.upload_parts enable row level security;
alter table storage.upload_parts force row level security;

-- The bytes of a piece follow its row, as those of an object do.
create trigger upload_parts_cancel_deletion after insert on storage.upload_parts for each row execute function storage.cancel_deletion();
create trigger upload_parts_queue_deletion after delete on storage.upload_parts for each row execute function storage.queue_deletion();
