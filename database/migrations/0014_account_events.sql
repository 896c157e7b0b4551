-- What the auth door remembers besides accounts: the ways into an account, when refresh tokens were used, and what happened.

-- When each of the last numbers was traded, newest last: tells a slow twin of an honest request from a copy used much later (promises G24).
alter table auth.sessions add column rotated_at timestamptz[] not null default '{}';

-- Whom a waiting mail is about; null where only the address is known, and whether anybody has it is looked up when the mail leaves,
-- so that asking takes as long for an unknown address as for a known one (promises G27).
alter table auth.mail_queue add column user_id uuid references auth.users (id) on delete cascade;
create index mail_queue_by_user on auth.mail_queue (user_id);
create index one_time_tokens_by_email on auth.one_time_tokens (email);
create index one_time_tokens_expired on auth.one_time_tokens (expires_at);

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

-- Append-only. The payload names an action and an account, never a password, code or token.
create table auth.audit_log_entries (
  id uuid primary key default gen_random_uuid(),
  payload jsonb not null check (payload ? 'action'),
  ip_address text not null default '',
  created_at timestamptz not null
);
create index audit_log_entries_newest on auth.audit_log_entries (created_at desc);
create index audit_log_entries_actor on auth.audit_log_entries ((payload ->> 'actor_id'), created_at desc);

alter table auth.identities enable row level security;
alter table auth.identities force row level security;
alter table auth.audit_log_entries enable row level security;
alter table auth.audit_log_entries force row level security;
create trigger audit_log_entries_append_only before update or delete on auth.audit_log_entries
  for each row execute function private.refuse_audit_change();
create trigger audit_log_entries_no_truncate before truncate on auth.audit_log_entries
  for each statement execute function private.refuse_audit_change();

-- The identity by mail and password follows its account.
create function private.sync_identities() returns trigger language plpgsql security definer set search_path = '' as $$
begin
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
  return new;
end
$$;
revoke all on function private.sync_identities() from public;
create trigger users_sync_identities after insert or update of email, email_confirmed_at, last_sign_in_at on auth.users
  for each row execute function private.sync_identities();
insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
select u.id, 'email', u.id::text,
  u.raw_user_meta_data || jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', u.email_confirmed_at is not null, 'phone_verified', false),
  u.last_sign_in_at, u.created_at
from auth.users u;

-- Somebody who signs up again before confirming has typed the form anew: the profile holds what was typed last.
create function private.update_profile_from_sign_up() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set
    full_name = nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'full_name'), 100), ''),
    phone = nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'phone'), 20), ''),
    dj_name = nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'dj_name'), 100), ''),
    date_of_birth = private.date_or_null(new.raw_user_meta_data ->> 'date_of_birth')
  where user_id = new.id;
  return new;
end
$$;
revoke all on function private.update_profile_from_sign_up() from public;
create trigger users_update_profile after update of raw_user_meta_data on auth.users for each row
  when (new.email_confirmed_at is null and old.raw_user_meta_data is distinct from new.raw_user_meta_data)
  execute function private.update_profile_from_sign_up();
