-- What each account of staff may do, as rows. An owner may do everything.

create table public.staff_permissions (
  user_id uuid not null references public.user_roles (user_id) on delete cascade,
  permission text not null check (permission in ('bookings', 'identity', 'money', 'settings', 'owner')),
  created_at timestamptz not null default clock_timestamp(),
  primary key (user_id, permission)
);
alter table public.staff_permissions enable row level security, force row level security;

-- Admins so far could do everything.
insert into public.staff_permissions (user_id, permission) select r.user_id, 'owner' from public.user_roles r where r.role = 'admin';

-- An account that becomes admin by a plain write to user_roles is an owner; one that is no admin any more has no permission.
create function private.follow_role() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.role = 'admin' then
    insert into public.staff_permissions (user_id, permission)
    select new.user_id, 'owner' where not exists (select from public.staff_permissions p where p.user_id = new.user_id);
  else
    delete from public.staff_permissions p where p.user_id = new.user_id;
  end if;
  return null;
end
$$;
create trigger user_roles_permissions after insert or update of role on public.user_roles for each row execute function private.follow_role();

-- One change of permissions at a time: of two owners who remove each other at the same moment, the second is refused.
create function private.lock_permissions() returns void language sql volatile set search_path = '' as $$
  select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('staff_permissions', 0))
$$;

-- Where there are staff, one of them is an owner.
create function private.lock_owners() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_permissions();
  return old;
end
$$;
create trigger staff_permissions_lock before delete on public.staff_permissions for each row
  when (old.permission = 'owner') execute function private.lock_owners();
create function private.require_owner() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.staff_permissions) and not exists (select from public.staff_permissions p where p.permission = 'owner') then
    raise exception 'the last owner of staff stays an owner' using errcode = '23514', constraint = 'staff_permissions_owner';
  end if;
  return null;
end
$$;
create constraint trigger staff_permissions_owner after delete on public.staff_permissions deferrable initially deferred for each row
  when (old.permission = 'owner') execute function private.require_owner();

-- Read at every call, so that a removed permission ends at once.
create function private.has_permission(p_user uuid, p_session uuid, p_permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_staff_rights(p_user, p_session)
    and exists (select from public.staff_permissions p where p.user_id = p_user and p.permission in (p_permission, 'owner'));
end
$$;
create function public.has_permission(permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_permission(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid, permission);
end
$$;
grant execute on function public.has_permission(text) to authenticated;

create policy "staff read their own permissions, owners all" on public.staff_permissions for select to authenticated
  using (user_id = (select auth.uid()) or (select public.has_permission('owner')));
grant select on public.staff_permissions to authenticated;
revoke insert, update, delete, truncate on public.staff_permissions from service_role;

-- Throws unless the caller has the permission or the service key.
create function private.require_permission(p_permission text) returns void language plpgsql stable set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission(p_permission)) then
    raise exception 'only staff with the permission % can do this', p_permission using errcode = '42501';
  end if;
end
$$;

-- Gives an account exactly these permissions, and with the first of them the role admin; without any it loses the role. Returns
-- {outcome: 'set'}, or why not: 'not_owner' (the actor), 'no_account', 'unconfirmed', 'last_owner'.
create function private.set_permissions(p_user uuid, p_permissions text[], p_actor uuid) returns text
language plpgsql volatile set search_path = '' as $$
declare
  service constant uuid := '00000000-0000-0000-0000-000000000000';
  before text[];
  confirmed boolean;
begin
  perform private.lock_permissions();
  if p_actor <> service and not exists (select from public.staff_permissions p where p.user_id = p_actor and p.permission = 'owner') then
    return 'not_owner';
  end if;
  select u.email_confirmed_at is not null into confirmed from auth.users u where u.id = p_user and u.deleted_at is null;
  if confirmed is null then return 'no_account'; end if;
  if not confirmed and pg_catalog.cardinality(p_permissions) > 0 then return 'unconfirmed'; end if;
  if not 'owner' = any (p_permissions)
     and exists (select from public.staff_permissions p where p.user_id = p_user and p.permission = 'owner')
     and not exists (select from public.staff_permissions p where p.user_id <> p_user and p.permission = 'owner') then
    return 'last_owner';
  end if;
  select coalesce(pg_catalog.array_agg(p.permission order by p.permission), '{}') into before
  from public.staff_permissions p where p.user_id = p_user;
  if before @> p_permissions and before <@ p_permissions then return 'set'; end if;
  if pg_catalog.cardinality(p_permissions) = 0 then
    update public.user_roles r set role = 'user' where r.user_id = p_user;
  else
    insert into public.user_roles as r (user_id, role) values (p_user, 'admin')
    on conflict (user_id) do update set role = 'admin' where r.role <> 'admin';
    insert into public.staff_permissions (user_id, permission) select p_user, one from pg_catalog.unnest(p_permissions) one on conflict do nothing;
    delete from public.staff_permissions p where p.user_id = p_user and p.permission <> all (p_permissions);
  end if;
  perform private.audit(p_actor, 'update', 'staff_permissions', p_user::text, pg_catalog.jsonb_build_object('before', before, 'after', p_permissions));
  return 'set';
end
$$;
revoke execute on function private.follow_role(), private.lock_owners(), private.require_owner() from public;

-- What needs which permission. All staff see bookings, payments, profiles and accepted terms, because every kind of work names a booking.
alter policy "staff read the codes" on public.discount_codes using ((select public.has_permission('settings')));
alter policy "staff make codes" on public.discount_codes with check ((select public.has_permission('settings')));
alter policy "staff change codes" on public.discount_codes
  using ((select public.has_permission('settings'))) with check ((select public.has_permission('settings')));
alter policy "staff read the audit log" on public.audit_logs using ((select public.has_permission('owner')));
alter policy "staff read the access codes" on public.booking_access_codes using ((select public.has_permission('bookings')));
alter policy "staff read the scheduled mails" on public.scheduled_emails using ((select public.has_permission('bookings')));
alter policy "staff schedule a mail" on public.scheduled_emails
  with check ((select public.has_permission('bookings')) and status in ('pending', 'pending_immediate'));
alter policy "people read their own verifications" on public.id_verifications
  using (user_id = (select auth.uid()) or (select public.has_permission('identity')));

-- Jobs of payments need the permission for money, all others the one for bookings.
create or replace function public.retry_job(job uuid) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  open private.outbox;
begin
  perform private.require_permission(coalesce((select 'money' from private.outbox o where o.id = retry_job.job and o.kind like 'payment.%'), 'bookings'));
  update private.outbox o set due_at = least(o.due_at, pg_catalog.now()), closed_at = null, closed_by = null, close_reason = null
  where o.id = retry_job.job and o.done_at is null
  returning o.* into open;
  if not found then return false; end if;
  if open.kind = 'payment.refund' then
    update private.payment p set state = 'refund_pending' where p.id = open.subject_id and p.state = 'refund_manual';
  end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text, pg_catalog.jsonb_build_object('kind', open.kind, 'by_hand', 'retry'));
  return true;
