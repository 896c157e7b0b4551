-- Owners decide which permissions need a session that has shown a second factor.

create table private.second_factor_rule (
  permission text primary key check (permission in ('bookings', 'identity', 'money', 'settings', 'owner')),
  created_at timestamptz not null default clock_timestamp()
);
alter table private.second_factor_rule enable row level security, force row level security;
create trigger publish_factor_rule after insert or delete on private.second_factor_rule for each row execute function private.publish_team();

-- The work of owners needs it as soon as anything does: an owner could switch the rule off, or make somebody else staff.
create function private.needs_second_factor(p_permission text) returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from private.second_factor_rule f where f.permission = p_permission or p_permission = 'owner')
$$;

-- The session itself is read: a token from before a factor was removed claims too much.
create function private.has_second_factor(p_user uuid, p_session uuid) returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from auth.sessions s where s.id = p_session and s.user_id = p_user and s.aal <> 'aal1')
$$;

-- Whether an account was given a permission; a session may still have to show a second factor for it.
create function private.holds_permission(p_user uuid, p_session uuid, p_permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_staff_rights(p_user, p_session)
    and exists (select from public.staff_permissions p where p.user_id = p_user and p.permission in (p_permission, 'owner'));
end
$$;

create or replace function private.has_permission(p_user uuid, p_session uuid, p_permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.holds_permission(p_user, p_session, p_permission)
    and (not private.needs_second_factor(p_permission) or private.has_second_factor(p_user, p_session));
end
$$;

-- Whether only the second factor is missing.
create function private.misses_second_factor(p_user uuid, p_session uuid, p_permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.holds_permission(p_user, p_session, p_permission) and not private.has_permission(p_user, p_session, p_permission);
end
$$;

-- As before, and says when only the second factor is missing.
create or replace function private.require_permission(p_permission text) returns void language plpgsql stable set search_path = '' as $$
begin
  if coalesce(auth.role() = 'service_role', false) or public.has_permission(p_permission) then return; end if;
  if public.lacks_second_factor(p_permission) then
    raise exception 'the permission % needs two-step sign-in', p_permission
      using errcode = '42501', hint = 'Sign in with a second factor, or add one in the account settings.';
  end if;
  raise exception 'only staff with the permission % can do this', p_permission using errcode = '42501';
end
$$;

-- Whether the caller has the permission, but only with a second factor that the session has not shown.
create function public.lacks_second_factor(permission text) returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return private.misses_second_factor(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid, permission);
end
$$;
grant execute on function public.lacks_second_factor(text) to authenticated;

-- The permissions that need a second factor, and whether the caller's session has shown one; for staff.
create function public.second_factor_rules() returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
  return pg_catalog.jsonb_build_object(
    'permissions', (select coalesce(pg_catalog.jsonb_agg(f.permission order by f.permission), '[]') from private.second_factor_rule f),
    'shown', private.has_second_factor(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid));
end
$$;
grant execute on function public.second_factor_rules() to authenticated;

-- Sets exactly the permissions that need a second factor. Returns 'set', or why not: 'not_owner', 'no_factor' (the actor has none), 'not_shown'
-- (the session has not shown it). So nobody locks themselves out.
create function private.set_second_factor_rules(p_permissions text[], p_actor uuid, p_session uuid) returns text
language plpgsql volatile set search_path = '' as $$
declare
  before text[];
begin
  if not private.is_owner(p_actor) then return 'not_owner'; end if;
  if p_actor <> '00000000-0000-0000-0000-000000000000' then
    if not exists (select from auth.mfa_factors m where m.user_id = p_actor and m.status = 'verified') then return 'no_factor'; end if;
    if not private.has_second_factor(p_actor, p_session) then return 'not_shown'; end if;
  end if;
  select coalesce(pg_catalog.array_agg(f.permission order by f.permission), '{}') into before from private.second_factor_rule f;
  if before @> p_permissions and before <@ p_permissions then return 'set'; end if;
  delete from private.second_factor_rule f where f.permission <> all (p_permissions);
  insert into private.second_factor_rule (permission) select one from pg_catalog.unnest(p_permissions) one on conflict do nothing;
  perform private.audit(p_actor, 'update', 'second_factor_rule', null, pg_catalog.jsonb_build_object('before', before, 'after', p_permissions));
  return 'set';
end
$$;
