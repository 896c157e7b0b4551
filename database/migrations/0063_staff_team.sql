-- Invitations to become staff, and the list of staff for owners.

-- An invitation opens with the link of its mail. Only the hash of the link's token is stored.
create table private.staff_invitation (
  id uuid primary key default gen_random_uuid(),
  email text not null check (email = lower(email) and char_length(email) between 3 and 255),
  permissions text[] not null
    check (cardinality(permissions) > 0 and permissions <@ array['bookings', 'identity', 'money', 'settings', 'owner']),
  -- SHA-256.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- The nil UUID for the service key.
  invited_by uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid,
  revoked_at timestamptz,
  constraint staff_invitation_accepted check ((accepted_at is null) = (accepted_by is null)),
  constraint staff_invitation_one_end check (accepted_at is null or revoked_at is null)
);
-- One open invitation for an address.
create unique index staff_invitation_open on private.staff_invitation (email) where accepted_at is null and revoked_at is null;
alter table private.staff_invitation enable row level security, force row level security;

-- The list of staff follows every change.
create function private.publish_team() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'team', 'staff', true);
  return null;
end
$$;
create trigger publish_invitation after insert or update on private.staff_invitation for each row execute function private.publish_team();
create trigger publish_team after insert or delete on public.staff_permissions for each row execute function private.publish_team();

-- The invitations of somebody who is no owner any more end, and so do those for somebody who became staff otherwise or loses a permission:
-- a link that is still in a mailbox would give it back. (An account that becomes staff is an owner until its permissions are set.)
create function private.end_invitations() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update private.staff_invitation i set revoked_at = pg_catalog.clock_timestamp()
  where i.accepted_at is null and i.revoked_at is null
    and ((old.permission = 'owner' and i.invited_by = old.user_id)
      or i.email = (select u.email from auth.users u where u.id = old.user_id));
  return null;
end
$$;
create trigger staff_permissions_invitations after delete on public.staff_permissions for each row execute function private.end_invitations();
revoke execute on function private.publish_team(), private.end_invitations() from public;

-- Whether this account may invite and remove staff: an owner, or the service key. A change of permissions that is under way goes first.
create function private.is_owner(p_actor uuid) returns boolean language plpgsql volatile set search_path = '' as $$
begin
  perform private.lock_permissions();
  return p_actor = '00000000-0000-0000-0000-000000000000'
    or exists (select from public.staff_permissions p where p.user_id = p_actor and p.permission = 'owner');
end
$$;

-- Invites an address. `invited`: a mail has to be sent; `waiting`: the same invitation is open already. Otherwise 'not_owner' or 'already_staff'.
-- Another open invitation for the address ends.
create function private.invite_staff(
  p_id uuid, p_email text, p_permissions text[], p_token text, p_expires timestamptz, p_actor uuid, p_now timestamptz
) returns table (outcome text, id uuid, expires_at timestamptz)
language plpgsql volatile set search_path = '' as $$
declare
  earlier private.staff_invitation;
begin
  if not private.is_owner(p_actor) then
    return query select 'not_owner', null::uuid, null::timestamptz;
    return;
  end if;
  if exists (select from auth.users u join public.staff_permissions p on p.user_id = u.id where u.email = p_email and u.deleted_at is null) then
    return query select 'already_staff', null::uuid, null::timestamptz;
    return;
  end if;
  select * into earlier from private.staff_invitation i where i.email = p_email and i.accepted_at is null and i.revoked_at is null;
  if earlier.expires_at > p_now and earlier.permissions @> p_permissions and earlier.permissions <@ p_permissions then
    return query select 'waiting', earlier.id, earlier.expires_at;
    return;
  end if;
  update private.staff_invitation i set revoked_at = p_now where i.id = earlier.id;
  insert into private.staff_invitation (id, email, permissions, token_hash, invited_by, created_at, expires_at)
  values (p_id, p_email, p_permissions, pg_catalog.sha256(pg_catalog.convert_to(p_token, 'UTF8')), p_actor, p_now, p_expires);
  perform private.audit(p_actor, 'create', 'staff_invitation', p_id::text, pg_catalog.jsonb_strip_nulls(
    pg_catalog.jsonb_build_object('permissions', p_permissions, 'expires_at', p_expires, 'replaces', earlier.id)));
  return query select 'invited', p_id, p_expires;
end
$$;

-- Gives an open invitation a new link; the one before ends. Returns 'renewed', or why not: 'not_owner', 'unknown', 'closed'.
create function private.renew_invitation(p_id uuid, p_token text, p_expires timestamptz, p_actor uuid) returns text
language plpgsql volatile set search_path = '' as $$
declare
  earlier private.staff_invitation;
