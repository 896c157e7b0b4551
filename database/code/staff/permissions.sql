-- Returns whether an account has a permission in this session. Owners have every permission.
create or replace function private.has_permission(p_user uuid, p_session uuid, p_permission text)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_staff_rights(p_user, p_session)
    and exists (
      select from public.staff_permissions p
      where p.user_id = p_user and p.permission in (p_permission, 'owner'));
end
$$;

-- Returns whether the caller has a permission in its session.
create or replace function public.has_permission(permission text)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_permission(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid, permission);
end
$$;
grant execute on function public.has_permission(text) to anon, authenticated;

-- Returns what the caller may do as staff in its session: its permissions, and `audit_log` if it may read the audit
-- log. The pages of staff show only what this list allows, but every function and policy checks the permission again.
create or replace function public.staff_rights()
returns text[] language sql stable security definer set search_path = '' as $$
  select coalesce(pg_catalog.array_agg(p.permission order by p.permission), '{}')
    || case when private.may_read_audit_log() then '{audit_log}' else '{}' end::text[]
  from public.staff_permissions p
  where p.user_id = auth.uid() and public.is_staff()
$$;
grant execute on function public.staff_rights() to authenticated;

-- Throws 42501 unless the caller has the permission or is the service key. If only the second factor is missing, the
-- message and the hint say so.
create or replace function private.require_permission(p_permission text)
returns void language plpgsql stable set search_path = '' as $$
begin
  if coalesce(auth.role() = 'service_role', false) or public.has_permission(p_permission) then return; end if;
  if public.lacks_second_factor(p_permission) then
    raise exception 'The permission “%” needs two-step sign-in.', p_permission
      using errcode = '42501', hint = 'Sign in with a second factor, or add one in the account settings.';
  end if;
  raise exception 'This needs the permission “%”. An owner can give it to you.', p_permission
    using errcode = '42501';
end
$$;

-- Returns whether an account has a permission, with or without a second factor.
create or replace function private.holds_permission(p_user uuid, p_permission text)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_admin_role(p_user)
    and exists (
      select from public.staff_permissions p
      where p.user_id = p_user and p.permission in (p_permission, 'owner'));
end
$$;

-- Returns whether an account has a permission and is neither banned nor deleted. Sessions do not matter here.
create or replace function private.keeps_permission(p_user uuid, p_permission text)
returns boolean language sql stable set search_path = '' as $$
  select exists (
    select from public.staff_permissions p
    join auth.users u on u.id = p.user_id
    where p.user_id = p_user and p.permission in (p_permission, 'owner') and u.deleted_at is null
      and (u.banned_until is null or u.banned_until <= pg_catalog.now()))
$$;

create policy "staff read their own permissions, owners all" on public.staff_permissions for select to authenticated
  using (user_id = (select auth.uid()) or (select public.has_permission('owner')));

-- Makes `p_permissions` the exact permissions of an account. An account with permissions has the role admin; without
-- any it loses the role. Returns 'set', also if nothing had to change; otherwise the reason: 'not_owner' (the actor
-- is neither an owner nor the service key, whose id is the nil UUID), 'no_account', 'unconfirmed' (the account has not
-- confirmed its address) or 'last_owner'.
create or replace function private.set_permissions(p_user uuid, p_permissions text[], p_actor uuid)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_service constant uuid := '00000000-0000-0000-0000-000000000000';
  v_before text[];
  v_confirmed boolean;
begin
  perform private.lock_permissions();
  if p_actor <> v_service
    and not exists (select from public.staff_permissions p where p.user_id = p_actor and p.permission = 'owner') then
    return 'not_owner';
  end if;
  select u.email_confirmed_at is not null into v_confirmed
  from auth.users u
  where u.id = p_user and u.deleted_at is null;
  if v_confirmed is null then return 'no_account'; end if;
  if not v_confirmed and pg_catalog.cardinality(p_permissions) > 0 then return 'unconfirmed'; end if;
  if not 'owner' = any (p_permissions)
    and exists (select from public.staff_permissions p where p.user_id = p_user and p.permission = 'owner')
    and not exists (select from public.staff_permissions p where p.user_id <> p_user and p.permission = 'owner') then
    return 'last_owner';
  end if;
  select coalesce(pg_catalog.array_agg(p.permission order by p.permission), '{}') into v_before
  from public.staff_permissions p
  where p.user_id = p_user;
  if v_before @> p_permissions and v_before <@ p_permissions then return 'set'; end if;
  if pg_catalog.cardinality(p_permissions) = 0 then
    update public.user_roles r set role = 'user' where r.user_id = p_user;
  else
    insert into public.user_roles as r (user_id, role) values (p_user, 'admin')
    on conflict (user_id) do update set role = 'admin' where r.role <> 'admin';
    insert into public.staff_permissions (user_id, permission)
    select p_user, one from pg_catalog.unnest(p_permissions) one
    on conflict do nothing;
    delete from public.staff_permissions p where p.user_id = p_user and p.permission <> all (p_permissions);
  end if;
  perform private.audit(
    p_actor, 'update', 'staff_permissions', p_user::text,
    pg_catalog.jsonb_build_object('before', v_before, 'after', p_permissions));
  return 'set';
end
$$;

-- Returns whether this account may invite and remove staff: it is an owner, or the service key. Waits for a change of
-- permissions that another transaction is making.
create or replace function private.is_owner(p_actor uuid)
returns boolean language plpgsql volatile set search_path = '' as $$
begin
  perform private.lock_permissions();
  return p_actor = '00000000-0000-0000-0000-000000000000'
    or exists (select from public.staff_permissions p where p.user_id = p_actor and p.permission = 'owner');
end
$$;

-- Lets one transaction at a time change permissions: if two owners remove each other at the same moment, the second
-- one is rejected.
create or replace function private.lock_permissions()
returns void language sql volatile set search_path = '' as $$
  select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('staff_permissions', 0))
$$;

-- Makes removals of owners wait for each other, so that require_owner() sees all of them.
create or replace function private.lock_owners()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_permissions();
  return old;
end
$$;

create trigger staff_permissions_lock before delete on public.staff_permissions
  for each row when (old.permission = 'owner') execute function private.lock_owners();

-- Throws 23514 if there are staff but no owner.
create or replace function private.require_owner()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.staff_permissions)
    and not exists (select from public.staff_permissions p where p.permission = 'owner') then
    raise exception 'the last owner of staff stays an owner'
      using errcode = '23514', constraint = 'staff_permissions_owner';
  end if;
  return null;
end
$$;

create constraint trigger staff_permissions_owner after delete on public.staff_permissions
  deferrable initially deferred
  for each row when (old.permission = 'owner') execute function private.require_owner();

-- Keeps permissions in step with roles: an account that becomes admin by a plain write to user_roles becomes an owner,
-- and an account that stops being admin loses all permissions.
create or replace function private.follow_role()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.role = 'admin' then
    insert into public.staff_permissions (user_id, permission)
    select new.user_id, 'owner'
    where not exists (select from public.staff_permissions p where p.user_id = new.user_id);
  else
    delete from public.staff_permissions p where p.user_id = new.user_id;
  end if;
  return null;
end
$$;

create trigger user_roles_permissions after insert or update of role on public.user_roles
  for each row execute function private.follow_role();

-- The private channels of an account are checked again when its permissions change.
create trigger recheck_permissions after insert or update or delete on public.staff_permissions
  for each row execute function private.recheck_role();
