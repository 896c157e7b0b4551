-- Signing in with an account at another provider: what the server remembers between its request and the provider's answer.

-- One sign-in, from its start until its code is exchanged. State and code are keyed hashes; the provider's tokens are encrypted.
create table auth.flow_state (
  id uuid primary key,
  provider_type text not null,
  authentication_method text not null check (authentication_method in ('oauth', 'sso/saml')),
  -- Null once the provider has answered.
  state_hash text unique,
  -- Null in the implicit flow, which ends in a session instead of a code.
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  redirect_to text not null,
  -- The account that gets another identity; null for a sign-in.
  link_user_id uuid references auth.users (id) on delete cascade,
  -- The id of a SAML request.
  request_id text,
  user_id uuid references auth.users (id) on delete cascade,
  auth_code_hash text unique,
  provider_tokens text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint flow_state_challenge_has_method check ((code_challenge is null) = (code_challenge_method is null)),
  constraint flow_state_user_has_code check ((user_id is null) = (auth_code_hash is null))
);
create index flow_state_expired on auth.flow_state (expires_at);
alter table auth.flow_state enable row level security, force row level security;

-- The replay guard: tokens, assertions and signed messages that were used, until they expire. A second use is a copy.
create table auth.used_proofs (
  proof_hash text primary key,
  expires_at timestamptz not null
);
create index used_proofs_expired on auth.used_proofs (expires_at);
alter table auth.used_proofs enable row level security, force row level security;
