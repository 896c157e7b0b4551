-- Roles of accounts. Accounts with the role `admin` are staff. A role is never read from anything that the account
-- itself can write.
create table public.user_roles (
  user_id uuid not null,
  role text not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint user_roles_pkey primary key (user_id),
  constraint user_roles_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint user_roles_role_check check (role = any (array['admin', 'user']))
);
alter table public.user_roles enable row level security, force row level security;
grant select on public.user_roles to authenticated, booking_reader;

-- The permissions of each member of staff, one per row. `owner` includes all others.
create table public.staff_permissions (
  user_id uuid not null,
  permission text not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint staff_permissions_pkey primary key (user_id, permission),
  constraint staff_permissions_user_id_fkey
    foreign key (user_id) references public.user_roles(user_id) on delete cascade,
  constraint staff_permissions_permission_check check (
    permission = any (array['bookings', 'identity', 'money', 'settings', 'owner'])
  )
);
alter table public.staff_permissions enable row level security, force row level security;
revoke delete, insert, truncate, update on public.staff_permissions from service_role;
grant select on public.staff_permissions to authenticated;

-- Invitations to become staff. The link in the email contains a token, of which only the hash is stored.
create table private.staff_invitation (
  id uuid default gen_random_uuid() not null,
  email text not null,
  permissions text[] not null,
  -- SHA-256.
  token_hash bytea not null,
  -- The nil UUID for the service key.
  invited_by uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid,
  revoked_at timestamptz,
  constraint staff_invitation_pkey primary key (id),
  constraint staff_invitation_token_hash_key unique (token_hash),
  constraint staff_invitation_accepted check ((accepted_at is null) = (accepted_by is null)),
  constraint staff_invitation_email_check check (
    (email = lower(email)) and (char_length(email) between 3 and 255)
  ),
  constraint staff_invitation_one_end check ((accepted_at is null) or (revoked_at is null)),
  constraint staff_invitation_permissions_check check (
    (cardinality(permissions) > 0)
    and (permissions <@ array['bookings', 'identity', 'money', 'settings', 'owner'])
  ),
  constraint staff_invitation_token_hash_check check (octet_length(token_hash) = 32)
);
-- An address has at most one open invitation.
create unique index staff_invitation_open on private.staff_invitation (email)
  where ((accepted_at is null) and (revoked_at is null));
alter table private.staff_invitation enable row level security, force row level security;

-- Permissions that require a session with a second factor. Owners choose them.
create table private.second_factor_rule (
  permission text not null,
  created_at timestamptz default clock_timestamp() not null,
  -- When the rule begins to apply to staff who have no second factor. It gives them time to add one.
  required_from timestamptz default clock_timestamp() not null,
  constraint second_factor_rule_pkey primary key (permission),
  constraint second_factor_rule_permission_check check (
    permission = any (array['bookings', 'identity', 'money', 'settings', 'owner'])
  )
);
alter table private.second_factor_rule enable row level security, force row level security;

-- Secrets that were shown to staff. When a person loses the permission under which they saw a secret, the secret is
-- revoked. If the lock cannot revoke it, owners see it in a list with the time at which it ends.
create table private.shown_secret (
  id uuid default gen_random_uuid() not null,
  kind text not null,
  -- The ID of the code or calendar feed.
  subject_id uuid not null,
  studio_id uuid not null,
  shown_to uuid not null,
  permission text not null,
  shown_at timestamptz not null,
  -- When the secret expires. Null: it works until it is revoked.
  ends_at timestamptz,
  -- When the person lost the permission.
  lost_at timestamptz,
  -- When the secret was then revoked.
  ended_at timestamptz,
  constraint shown_secret_pkey primary key (id),
  constraint shown_secret_once unique (kind, subject_id, shown_to),
  constraint shown_secret_ended_when_lost check ((ended_at is null) or (lost_at is not null)),
  constraint shown_secret_kind_check check (kind = any (array['staff-code', 'booking-code', 'calendar-feed'])),
  constraint shown_secret_permission_check check (
    permission = any (array['bookings', 'identity', 'money', 'settings', 'owner'])
  )
);
create index shown_secret_held on private.shown_secret (shown_to) where lost_at is null;
create index shown_secret_lost on private.shown_secret (lost_at) where lost_at is not null;
alter table private.shown_secret enable row level security, force row level security;
