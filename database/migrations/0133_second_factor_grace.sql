-- Staff who have no second factor yet get time to add one before a new rule counts for them.

alter table private.second_factor_rule add column required_from timestamptz;
update private.second_factor_rule set required_from = created_at;
alter table private.second_factor_rule alter column required_from set not null, alter column required_from set default clock_timestamp();
comment on column private.second_factor_rule.required_from is 'From when accounts without a second factor need one too. Those that have one show it at once.';

create function private.has_verified_factor(p_user uuid) returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from auth.mfa_factors m where m.user_id = p_user and m.status = 'verified')
$$;

-- This replaces the function of 0114. An account without a factor does not need one before the rule requires it.
create or replace function private.must_show_factor(p_user uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return coalesce((select s.value = 'true'::jsonb from private.settings s where s.name = 'admin_requires_mfa'), false)
    or exists (select from public.staff_permissions p join private.second_factor_rule f on f.permission = p.permission or p.permission = 'owner'
      where p.user_id = p_user and (f.required_from <= pg_catalog.now() or private.has_verified_factor(p_user)));
end
$$;

-- Until when an account of staff can act without a second factor that a rule will require; null: no rule, or it counts already.
create function private.second_factor_due(p_user uuid) returns timestamptz language sql stable security definer set search_path = '' as $$
  select min(f.required_from)
  from public.staff_permissions p join private.second_factor_rule f on f.permission = p.permission or p.permission = 'owner'
  where p.user_id = p_user and not private.has_verified_factor(p_user) and f.required_from > pg_catalog.now()
$$;
revoke execute on function private.has_verified_factor(uuid), private.second_factor_due(uuid) from public;

-- This replaces the function of 0114. It adds `due`: until when the caller can act without a second factor.
create or replace function public.second_factor_rules() returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or private.has_admin_role(auth.uid())) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
  return pg_catalog.jsonb_build_object(
    'permissions', (select coalesce(pg_catalog.jsonb_agg(f.permission order by f.permission), '[]') from private.second_factor_rule f),
    'shown', private.has_second_factor(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid),
    'due', private.second_factor_due(auth.uid()));
end
$$;

-- This replaces the function of 0064. p_grace says how long accounts without a second factor can go on when a rule is new. Rules that already exist keep the
-- time from which they count.
drop function private.set_second_factor_rules(text[], uuid, uuid);
create function private.set_second_factor_rules(p_permissions text[], p_actor uuid, p_session uuid, p_grace interval default '0')
returns text language plpgsql volatile set search_path = '' as $$
declare
  before text[];
begin
  if not private.is_owner(p_actor) then return 'not_owner'; end if;
  if p_actor <> '00000000-0000-0000-0000-000000000000' then
    if not private.has_verified_factor(p_actor) then return 'no_factor'; end if;
    if not private.has_second_factor(p_actor, p_session) then return 'not_shown'; end if;
  end if;
  select coalesce(pg_catalog.array_agg(f.permission order by f.permission), '{}') into before from private.second_factor_rule f;
  if before @> p_permissions and before <@ p_permissions then return 'set'; end if;
  delete from private.second_factor_rule f where f.permission <> all (p_permissions);
  insert into private.second_factor_rule (permission, required_from) select one, pg_catalog.clock_timestamp() + p_grace from pg_catalog.unnest(p_permissions) one on conflict do nothing;
  perform private.audit(p_actor, 'update', 'second_factor_rule', null, pg_catalog.jsonb_build_object('before', before, 'after', p_permissions));
  return 'set';
end
$$;
