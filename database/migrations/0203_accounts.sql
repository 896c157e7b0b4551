-- Accounts, with the names of hosted Supabase. In the tables of this schema, secrets are stored as hashes or encrypted.
-- Only the server reads these tables.
create table auth.users (
  id uuid default gen_random_uuid() not null,
  aud text default 'authenticated' not null,
  role text default 'authenticated' not null,
  email text,
  phone text,
  encrypted_password text,
  email_confirmed_at timestamptz,
  phone_confirmed_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  invited_at timestamptz,
  email_change text,
  email_change_sent_at timestamptz,
  email_change_confirm_status smallint default 0 not null,
  phone_change text,
  phone_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb default '{"provider": "email", "providers": ["email"]}'::jsonb not null,
  raw_user_meta_data jsonb default '{}'::jsonb not null,
  is_anonymous boolean default false not null,
  is_sso_user boolean default false not null,
  banned_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  constraint users_pkey primary key (id),
  constraint users_email_change_confirm_status_check check (email_change_confirm_status between 0 and 3),
  constraint users_email_check check ((email = lower(email)) and (char_length(email) between 3 and 255)),
  constraint users_phone_check check (phone ~ '^[1-9][0-9]{6,14}$'),
  constraint users_raw_user_meta_data_check check (octet_length((raw_user_meta_data)::text) <= 16384),
  constraint users_role_check check (role = 'authenticated')
);
create unique index users_email on auth.users (email) where deleted_at is null;
create index users_email_change on auth.users (email_change) where email_change is not null;
create index users_newest on auth.users (created_at desc, id);
create unique index users_phone on auth.users (phone) where deleted_at is null;
create index users_phone_change on auth.users (phone_change) where phone_change is not null;
alter table auth.users enable row level security, force row level security;

-- Signed-in sessions. A refresh token is derived from a session and its generation. The newest generation is valid, and
-- the one before it remains valid for a short time.
create table auth.sessions (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  -- How the session began. `amr` contains the proofs that were given later, in the form of the token's claim:
  -- [{"method": …, "timestamp": …}].
  method text not null,
  aal text default 'aal1' not null,
  amr jsonb default '[]'::jsonb not null,
  -- The factor that raised the session's assurance level. Removing the factor lowers the session to aal1.
  factor_id uuid,
  generation integer default 0 not null,
  -- When each of the last generations was replaced, newest last. Distinguishes a late copy of an honest request from a
  -- stolen token.
  rotated_at timestamptz[] default '{}'::timestamptz[] not null,
  user_agent text,
  ip text,
  constraint sessions_pkey primary key (id),
  constraint sessions_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint sessions_aal_check check (aal = any (array['aal1', 'aal2', 'aal3'])),
  constraint sessions_amr_check check (jsonb_typeof(amr) = 'array'),
  constraint sessions_method_check check (method ~ '^[a-z0-9_/-]{2,40}$')
);
create index sessions_by_user on auth.sessions (user_id);
alter table auth.sessions enable row level security, force row level security;

-- The password and data of each sign-up, kept until its code comes back. They take effect only with the code of the
-- same sign-up, so a stranger's password does not become valid when the owner of the address confirms it.
create table auth.signup_attempts (
  id uuid not null,
  user_id uuid not null,
  encrypted_password text,
  data jsonb default '{}'::jsonb not null,
  -- The network address of the client. 'service' or 'import' if the account was not created by a sign-up.
  ip text not null,
  created_at timestamptz not null,
  constraint signup_attempts_pkey primary key (id),
  constraint signup_attempts_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint signup_attempts_data_check check (octet_length((data)::text) <= 16384)
);
create index signup_attempts_by_user on auth.signup_attempts (user_id, created_at desc);
alter table auth.signup_attempts enable row level security, force row level security;

