-- Ways in through somebody else's door: what is remembered between asking an identity provider and its answer.

-- From a sign-in's start to the trade of its code. The state and the code are kept as keyed hashes, a provider's tokens sealed.
create table auth.flow_state (
  id uuid primary key,
  provider_type text not null,
  authentication_method text not null check (authentication_method in ('oauth', 'sso/saml')),
  -- Null once the provider has answered.
  state_hash text unique,
  -- Null: the implicit flow, which ends in a session and not in a code.
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  redirect_to text not null,
  -- The account that is to have one more identity; null for a sign-in.
  link_user_id uuid references auth.users (id) on delete cascade,
  -- The id of a SAML request.
  request_id text,
  user_id uuid references auth.users (id) on delete cascade,
  auth_code_hash text unique,
  provider_tokens text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((code_challenge is null) = (code_challenge_method is null)),
  check ((user_id is null) = (auth_code_hash is null))
);
create index flow_state_expired on auth.flow_state (expires_at);

-- Tokens, assertions and signed messages that were shown once: a second showing is a copy.
create table auth.used_proofs (
  proof_hash text primary key,
  expires_at timestamptz not null
);
create index used_proofs_expired on auth.used_proofs (expires_at);

alter table auth.flow_state enable row level security;
alter table auth.flow_state force row level security;
alter table auth.used_proofs enable row level security;
alter table auth.used_proofs force row level security;

