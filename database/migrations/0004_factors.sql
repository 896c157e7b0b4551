-- Second factors and passkeys, named as in hosted Supabase. The server encrypts the secret of an authenticator app; the code of a message is
-- stored as a keyed hash.

create table auth.mfa_factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  friendly_name text not null default '' check (char_length(friendly_name) <= 100),
  factor_type text not null check (factor_type in ('totp', 'phone', 'webauthn')),
  status text not null default 'unverified' check (status in ('unverified', 'verified')),
  secret text,
  phone text,
  web_authn_credential jsonb,
  -- The newest time step whose code was accepted: a code is valid once (RFC 6238, 5.2).
  last_step bigint not null default 0,
  last_challenged_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (user_id, friendly_name),
  constraint mfa_factors_totp_has_secret check ((factor_type = 'totp') = (secret is not null)),
  constraint mfa_factors_phone_has_number check ((factor_type = 'phone') = (phone is not null)),
  constraint mfa_factors_credential_is_webauthn check (web_authn_credential is null or factor_type = 'webauthn'),
  constraint mfa_factors_verified_has_credential
    check (factor_type <> 'webauthn' or status = 'unverified' or web_authn_credential is not null)
);
create unique index mfa_factors_phone on auth.mfa_factors (user_id, phone) where phone is not null;
alter table auth.mfa_factors enable row level security, force row level security;

create table auth.mfa_challenges (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  ip_address text not null,
  code_hash text,
  -- What a WebAuthn authenticator has to sign.
  web_authn_challenge text,
  attempts integer not null default 0,
  verified_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index mfa_challenges_by_factor on auth.mfa_challenges (factor_id);
create index mfa_challenges_expired on auth.mfa_challenges (expires_at);
alter table auth.mfa_challenges enable row level security, force row level security;

-- Passkeys: credentials that sign in without a password.
create table auth.webauthn_credentials (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  credential_id text not null unique check (char_length(credential_id) between 1 and 1400),
  public_key bytea not null,
  aaguid text not null,
  sign_count bigint not null default 0 check (sign_count >= 0),
  transports text[] not null default '{}',
  backup_eligible boolean not null,
  backed_up boolean not null,
  friendly_name text not null default '' check (char_length(friendly_name) <= 120),
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webauthn_credentials_by_user on auth.webauthn_credentials (user_id);
alter table auth.webauthn_credentials enable row level security, force row level security;

-- Challenges for passkeys. The answer to one deletes its row, so it is valid once.
create table auth.webauthn_challenges (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete cascade,
  challenge_type text not null check (challenge_type in ('registration', 'authentication')),
  challenge text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint webauthn_challenges_registration_has_user check ((challenge_type = 'registration') = (user_id is not null))
);
create index webauthn_challenges_expired on auth.webauthn_challenges (expires_at);
alter table auth.webauthn_challenges enable row level security, force row level security;