begin
  if not private.is_owner(p_actor) then return 'not_owner'; end if;
  select * into earlier from private.staff_invitation i where i.id = p_id for update;
  if earlier.id is null then return 'unknown'; end if;
  if earlier.accepted_at is not null or earlier.revoked_at is not null then return 'closed'; end if;
  update private.staff_invitation i
  set token_hash = pg_catalog.sha256(pg_catalog.convert_to(p_token, 'UTF8')), expires_at = p_expires, invited_by = p_actor
  where i.id = p_id;
  perform private.audit(p_actor, 'update', 'staff_invitation', p_id::text, pg_catalog.jsonb_build_object(
    'before', pg_catalog.jsonb_build_object('expires_at', earlier.expires_at), 'after', pg_catalog.jsonb_build_object('expires_at', p_expires)));
  return 'renewed';
end
$$;

-- Ends an open invitation. Returns 'revoked', also when it was before, or why not: 'not_owner', 'unknown', 'closed' (accepted).
create function private.revoke_invitation(p_id uuid, p_actor uuid, p_now timestamptz) returns text
language plpgsql volatile set search_path = '' as $$
declare
  known private.staff_invitation;
begin
  if not private.is_owner(p_actor) then return 'not_owner'; end if;
  select * into known from private.staff_invitation i where i.id = p_id for update;
  if known.id is null then return 'unknown'; end if;
  if known.accepted_at is not null then return 'closed'; end if;
  if known.revoked_at is null then
    update private.staff_invitation i set revoked_at = p_now where i.id = p_id;
    perform private.audit(p_actor, 'delete', 'staff_invitation', p_id::text, pg_catalog.jsonb_build_object(
      'before', pg_catalog.jsonb_build_object('permissions', known.permissions, 'expires_at', known.expires_at)));
  end if;
  return 'revoked';
end
$$;

-- Makes the account that has confirmed the invited address staff with exactly the permissions of the invitation. Returns 'accepted', also when
-- the same account accepts again, or why not: 'unknown', 'used', 'revoked', 'expired', 'other_address', 'unconfirmed', 'already_staff'.
create function private.accept_invitation(p_token text, p_user uuid, p_now timestamptz) returns table (outcome text, permissions text[])
language plpgsql volatile set search_path = '' as $$
declare
  found private.staff_invitation;
  account auth.users;
  refused text;
begin
  perform private.lock_permissions();
  select * into found from private.staff_invitation i where i.token_hash = pg_catalog.sha256(pg_catalog.convert_to(p_token, 'UTF8')) for update;
  select * into account from auth.users u where u.id = p_user and u.deleted_at is null;
  refused := case
    when found.id is null then 'unknown'
    when account.email is distinct from found.email then 'other_address'
    when found.accepted_by = p_user and private.has_admin_role(p_user) then 'accepted'
    when private.has_admin_role(p_user) then 'already_staff'
    when found.accepted_at is not null then 'used'
    when found.revoked_at is not null or not private.is_owner(found.invited_by) then 'revoked'
    when found.expires_at <= p_now then 'expired'
    when account.email_confirmed_at is null then 'unconfirmed'
  end;
  if refused is not null then
    return query select refused, case when refused = 'accepted' then found.permissions end;
    return;
  end if;
  -- First, because a new role ends the open invitations of the address.
  update private.staff_invitation i set accepted_at = p_now, accepted_by = p_user where i.id = found.id;
  if private.set_permissions(p_user, found.permissions, found.invited_by) <> 'set' then
    raise exception 'the permissions of an invitation were not set';
  end if;
  perform private.audit(p_user, 'update', 'staff_invitation', found.id::text, pg_catalog.jsonb_build_object(
    'before', pg_catalog.jsonb_build_object('accepted_at', null), 'after', pg_catalog.jsonb_build_object('accepted_at', p_now)));
  return query select 'accepted', found.permissions;
end
$$;

-- Everybody who is staff, and the invitations that are open, for owners.
create function public.staff_team(at timestamptz default now()) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('owner');
  return pg_catalog.jsonb_build_object(
    'staff', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('userId', u.id, 'name', f.full_name, 'email', u.email,
        'permissions', (select pg_catalog.jsonb_agg(p.permission order by p.permission) from public.staff_permissions p where p.user_id = u.id),
        'lastSignInAt', u.last_sign_in_at,
        'secondFactor', exists (select from auth.mfa_factors m where m.user_id = u.id and m.status = 'verified'))
        order by coalesce(f.full_name, u.email), u.id), '[]')
      from public.user_roles r join auth.users u on u.id = r.user_id left join public.profiles f on f.user_id = u.id
      where r.role = 'admin'),
    'invitations', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', i.id, 'email', i.email, 'permissions', i.permissions,
        'createdAt', i.created_at, 'expiresAt', i.expires_at, 'expired', i.expires_at <= at,
        'invitedBy', (select coalesce(f.full_name, f.email) from public.profiles f where f.user_id = i.invited_by))
        order by i.created_at, i.id), '[]')
      from private.staff_invitation i where i.accepted_at is null and i.revoked_at is null));
end
$$;
grant execute on function public.staff_team(timestamptz) to authenticated;
