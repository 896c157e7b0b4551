-- Who calls, decided cheaply. These functions run in almost every statement of a caller.

-- The claims. A body of this form is bound to its functions when it is created, so it needs no search_path of its own; and a function
-- without settings becomes part of the statement, where it costs nothing. Before, each call parsed and planned its body again.
create or replace function auth.jwt() returns jsonb language sql stable
  return coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
create or replace function auth.uid() returns uuid language sql stable
  return nullif(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', '')::uuid;
create or replace function auth.role() returns text language sql stable
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role';
create or replace function auth.email() returns text language sql stable
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email';

-- In PL/pgSQL a connection keeps the plans of the queries inside; PostgreSQL before 18 plans those of an SQL function at every call.
create or replace function private.has_admin_role(p_user uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return p_user is not null and exists (select from public.user_roles r where r.user_id = p_user and r.role = 'admin');
end
$$;
create or replace function private.has_staff_rights(p_user uuid, p_session uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  -- Almost nobody is staff: the rest is not read for the others.
  if not private.has_admin_role(p_user) then return false; end if;
  return not coalesce((select s.value = 'true'::jsonb from private.settings s where s.name = 'admin_requires_mfa'), false)
    or exists (select from auth.sessions s where s.id = p_session and s.user_id = p_user and s.aal <> 'aal1');
end
$$;
create or replace function public.is_staff() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_staff_rights(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid);
end
$$;

-- What is taken in a room, for everybody, is read from the index alone. The index covers all bookings: a statement that is planned once for
-- all values cannot use an index with a condition on one of them.
drop index private.booking_availability;
create index booking_availability on private.booking (studio_id, start_time) include (end_time, status, user_id);

-- Relations whose reads have one good plan when they filter by all these columns, whatever the values: the data API lets a connection keep
-- that plan. Planning such a read of public.bookings took longer than running it. PostgreSQL itself would plan it anew each time, because
-- without the values it assumes that a range of times holds half a percent of all rows.
create table rest.kept_plan (
  relation regclass not null,
  columns text[] not null check (cardinality(columns) > 0),
  primary key (relation, columns)
);
alter table rest.kept_plan enable row level security, force row level security;
grant usage on schema rest to backend;
grant select on rest.kept_plan to backend;
insert into rest.kept_plan values ('public.bookings', '{studio_id,start_time}');
