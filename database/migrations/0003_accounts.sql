-- Accounts, sessions, codes and identities, named as in hosted Supabase. Secrets are stored as hashes only. Only the server reads these tables.

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  aud text not null default 'authenticated',
  role text not null default 'authenticated' check (role = 'authenticated'),
  email text check (email = lower(email) and char_length(email) between 3 and 255),
  phone text check (phone ~ '^[1-9][0-9]{6,14}$'),
  encrypted_password text,
  email_confirmed_at timestamptz,
  phone_confirmed_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  invited_at timestamptz,
  email_change text,
  email_change_sent_at timestamptz,
  email_change_confirm_status smallint not null default 0 check (email_change_confirm_status between 0 and 3),
  phone_change text,
  phone_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb not null default '{"provider": "email", "providers": ["email"]}',
  raw_user_meta_data jsonb not null default '{}' check (octet_length(raw_user_meta_data::text) <= 16384),
  is_anonymous boolean not null default false,
  is_sso_user boolean not null default false,
  banned_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create unique index users_email on auth.users (email) where deleted_at is null;
create unique index users_phone on auth.users (phone) where deleted_at is null;
create index users_newest on auth.users (created_at desc, id);
create index users_email_change on auth.users (email_change) where email_change is not null;
create index users_phone_change on auth.users (phone_change) where phone_change is not null;
alter table auth.users enable row level security, force row level security;
create trigger users_updated_at before update on auth.users for each row execute function private.set_updated_at();

-- Refresh tokens are derived from the session and its generation. The newest generation is valid, and the one before it for a short time.
create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  -- How it began; `amr` has the proofs that were shown later, as in the token: [{"method": …, "timestamp": …}].
  method text not null check (method ~ '^[a-z0-9_/-]{2,40}$'),
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2', 'aal3')),
  amr jsonb not null default '[]' check (jsonb_typeof(amr) = 'array'),
  -- The factor that raised its assurance level; the session ends with it.
  factor_id uuid,
  generation integer not null default 0,
  -- When each of the last generations was replaced, newest last. Tells a late copy of an honest request from a stolen token.
  rotated_at timestamptz[] not null default '{}',
  user_agent text,
  ip text
);
create index sessions_by_user on auth.sessions (user_id);
alter table auth.sessions enable row level security, force row level security;

-- What a sign-up typed, until the code of that same sign-up comes back. So nobody's password counts because somebody else confirmed the address.
create table auth.signup_attempts (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  encrypted_password text,
  data jsonb not null default '{}' check (octet_length(data::text) <= 16384),
  ip text not null,
  created_at timestamptz not null
);
create index signup_attempts_by_user on auth.signup_attempts (user_id, created_at desc);
alter table auth.signup_attempts enable row level security, force row level security;

-- Codes and link tokens that were sent, as keyed hashes. One per account and kind, with a limit of wrong attempts.
create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (kind in (
    'signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email_change_current', 'reauthentication', 'sms', 'phone_change'
  )),
  email text,
  phone text,
  attempt_id uuid references auth.signup_attempts (id) on delete set null,
  code_hash text not null,
  token_hash text not null unique,
  attempts integer not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  unique (user_id, kind),
  constraint one_time_tokens_one_recipient check (num_nonnulls(email, phone) = 1)
);
create index one_time_tokens_by_email on auth.one_time_tokens (email);
create index one_time_tokens_by_phone on auth.one_time_tokens (phone) where phone is not null;
create index one_time_tokens_expired on auth.one_time_tokens (expires_at);
alter table auth.one_time_tokens enable row level security, force row level security;

create table auth.identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  provider text not null check (provider <> ''),
  provider_id text not null check (provider_id <> ''),
  identity_data jsonb not null default '{}',
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (provider, provider_id)
);
create index identities_by_user on auth.identities (user_id);
alter table auth.identities enable row level security, force row level security;

-- Keeps the identities by email and by phone equal to the account while its providers name them.
create function private.sync_identities() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.email is not null and new.raw_app_meta_data -> 'providers' ? 'email' then
    insert into auth.identities as i (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
    values (
      new.id,
      'email',
      new.id::text,
      new.raw_user_meta_data || pg_catalog.jsonb_build_object(
        'sub', new.id, 'email', new.email, 'email_verified', new.email_confirmed_at is not null, 'phone_verified', false
      ),
      new.last_sign_in_at,
      new.created_at
    )
    on conflict (provider, provider_id) do update set
      identity_data = excluded.identity_data,
      last_sign_in_at = excluded.last_sign_in_at,
      updated_at = pg_catalog.clock_timestamp();
  end if;
  if new.phone is not null and new.raw_app_meta_data -> 'providers' ? 'phone' then
    insert into auth.identities as i (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
    values (
      new.id,
      'phone',
      new.id::text,
      pg_catalog.jsonb_build_object(
        'sub', new.id, 'phone', new.phone, 'email_verified', false, 'phone_verified', new.phone_confirmed_at is not null
      ),
      new.last_sign_in_at,
      new.created_at
    )
    on conflict (provider, provider_id) do update set
      identity_data = excluded.identity_data,
      last_sign_in_at = excluded.last_sign_in_at,
      updated_at = pg_catalog.clock_timestamp();
  end if;
  return new;
end
$$;
create trigger users_sync_identities
  after insert or update of email, email_confirmed_at, phone, phone_confirmed_at, raw_app_meta_data, last_sign_in_at on auth.users
  for each row execute function private.sync_identities();
