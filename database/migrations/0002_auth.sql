-- Accounts, in hosted Supabase's names. Secrets are stored as hashes only; no role but the server's own reaches this schema's tables.

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  aud text not null default 'authenticated',
  role text not null default 'authenticated' check (role = 'authenticated'),
  email text not null check (email = lower(email) and char_length(email) between 3 and 255),
  encrypted_password text,
  email_confirmed_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  email_change text,
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb not null default '{"provider": "email", "providers": ["email"]}',
  raw_user_meta_data jsonb not null default '{}' check (octet_length(raw_user_meta_data::text) <= 16384),
  banned_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create unique index users_email on auth.users (email) where deleted_at is null;

-- A session hands out refresh tokens by number; only the newest number and the one before it are good.
create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  method text not null check (method in ('password', 'otp', 'recovery')),
  generation integer not null default 0,
  user_agent text,
  ip text
);
create index sessions_by_user on auth.sessions (user_id);

-- Codes and link tokens mailed to an address: keyed hashes, five wrong tries, one life.
create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (kind in ('signup', 'recovery', 'email_change')),
  email text not null,
  code_hash text not null,
  token_hash text not null unique,
  attempts integer not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  unique (user_id, kind)
);

-- Account mails on their way: a row first, so that none is lost; the codes in them are derived from the row's id, so that a repeat is the same mail.
create table auth.mail_queue (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('signup', 'account_exists', 'recovery', 'email_change', 'password_changed')),
  email text not null,
  data jsonb not null default '{}',
  due_at timestamptz not null,
  tries integer not null default 0,
  lease_until timestamptz not null default '-infinity',
  created_at timestamptz not null
);
create index mail_queue_due on auth.mail_queue (due_at);

alter table auth.users enable row level security;
alter table auth.users force row level security;
alter table auth.sessions enable row level security;
alter table auth.sessions force row level security;
alter table auth.one_time_tokens enable row level security;
alter table auth.one_time_tokens force row level security;
alter table auth.mail_queue enable row level security;
alter table auth.mail_queue force row level security;

create trigger users_updated_at before update on auth.users for each row execute function private.set_updated_at();
