-- Invites an address to become staff and returns the outcome:
--   'invited': the caller must send the mail. Another open invitation for the address is revoked.
--   'waiting': an invitation with the same permissions is already open and is returned.
--   'not_owner', 'already_staff': nothing was changed.
create or replace function private.invite_staff(
  p_id uuid, p_email text, p_permissions text[], p_token text, p_expires timestamptz, p_actor uuid, p_now timestamptz
)
returns table (outcome text, id uuid, expires_at timestamptz)
language plpgsql volatile set search_path = '' as $$
declare
  v_earlier private.staff_invitation;
begin
  if not private.is_owner(p_actor) then
    return query select 'not_owner', null::uuid, null::timestamptz;
    return;
  end if;
  if exists (
    select from auth.users u
    join public.staff_permissions p on p.user_id = u.id
    where u.email = p_email and u.deleted_at is null
  ) then
    return query select 'already_staff', null::uuid, null::timestamptz;
    return;
  end if;
  select * into v_earlier
  from private.staff_invitation i
  where i.email = p_email and i.accepted_at is null and i.revoked_at is null;
  if v_earlier.expires_at > p_now
    and v_earlier.permissions @> p_permissions and v_earlier.permissions <@ p_permissions then
    return query select 'waiting', v_earlier.id, v_earlier.expires_at;
    return;
  end if;
  update private.staff_invitation i set revoked_at = p_now where i.id = v_earlier.id;
  insert into private.staff_invitation (id, email, permissions, token_hash, invited_by, created_at, expires_at)
  values (
    p_id, p_email, p_permissions, pg_catalog.sha256(pg_catalog.convert_to(p_token, 'UTF8')), p_actor, p_now,
    p_expires);
  perform private.audit(
    p_actor, 'create', 'staff_invitation', p_id::text,
    pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
      'permissions', p_permissions, 'expires_at', p_expires, 'replaces', v_earlier.id)));
  return query select 'invited', p_id, p_expires;
end
$$;

-- Gives an open invitation a new link and makes the previous link invalid. Returns 'renewed'; otherwise the reason:
-- 'not_owner', 'unknown' or 'closed' (accepted or revoked).
create or replace function private.renew_invitation(p_id uuid, p_token text, p_expires timestamptz, p_actor uuid)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_earlier private.staff_invitation;
begin
  if not private.is_owner(p_actor) then return 'not_owner'; end if;
  select * into v_earlier from private.staff_invitation i where i.id = p_id for update;
  if v_earlier.id is null then return 'unknown'; end if;
  if v_earlier.accepted_at is not null or v_earlier.revoked_at is not null then return 'closed'; end if;
  update private.staff_invitation i
  set token_hash = pg_catalog.sha256(pg_catalog.convert_to(p_token, 'UTF8')), expires_at = p_expires,
    invited_by = p_actor
  where i.id = p_id;
  perform private.audit(
    p_actor, 'update', 'staff_invitation', p_id::text,
    pg_catalog.jsonb_build_object(
      'before', pg_catalog.jsonb_build_object('expires_at', v_earlier.expires_at),
      'after', pg_catalog.jsonb_build_object('expires_at', p_expires)));
  return 'renewed';
end
$$;

-- Revokes an open invitation. Idempotent. Returns 'revoked'; otherwise the reason: 'not_owner', 'unknown' or 'closed'
-- (accepted).
create or replace function private.revoke_invitation(p_id uuid, p_actor uuid, p_now timestamptz)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_known private.staff_invitation;
begin
  if not private.is_owner(p_actor) then return 'not_owner'; end if;
  select * into v_known from private.staff_invitation i where i.id = p_id for update;
  if v_known.id is null then return 'unknown'; end if;
  if v_known.accepted_at is not null then return 'closed'; end if;
  if v_known.revoked_at is null then
    update private.staff_invitation i set revoked_at = p_now where i.id = p_id;
    perform private.audit(
      p_actor, 'delete', 'staff_invitation', p_id::text,
      pg_catalog.jsonb_build_object('before', pg_catalog.jsonb_build_object(
        'permissions', v_known.permissions, 'expires_at', v_known.expires_at)));
  end if;
  return 'revoked';
end
$$;

-- Turns an account into a staff account with exactly the invitation's permissions. The account must have confirmed the
-- invited address. Returns 'accepted' with the permissions, also when the same account accepts again. Otherwise returns
-- the reason: 'unknown', 'used', 'revoked', 'expired', 'other_address', 'unconfirmed' or 'already_staff'.
create or replace function private.accept_invitation(p_token text, p_user uuid, p_now timestamptz)
returns table (outcome text, permissions text[])
language plpgsql volatile set search_path = '' as $$
declare
  v_found private.staff_invitation;
  v_account auth.users;
  v_refused text;
begin
  perform private.lock_permissions();
  select * into v_found
  from private.staff_invitation i
  where i.token_hash = pg_catalog.sha256(pg_catalog.convert_to(p_token, 'UTF8'))
  for update;
  select * into v_account from auth.users u where u.id = p_user and u.deleted_at is null;
  v_refused := case
    when v_found.id is null then 'unknown'
    when v_account.email is distinct from v_found.email then 'other_address'
    when v_found.accepted_by = p_user and private.has_admin_role(p_user) then 'accepted'
    when private.has_admin_role(p_user) then 'already_staff'
    when v_found.accepted_at is not null then 'used'
    when v_found.revoked_at is not null or not private.is_owner(v_found.invited_by) then 'revoked'
    when v_found.expires_at <= p_now then 'expired'
    when v_account.email_confirmed_at is null then 'unconfirmed'
  end;
  if v_refused is not null then
    return query select v_refused, case when v_refused = 'accepted' then v_found.permissions end;
    return;
  end if;
  -- Close the invitation first: a new role revokes the open invitations for the address.
  update private.staff_invitation i set accepted_at = p_now, accepted_by = p_user where i.id = v_found.id;
  if private.set_permissions(p_user, v_found.permissions, v_found.invited_by) <> 'set' then
    raise exception 'the permissions of an invitation were not set';
  end if;
  perform private.audit(
    p_user, 'update', 'staff_invitation', v_found.id::text,
    pg_catalog.jsonb_build_object(
      'before', pg_catalog.jsonb_build_object('accepted_at', null),
      'after', pg_catalog.jsonb_build_object('accepted_at', p_now)));
  return query select 'accepted', v_found.permissions;
end
$$;

create trigger publish_invitation after insert or update on private.staff_invitation
  for each row execute function private.publish_team();

-- Revokes the open invitations that a former owner sent, and those for the address of an account that loses a
-- permission: with a link that is still in a mailbox, the account could restore it. This also covers an account that
-- became staff in another way, because such an account is an owner until its permissions are set.
create or replace function private.end_invitations()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update private.staff_invitation i set revoked_at = pg_catalog.clock_timestamp()
  where i.accepted_at is null and i.revoked_at is null
    and (
      (old.permission = 'owner' and i.invited_by = old.user_id)
      or i.email = (select u.email from auth.users u where u.id = old.user_id));
  return null;
end
$$;

create trigger staff_permissions_invitations after delete on public.staff_permissions
  for each row execute function private.end_invitations();