-- Codes and link tokens that were sent, as keyed hashes. There is one row per account and kind, and the number of wrong
-- attempts is limited.
create table auth.one_time_tokens (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  kind text not null,
  email text,
  phone text,
  attempt_id uuid,
  code_hash text not null,
  token_hash text not null,
  attempts integer default 0 not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint one_time_tokens_pkey primary key (id),
  constraint one_time_tokens_token_hash_key unique (token_hash),
  constraint one_time_tokens_user_id_kind_key unique (user_id, kind),
  constraint one_time_tokens_attempt_id_fkey
    foreign key (attempt_id) references auth.signup_attempts(id) on delete set null,
  constraint one_time_tokens_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint one_time_tokens_kind_check check (
    kind = any (array[
      'signup', 'invite', 'magiclink', 'recovery', 'email_change', 'email_change_current', 'reauthentication', 'sms',
      'phone_change'
    ])
  ),
  constraint one_time_tokens_one_recipient check (num_nonnulls(email, phone) = 1)
);
create index one_time_tokens_by_email on auth.one_time_tokens (email);
create index one_time_tokens_by_phone on auth.one_time_tokens (phone) where phone is not null;
create index one_time_tokens_expired on auth.one_time_tokens (expires_at);
alter table auth.one_time_tokens enable row level security, force row level security;

-- Accounts at other providers with which a person can sign in.
create table auth.identities (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  provider text not null,
  provider_id text not null,
  identity_data jsonb default '{}'::jsonb not null,
  email text generated always as (lower((identity_data ->> 'email'))) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  constraint identities_pkey primary key (id),
  constraint identities_provider_provider_id_key unique (provider, provider_id),
  constraint identities_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint identities_provider_check check (provider <> ''),
  constraint identities_provider_id_check check (provider_id <> '')
);
create index identities_by_user on auth.identities (user_id);
alter table auth.identities enable row level security, force row level security;

-- Second factors, with the names of hosted Supabase.
create table auth.mfa_factors (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  friendly_name text default '' not null,
  factor_type text not null,
  status text default 'unverified' not null,
  -- The secret of an authenticator app, encrypted by the server.
  secret text,
  phone text,
  web_authn_credential jsonb,
  -- The newest time step whose code was accepted: a code is valid once (RFC 6238, 5.2).
  last_step bigint default 0 not null,
  last_challenged_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint mfa_factors_pkey primary key (id),
  constraint mfa_factors_user_id_friendly_name_key unique (user_id, friendly_name),
  constraint mfa_factors_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint mfa_factors_credential_is_webauthn check ((web_authn_credential is null) or (factor_type = 'webauthn')),
  constraint mfa_factors_factor_type_check check (factor_type = any (array['totp', 'phone', 'webauthn'])),
  constraint mfa_factors_friendly_name_check check (char_length(friendly_name) <= 100),
  constraint mfa_factors_phone_has_number check ((factor_type = 'phone') = (phone is not null)),
  constraint mfa_factors_plain check (private.is_plain(friendly_name)),
  constraint mfa_factors_status_check check (status = any (array['unverified', 'verified'])),
  constraint mfa_factors_totp_has_secret check ((factor_type = 'totp') = (secret is not null)),
  constraint mfa_factors_verified_has_credential check (
    (factor_type <> 'webauthn') or (status = 'unverified') or (web_authn_credential is not null)
  )
);
create unique index mfa_factors_phone on auth.mfa_factors (user_id, phone) where phone is not null;
alter table auth.mfa_factors enable row level security, force row level security;

create table auth.mfa_challenges (
  id uuid default gen_random_uuid() not null,
  factor_id uuid not null,
  ip_address text not null,
  -- Keyed hash of the code that was sent to the phone.
  code_hash text,
  -- The challenge that a WebAuthn authenticator must sign.
  web_authn_challenge text,
  attempts integer default 0 not null,
  verified_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint mfa_challenges_pkey primary key (id),
  constraint mfa_challenges_factor_id_fkey foreign key (factor_id) references auth.mfa_factors(id) on delete cascade
);
create index mfa_challenges_by_factor on auth.mfa_challenges (factor_id);
create index mfa_challenges_expired on auth.mfa_challenges (expires_at);
alter table auth.mfa_challenges enable row level security, force row level security;

