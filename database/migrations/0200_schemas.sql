-- Schemas, extensions, roles and default privileges.

create schema if not exists extensions;
create schema if not exists auth;
create schema if not exists storage;
create schema if not exists private;
create schema rest;
create schema realtime;
create extension if not exists btree_gist with schema extensions;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;

-- Roles belong to the cluster, so another database of the same server may have created them already.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticated') then
    create role authenticated nologin noinherit;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit bypassrls;
  end if;
  -- The server logs in as `authenticator` to run a caller's statements, and as `backend` for its own work.
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'backend') then
    create role backend login noinherit bypassrls;
  end if;
  -- Owns the views on bookings, which apply their own rules instead of row policies.
  if not exists (select from pg_catalog.pg_roles where rolname = 'booking_reader') then
    create role booking_reader nologin bypassrls;
  end if;
exception when duplicate_object or unique_violation then
  null; -- Another database of this server is being migrated at the same moment.
end
$$;
grant anon, authenticated, service_role to authenticator;

-- Callers have no privileges by default. Every grant to them stands next to its table or function.
revoke all on schema public from public;
alter default privileges revoke execute on functions from public;
grant usage on schema public, auth, storage, extensions to anon, authenticated, service_role, backend;
grant usage on schema private to backend;
grant usage on schema realtime to anon, authenticated, authenticator, service_role, backend;
grant usage on schema rest to public, backend;
grant usage on schema private, auth, public to booking_reader;
grant execute on all functions in schema extensions to anon, authenticated, service_role, backend;

-- The service key and the server have all privileges on the objects that they use.
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
alter default privileges in schema extensions
  grant execute on functions to anon, authenticated, service_role, backend;
alter default privileges in schema realtime grant all on tables to backend;
alter default privileges in schema realtime grant execute on functions to backend;

-- The server reports at /readyz whether all migrations have run.
grant select on private.migrations to backend;
