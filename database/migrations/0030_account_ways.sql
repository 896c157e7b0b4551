-- More ways into an account: phones, anonymous visitors, invitations, links; and what each of them has to remember.

alter table auth.users
  alter column email drop not null,
  add column phone text check (phone ~ '^[1-9][0-9]{6,14}$'),
  add column phone_confirmed_at timestamptz,
  add column phone_change text,
  add column phone_change_sent_at timestamptz,
  add column email_change_confirm_status smallint not null default 0 check (email_change_confirm_status between 0 and 3),
  add column reauthentication_sent_at timestamptz,
  add column invited_at timestamptz,
  add column is_anonymous boolean not null default false,
  add column is_sso_user boolean not null default false;
create unique index users_phone on auth.users (phone) where deleted_at is null;
create index users_newest on auth.users (created_at desc, id);
create index users_email_change on auth.users (email_change) where email_change is not null;
create index users_phone_change on auth.users (phone_change) where phone_change is not null;

-- `method` began the session; `amr` holds what was shown later, as the token tells it: [{"method": …, "timestamp": …}].
alter table auth.sessions
  drop constraint if exists sessions_method_check,
  add constraint sessions_method_check check (method ~ '^[a-z0-9_/-]{2,40}$'),
  add column if not exists aal text not null default 'aal1' check (aal in ('aal1', 'aal2', 'aal3')),
  add column if not exists amr jsonb not null default '[]' check (jsonb_typeof(amr) = 'array');

-- What was typed in a sign-up waits here until the code of that very sign-up comes back: a password never counts because somebody
-- else confirmed the address.
create table auth.signup_attempts (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  encrypted_password text,
  data jsonb not null default '{}' check (octet_length(data::text) <= 16384),
  ip text not null,
  created_at timestamptz not null
);
create index signup_attempts_by_user on auth.signup_attempts (user_id, created_at desc);
alter table auth.signup_attempts enable row level security;
alter table auth.signup_attempts force row level security;
insert into auth.signup_attempts (id, user_id, encrypted_password, data, ip, created_at)
select gen_random_uuid(), u.id, u.encrypted_password, u.raw_user_meta_data, '', u.created_at
from auth.users u where u.email_confirmed_at is null and u.encrypted_password is not null;
update auth.users set encrypted_password = null where email_confirmed_at is null;

alter table auth.one_time_tokens
  drop constraint one_time_tokens_kind_check,
  add constraint one_time_tokens_kind_check check (kind in (
    'signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email_change_current', 'reauthentication', 'sms', 'phone_change'
  )),
  alter column email drop not null,
  add column phone text,
  add column attempt_id uuid references auth.signup_attempts (id) on delete set null,
  add constraint one_time_tokens_one_recipient check (num_nonnulls(email, phone) = 1);
create index one_time_tokens_by_phone on auth.one_time_tokens (phone) where phone is not null;

-- Mails and text messages wait in one queue.
alter table auth.mail_queue rename to message_queue;
alter index auth.mail_queue_due rename to message_queue_due;
alter index auth.mail_queue_by_user rename to message_queue_by_user;
alter table auth.message_queue
  drop constraint mail_queue_kind_check,
  add constraint message_queue_kind_check check (kind ~ '^[a-z_]{3,40}$'),
  alter column email drop not null,
  add column phone text,
  add column attempt_id uuid references auth.signup_attempts (id) on delete set null,
  add constraint message_queue_one_recipient check (num_nonnulls(email, phone) = 1);

-- The identities by mail and by phone follow their account while its providers name them.
create or replace function private.sync_identities() returns trigger language plpgsql security definer set search_path = '' as $$
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
drop trigger users_sync_identities on auth.users;
create trigger users_sync_identities
  after insert or update of email, email_confirmed_at, phone, phone_confirmed_at, raw_app_meta_data, last_sign_in_at on auth.users
  for each row execute function private.sync_identities();