-- Passkeys: credentials that sign in without a password.
create table auth.webauthn_credentials (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  aaguid text not null,
  sign_count bigint default 0 not null,
  transports text[] default '{}' not null,
  backup_eligible boolean not null,
  backed_up boolean not null,
  friendly_name text default '' not null,
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webauthn_credentials_pkey primary key (id),
  constraint webauthn_credentials_credential_id_key unique (credential_id),
  constraint webauthn_credentials_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint webauthn_credentials_credential_id_check check (char_length(credential_id) between 1 and 1400),
  constraint webauthn_credentials_friendly_name_check check (char_length(friendly_name) <= 120),
  constraint webauthn_credentials_plain check (private.is_plain(friendly_name)),
  constraint webauthn_credentials_sign_count_check check (sign_count >= 0)
);
create index webauthn_credentials_by_user on auth.webauthn_credentials (user_id);
alter table auth.webauthn_credentials enable row level security, force row level security;

-- Challenges for passkeys. Answering a challenge deletes its row, so it can be answered once.
create table auth.webauthn_challenges (
  id uuid default gen_random_uuid() not null,
  user_id uuid,
  challenge_type text not null,
  challenge text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint webauthn_challenges_pkey primary key (id),
  constraint webauthn_challenges_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint webauthn_challenges_challenge_type_check check (
    challenge_type = any (array['registration', 'authentication'])
  ),
  constraint webauthn_challenges_registration_has_user check (
    (challenge_type = 'registration') = (user_id is not null)
  )
);
create index webauthn_challenges_expired on auth.webauthn_challenges (expires_at);
alter table auth.webauthn_challenges enable row level security, force row level security;

-- Sign-ins with an account at another provider, each from its start until its code is exchanged. State and code are
-- keyed hashes. The provider's tokens are encrypted.
create table auth.flow_state (
  id uuid not null,
  provider_type text not null,
  authentication_method text not null,
  -- Null once the provider has answered.
  state_hash text,
  -- Null in the implicit flow, which ends in a session instead of a code.
  code_challenge text,
  code_challenge_method text,
  redirect_to text not null,
  -- The account to which the identity is added. Null for a sign-in.
  link_user_id uuid,
  -- The ID of a SAML request.
  request_id text,
  user_id uuid,
  auth_code_hash text,
  provider_tokens text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint flow_state_pkey primary key (id),
  constraint flow_state_auth_code_hash_key unique (auth_code_hash),
  constraint flow_state_state_hash_key unique (state_hash),
  constraint flow_state_link_user_id_fkey foreign key (link_user_id) references auth.users(id) on delete cascade,
  constraint flow_state_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint flow_state_authentication_method_check check (
    authentication_method = any (array['oauth', 'sso/saml'])
  ),
  constraint flow_state_challenge_has_method check ((code_challenge is null) = (code_challenge_method is null)),
  constraint flow_state_code_challenge_method_check check (
    code_challenge_method = any (array['s256', 'plain'])
  ),
  constraint flow_state_user_has_code check ((user_id is null) = (auth_code_hash is null))
);
create index flow_state_expired on auth.flow_state (expires_at);
alter table auth.flow_state enable row level security, force row level security;

-- The replay guard: hashes of tokens, assertions and signed messages that have been used. Each is kept until it
-- expires, so that a copy of it is refused.
create table auth.used_proofs (
  proof_hash text not null,
  expires_at timestamptz not null,
  constraint used_proofs_pkey primary key (proof_hash)
);
create index used_proofs_expired on auth.used_proofs (expires_at);
alter table auth.used_proofs enable row level security, force row level security;

-- Email addresses that were replaced in the last 72 hours. Each stays reserved for its account, and is sent an email
-- with a link that undoes the change. A trigger writes the rows, so that no way to change an account can forget them.
create table auth.replaced_emails (
  -- The ID of the email's job. The token of the link is derived from it.
  id uuid not null,
  user_id uuid not null,
  email text not null,
  -- The account's phone number and verified second factors when the address was replaced. The person who changed the
  -- address may have added others since.
  phone text,
  phone_confirmed_at timestamptz,
  factor_ids uuid[] not null,
  -- Keyed hash of the link's token. Null until the link is activated.
  token_hash text,
  replaced_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the undo was first begun with the link.
  begun_at timestamptz,
  constraint replaced_emails_pkey primary key (id),
  constraint replaced_emails_token_hash_key unique (token_hash),
  constraint replaced_emails_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint replaced_emails_email_check check (
    (email = lower(email)) and (char_length(email) between 3 and 255)
  )
);
create index replaced_emails_by_email on auth.replaced_emails (email);
create index replaced_emails_by_user on auth.replaced_emails (user_id);
create index replaced_emails_expired on auth.replaced_emails (expires_at);
alter table auth.replaced_emails enable row level security, force row level security;

