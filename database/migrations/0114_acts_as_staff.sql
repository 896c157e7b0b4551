-- A session without a required second factor has the rights of a customer, and staff read of other people what their permissions need.

-- Whether an account of staff was given a permission that needs a second factor. The permission of owners needs one as soon as any other does:
-- an owner could end the rule, or make somebody else staff.
create function private.must_show_factor(p_user uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return coalesce((select s.value = 'true'::jsonb from private.settings s where s.name = 'admin_requires_mfa'), false)
    or exists (select from public.staff_permissions p join private.second_factor_rule f on f.permission = p.permission or p.permission = 'owner'
      where p.user_id = p_user);
end
$$;

-- Whether an account acts as staff in this session. Every right of staff is decided here: without a second factor that is required of the account,
-- a session has the rights of a customer everywhere, also where no rule asks for the factor.
create or replace function private.has_staff_rights(p_user uuid, p_session uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  -- Almost nobody is staff: the rest is not read for the others.
  if not private.has_admin_role(p_user) then return false; end if;
  if not exists (select from public.staff_permissions p where p.user_id = p_user) then return false; end if;
  return not private.must_show_factor(p_user) or private.has_second_factor(p_user, p_session);
end
$$;

drop function private.holds_permission(uuid, uuid, text);
create function private.holds_permission(p_user uuid, p_permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_admin_role(p_user)
    and exists (select from public.staff_permissions p where p.user_id = p_user and p.permission in (p_permission, 'owner'));
end
$$;
create or replace function private.has_permission(p_user uuid, p_session uuid, p_permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_staff_rights(p_user, p_session)
    and exists (select from public.staff_permissions p where p.user_id = p_user and p.permission in (p_permission, 'owner'));
end
$$;

-- As before: whether only the second factor is missing.
create or replace function private.misses_second_factor(p_user uuid, p_session uuid, p_permission text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.holds_permission(p_user, p_permission) and not private.has_staff_rights(p_user, p_session);
end
$$;
drop function private.needs_second_factor(text);
revoke execute on function private.must_show_factor(uuid), private.holds_permission(uuid, text) from public;

-- As before, for every account of staff: also one that may not act as staff yet reads here what is missing.
create or replace function public.second_factor_rules() returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or private.has_admin_role(auth.uid())) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
  return pg_catalog.jsonb_build_object(
    'permissions', (select coalesce(pg_catalog.jsonb_agg(f.permission order by f.permission), '[]') from private.second_factor_rule f),
    'shown', private.has_second_factor(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid));
end
$$;

-- The private channels of staff follow their permissions and the rules.
create trigger recheck_permissions after insert or update or delete on public.staff_permissions for each row execute function private.recheck_role();
create function private.recheck_staff() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.recheck_rights(r.user_id) from public.user_roles r where r.role = 'admin';
  return null;
end
$$;
create trigger recheck_staff after insert or update or delete on private.second_factor_rule for each statement execute function private.recheck_staff();
revoke execute on function private.recheck_staff() from public;

-- Row policies cannot hide columns: staff read the profiles of others through one view for each permission.
alter policy "people read their own profile" on public.profiles using (user_id = (select auth.uid()));
grant select on public.profiles, public.user_roles to booking_reader;

-- How to reach customers, with the permission for bookings.
create view public.customer_contacts with (security_barrier = true) as
select p.user_id, p.full_name, p.dj_name, p.email, p.phone, p.created_at from public.profiles p
where (select public.has_permission('bookings')) or (select auth.role()) = 'service_role';

-- Who customers are, with the permission for IDs. The results of ID checks are in id_verifications, for the same permission.
create view public.customer_identities with (security_barrier = true) as
select p.user_id, p.full_name, p.date_of_birth, p.address from public.profiles p
where (select public.has_permission('identity')) or (select auth.role()) = 'service_role';

-- The names of staff, for all of them.
create view public.staff_names with (security_barrier = true) as
select p.user_id, p.full_name from public.profiles p
where exists (select from public.user_roles r where r.user_id = p.user_id and r.role = 'admin')
  and ((select public.is_staff()) or (select auth.role()) = 'service_role');

alter view public.customer_contacts owner to booking_reader;
alter view public.customer_identities owner to booking_reader;
alter view public.staff_names owner to booking_reader;
revoke all on public.customer_contacts, public.customer_identities, public.staff_names from anon, authenticated, service_role;
grant select on public.customer_contacts, public.customer_identities, public.staff_names to authenticated, service_role, backend;

-- A guest asks for the permission too when they read the hours of a room; it is false for everybody without an account.
grant execute on function public.has_permission(text) to anon;

-- As before, but the name, address and number of somebody else's booking need the permission for bookings.
create or replace view private.visible_booking with (security_barrier = true) as
select b.id, b.reference, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.during, b.status, b.cancel_reason, b.hold_expires_at,
  b.total_hours, b.slots, b.base_cost_cents, b.discount_cents, b.coupon_id, b.coupon_discount_cents, b.final_cost_cents, b.id_verification_id,
  b.terms_version, b.notes, case when b.user_id = (select auth.uid()) or (select public.has_permission('bookings')) or (select auth.role()) = 'service_role'
    then b.guest_email end as guest_email,
  b.policy, b.created_at, b.updated_at, b.confirmed_at, b.cancelled_at,
  case when b.user_id = (select auth.uid()) or (select public.has_permission('bookings')) or (select auth.role()) = 'service_role'
    then b.contact_phone end as contact_phone,
  case when b.user_id = (select auth.uid()) or (select public.has_permission('bookings')) or (select auth.role()) = 'service_role'
    then b.guest_name end as guest_name,
  b.waived_cents
from private.booking b
where (select auth.uid() is not null or auth.role() is not distinct from 'service_role')
  and (b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role');

-- As before, but until when an ID is verified needs the permission for IDs.
create or replace function public.search_customers(words text default '', most integer default 50) returns table (
  user_id uuid, full_name text, email text, phone text, created_at timestamptz, verified_until timestamptz, bookings integer, paid numeric,
  refunded numeric, block_reason text, blocked_until timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  patterns text[];
  beginning constant text := pg_catalog.regexp_replace(pg_catalog.lower(pg_catalog.btrim(pg_catalog.left(coalesce(words, ''), 200))), '([\\%_])', '\\\1', 'g') || '%';
  addressed uuid[];
  v_identity constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('identity');
begin
  perform private.require_permission('bookings');
  select coalesce(pg_catalog.array_agg('%' || pg_catalog.regexp_replace(pg_catalog.regexp_replace(w, '^0(\d+)$', '\1'), '([\\%_])', '\\\1', 'g') || '%'
    order by pg_catalog.length(w) desc), '{}')
  into patterns
  from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200) collate pg_catalog."und-x-icu"), '\s+') as w where w <> '';
  if pg_catalog.strpos(beginning, '@') > 1 then
    select pg_catalog.array_agg(a.user_id) into addressed from (
      select p.user_id from public.profiles p where pg_catalog.lower(p.email) like beginning order by p.created_at desc, p.user_id limit least(most, 200)) a;
  end if;
  return query
    with found as (
      select p.user_id, p.full_name, p.email, p.phone, p.created_at from public.profiles p
      where p.user_id = any (addressed) or (addressed is null
        and pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, '')) collate pg_catalog."und-x-icu") like coalesce(patterns[1], '%')
        and pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, '')) collate pg_catalog."und-x-icu") like all (patterns[2:]))
      order by p.created_at desc, p.user_id limit least(most, 200)
    )
    select f.user_id, f.full_name, f.email, f.phone, f.created_at, v.until, coalesce(m.bookings, 0)::integer,
      (coalesce(m.paid, 0) / 100.0)::numeric(12, 2), (coalesce(m.refunded, 0) / 100.0)::numeric(12, 2),
      c.reason, c.until
    from found f
    left join private.customer_block c on c.user_id = f.user_id and private.is_blocked(f.user_id, pg_catalog.now())
    left join lateral (select pg_catalog.max(i.expires_at) as until from public.id_verifications i
      where v_identity and i.user_id = f.user_id and i.verification_status = 'verified' and i.expires_at > pg_catalog.now()) v on true
    left join lateral (
      select count(*) filter (where b.status = 'confirmed') as bookings, pg_catalog.sum(x.paid) as paid, pg_catalog.sum(x.refunded) as refunded
      from private.booking b left join lateral (
        select pg_catalog.sum(y.paid_cents) as paid, pg_catalog.sum(y.refunded_cents) as refunded from private.payment y where y.booking_id = b.id) x on true
      where b.user_id = f.user_id and b.notes is distinct from 'test') m on true
    order by f.created_at desc, f.user_id;
end
$$;

-- The details of a booking, without the result of the ID check for staff who lack the permission for IDs.
alter function public.booking_details(text) set schema private;
revoke execute on function private.booking_details(text) from authenticated, service_role;
create function public.booking_details(reference text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  v_identity constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('identity');
begin
  return private.booking_details(booking_details.reference) || pg_catalog.jsonb_build_object('mayReadId', v_identity)
    || case when v_identity then '{}' else '{"verification": null}' end::jsonb;
end
$$;
grant execute on function public.booking_details(text) to authenticated;
