-- Schemas, extensions, roles and their default privileges; the caller's claims; settings; updated_at.

create schema if not exists extensions;
create schema if not exists auth;
create schema if not exists storage;
create schema if not exists private;
create extension if not exists btree_gist with schema extensions;
create extension if not exists pgcrypto with schema extensions;

-- Roles belong to the cluster, so another database of the same server may have created them already.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'anon') then create role anon nologin noinherit; end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticated') then create role authenticated nologin noinherit; end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'service_role') then create role service_role nologin noinherit bypassrls; end if;
  -- The server logs in as authenticator to run a caller's statement, and as backend for its own work.
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticator') then create role authenticator login noinherit; end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'backend') then create role backend login noinherit bypassrls; end if;
  -- Owns the views on bookings, which apply their own rules instead of row policies.
  if not exists (select from pg_catalog.pg_roles where rolname = 'booking_reader') then create role booking_reader nologin bypassrls; end if;
exception when duplicate_object or unique_violation then
  null; -- two databases of one server migrate at the same moment
end
$$;
grant anon, authenticated, service_role to authenticator;

-- Nobody gets anything by default: every grant to a caller is beside its table or function.
revoke all on schema public from public;
alter default privileges revoke execute on functions from public;
grant usage on schema public, auth, storage, extensions to anon, authenticated, service_role, backend;
grant usage on schema private to backend;
grant usage on schema private, auth, public to booking_reader;
grant execute on all functions in schema extensions to anon, authenticated, service_role, backend;

-- The service key and the server have all rights on what they use.
alter default privileges in schema public grant all on tables to service_role, backend;
alter default privileges in schema public grant all on sequences to service_role, backend;
alter default privileges in schema public grant execute on functions to service_role, backend;
alter default privileges in schema auth grant all on tables to backend;
alter default privileges in schema auth grant all on sequences to backend;
alter default privileges in schema auth grant execute on functions to backend;
alter default privileges in schema storage grant all on tables to backend;
alter default privileges in schema storage grant all on sequences to backend;
alter default privileges in schema storage grant execute on functions to backend;
alter default privileges in schema private grant all on tables to backend;
alter default privileges in schema private grant all on sequences to backend;
alter default privileges in schema private grant execute on functions to backend;
alter default privileges in schema extensions grant execute on functions to anon, authenticated, service_role, backend;

-- The caller's verified claims, which the server sets for each request; the same functions as in hosted Supabase.
create function auth.jwt() returns jsonb language sql stable set search_path = '' as $$
  select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb
$$;
create function auth.uid() returns uuid language sql stable set search_path = '' as $$
  select nullif(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', '')::uuid
$$;
create function auth.role() returns text language sql stable set search_path = '' as $$
  select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
$$;
create function auth.email() returns text language sql stable set search_path = '' as $$
  select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
$$;
grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email() to anon, authenticated, service_role, backend;

-- What the server tells the database when it starts, such as the first admins. No API shows it.
create table private.settings (
  name text primary key,
  value jsonb not null
);
alter table private.settings enable row level security, force row level security;

create function private.set_updated_at() returns trigger language plpgsql set search_path = '' as $$
begin
  new.updated_at := pg_catalog.clock_timestamp();
  return new;
end
$$;