-- The log of what happened to accounts; public.audit_logs is the log of the studio's data.
create table auth.audit_log_entries (
  id uuid default gen_random_uuid() not null,
  payload jsonb not null,
  ip_address text default '' not null,
  created_at timestamptz not null,
  constraint audit_log_entries_pkey primary key (id),
  constraint audit_log_entries_payload_check check (payload ? 'action')
);
create index audit_log_entries_actor on auth.audit_log_entries (((payload ->> 'actor_id')), created_at desc);
create index audit_log_entries_newest on auth.audit_log_entries (created_at desc);
alter table auth.audit_log_entries enable row level security, force row level security;

-- Profiles, which are created and updated together with their accounts.
create table public.profiles (
  id uuid not null,
  user_id uuid not null,
  full_name text,
  email text,
  phone text,
  dj_name text,
  address text,
  date_of_birth date,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  -- Whether the customer wants an email the day before a session, and a text message two hours before it.
  remind_by_email boolean default true not null,
  remind_by_text boolean default true not null,
  -- Whether the customer wants an email after a session.
  thank_by_email boolean default true not null,
  constraint profiles_pkey primary key (id),
  constraint profiles_user_id_key unique (user_id),
  constraint profiles_id_fkey foreign key (id) references auth.users(id) on delete cascade,
  constraint profiles_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint profiles_address_check check (char_length(address) <= 500),
  constraint profiles_date_of_birth_check check (
    date_of_birth between '1900-01-01'::date and '2100-01-01'::date
  ),
  constraint profiles_dj_name_check check (char_length(dj_name) <= 100),
  constraint profiles_email_check check (char_length(email) <= 255),
  constraint profiles_full_name_check check (char_length(full_name) <= 100),
  constraint profiles_one_id check (id = user_id),
  constraint profiles_phone_check check (char_length(phone) <= 20),
  constraint profiles_plain check (
    private.is_plain(full_name) and private.is_plain(phone) and private.is_plain(dj_name)
    and private.is_plain(address, true)
  )
);
create index profiles_created on public.profiles (created_at, user_id);
-- A search of the audit log for an address first looks for addresses with that beginning, in this index. A search of
-- profiles_email_search by trigrams takes longer the more accounts there are.
create index profiles_email_beginning on public.profiles (lower(email) text_pattern_ops);
create index profiles_email_search on public.profiles using gin (lower(email) extensions.gin_trgm_ops);
create index profiles_newest on public.profiles (created_at desc, user_id);
-- Finds customers by parts of their name, email address and phone number. The expression names a Unicode collation,
-- because in a database with the locale C, lower() changes only A to Z.
create index profiles_search on public.profiles using gin (
  lower((
    ((((coalesce(full_name, '') || ' ') || coalesce(email, '')) || ' ') || coalesce(phone, '')) collate "und-x-icu"
  )) extensions.gin_trgm_ops
);
alter table public.profiles enable row level security, force row level security;
grant select on public.profiles to authenticated, booking_reader;
grant update (
  full_name, email, phone, dj_name, address, date_of_birth, remind_by_email, remind_by_text, thank_by_email
) on public.profiles to authenticated;

-- Which versions of the terms each person has accepted.
create table public.terms_acceptances (
  user_id uuid not null,
  version text not null,
  accepted_at timestamptz default clock_timestamp() not null,
  constraint terms_acceptances_pkey primary key (user_id, version),
  constraint terms_acceptances_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint terms_acceptances_version_check check (char_length(version) <= 40)
);
alter table public.terms_acceptances enable row level security, force row level security;
grant select on public.terms_acceptances to authenticated;
