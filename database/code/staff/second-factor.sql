-- Returns whether an account must show a second factor to act as staff: the setting `admin_requires_mfa` is on, or a
-- rule covers one of its permissions. Every rule covers owners. Until `required_from` of a rule, it applies only to
-- accounts that already have a factor.
create or replace function private.must_show_factor(p_user uuid)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return coalesce(
      (select s.value = 'true'::jsonb from private.settings s where s.name = 'admin_requires_mfa'), false)
    or exists (
      select from public.staff_permissions p
      join private.second_factor_rule f on f.permission = p.permission or p.permission = 'owner'
      where p.user_id = p_user and (f.required_from <= pg_catalog.now() or private.has_verified_factor(p_user)));
end
$$;

-- Returns whether a session has shown a second factor. Reads the session and not the token: a token that was issued
-- before the factor was removed still claims that it was shown.
create or replace function private.has_second_factor(p_user uuid, p_session uuid)
returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from auth.sessions s where s.id = p_session and s.user_id = p_user and s.aal <> 'aal1')
$$;

-- Returns whether an account has set up a second factor.
create or replace function private.has_verified_factor(p_user uuid)
returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from auth.mfa_factors m where m.user_id = p_user and m.status = 'verified')
$$;

-- Returns whether an account has a permission that this session cannot use, because it has not shown a second factor.
create or replace function private.misses_second_factor(p_user uuid, p_session uuid, p_permission text)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return private.holds_permission(p_user, p_permission) and not private.has_staff_rights(p_user, p_session);
end
$$;

-- Returns whether the caller has a permission that its session cannot use without a second factor.
create or replace function public.lacks_second_factor(permission text)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return private.misses_second_factor(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid, permission);
end
$$;
grant execute on function public.lacks_second_factor(text) to authenticated;

-- Returns {permissions, shown, due}: the permissions that need a second factor, whether the caller's session has shown
-- one, and private.second_factor_due() of the caller. Throws 42501 unless the caller has the role of staff, with or
-- without a second factor, or is the service key.
create or replace function public.second_factor_rules()
returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or private.has_admin_role(auth.uid())) then
    raise exception 'Only staff can do this.' using errcode = '42501';
  end if;
  return pg_catalog.jsonb_build_object(
    'permissions', (
      select coalesce(pg_catalog.jsonb_agg(f.permission order by f.permission), '[]')
      from private.second_factor_rule f),
    'shown', private.has_second_factor(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid),
    'due', private.second_factor_due(auth.uid()));
end
$$;
grant execute on function public.second_factor_rules() to authenticated;

-- Returns the time until which an account without a second factor can still act as staff before a rule requires one.
-- Null if no such rule is pending: either there is none, or it already applies.
create or replace function private.second_factor_due(p_user uuid)
returns timestamptz language sql stable security definer set search_path = '' as $$
  select min(f.required_from)
  from public.staff_permissions p
  join private.second_factor_rule f on f.permission = p.permission or p.permission = 'owner'
  where p.user_id = p_user and not private.has_verified_factor(p_user) and f.required_from > pg_catalog.now()
$$;

-- Makes `p_permissions` the exact permissions that need a second factor. A new rule applies to accounts without a
-- factor after `p_grace`; rules that stay keep their time. Returns 'set', also if nothing had to change; otherwise the
-- reason: 'not_owner' or, unless the actor is the service key (the nil UUID), 'no_factor' (the actor has not set up a
-- factor) or 'not_shown' (the actor's session has not shown it).
create or replace function private.set_second_factor_rules(
  p_permissions text[], p_actor uuid, p_session uuid, p_grace interval default '0'
)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_before text[];
begin
  if not private.is_owner(p_actor) then return 'not_owner'; end if;
  if p_actor <> '00000000-0000-0000-0000-000000000000' then
    if not private.has_verified_factor(p_actor) then return 'no_factor'; end if;
    if not private.has_second_factor(p_actor, p_session) then return 'not_shown'; end if;
  end if;
  select coalesce(pg_catalog.array_agg(f.permission order by f.permission), '{}') into v_before
  from private.second_factor_rule f;
  if v_before @> p_permissions and v_before <@ p_permissions then return 'set'; end if;
  delete from private.second_factor_rule f where f.permission <> all (p_permissions);
  insert into private.second_factor_rule (permission, required_from)
  select one, pg_catalog.clock_timestamp() + p_grace from pg_catalog.unnest(p_permissions) one
  on conflict do nothing;
  perform private.audit(
    p_actor, 'update', 'second_factor_rule', null,
    pg_catalog.jsonb_build_object('before', v_before, 'after', p_permissions));
  return 'set';
end
$$;

create trigger publish_factor_rule after insert or delete on private.second_factor_rule
  for each row execute function private.publish_team();

-- Checks the private channels of all staff again after a rule has changed.
create or replace function private.recheck_staff()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.recheck_rights(r.user_id) from public.user_roles r where r.role = 'admin';
  return null;
end
$$;

create trigger recheck_staff after insert or update or delete on private.second_factor_rule
  for each statement execute function private.recheck_staff();