end
$$;

create or replace function public.close_job(job uuid, reason text) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  why constant text := pg_catalog.btrim(coalesce(reason, ''));
  closed private.outbox;
begin
  perform private.require_permission(coalesce((select 'money' from private.outbox o where o.id = close_job.job and o.kind like 'payment.%'), 'bookings'));
  if pg_catalog.length(why) not between 3 and 500 then
    raise exception 'a reason of 3 to 500 characters is needed' using errcode = '22023';
  end if;
  update private.outbox o set closed_at = pg_catalog.now(), closed_by = auth.uid(), close_reason = why, notified_at = pg_catalog.now()
  where o.id = close_job.job and o.done_at is null and o.closed_at is null
  returning o.* into closed;
  if not found then return false; end if;
  if closed.kind = 'payment.refund' then
    update private.payment p set state = 'refund_manual' where p.id = closed.subject_id and p.state in ('refund_pending', 'refund_failed');
  end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text,
    pg_catalog.jsonb_build_object('kind', closed.kind, 'by_hand', 'close', 'reason', why));
  return true;
end
$$;

drop function private.require_staff();

-- The developer pages are a setting; a test PIN opens a door.
create or replace function public.developer_pages_open() returns boolean
language sql stable security definer set search_path = '' as $$
  select public.has_permission('settings') and coalesce((select s.value = 'true' from private.settings s where s.name = 'developer_pages'), false)
$$;

-- As before, for owners.
create or replace function public.search_audit_logs(words text default '', before_at timestamptz default null, before_id uuid default null)
returns setof public.audit_logs language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  entry constant text := $entry$(lower(a.action || ' ' || a.resource_type || ' ' || coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '') || ' ' || a.details::text))$entry$;
  patterns text[] := '{}';
  conditions text := '';
  source text := 'public.audit_logs';
  before text := '';
  word text;
  pattern text;
  found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('owner')) then return; end if;
  if before_at is not null then
    before := case when before_id is null then ' and a.created_at < $2' else ' and (a.created_at, a.id) < ($2, $3)' end;
  end if;
  for word in
    select distinct w from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200)), '\s+') as w where w <> ''
  loop
    pattern := '%' || pg_catalog.regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%';
    patterns := patterns || pattern;
    if word ~ '[[:alnum:]]{3}' then
      select pg_catalog.array_agg(p.user_id) into found
      from (select p.user_id from public.profiles p where pg_catalog.lower(p.email) like pattern limit 1001) p;
    else
      source := '(select a.* from public.audit_logs a where true' || before || ' order by a.created_at desc, a.id desc limit 10000)';
      found := null;
    end if;
    conditions := conditions || pg_catalog.format(
      case
        when word !~ '[[:alnum:]]{3}' or pg_catalog.cardinality(found) > 1000 then
          ' and (%1$s like ($1)[%2$s] or (select lower(p.email) from public.profiles p where p.user_id = a.actor) like ($1)[%2$s])'
        when found is null then ' and %1$s like ($1)[%2$s]'
        else ' and (%1$s like ($1)[%2$s] or a.actor = any(%3$L::uuid[]))' end,
      entry, pg_catalog.array_length(patterns, 1), found);
  end loop;
  return query execute 'select a.* from ' || source || ' a where true' || before || conditions || ' order by a.created_at desc, a.id desc limit 100'
    using patterns, before_at, before_id;
end
$$;
