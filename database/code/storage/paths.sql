-- These functions return parts of an object's name, for policies. They are the same as in hosted Supabase.

-- Returns the folders of a name: {a,b} for 'a/b/c.jpg'.
create or replace function storage.foldername(name text)
returns text[] language sql immutable set search_path = '' as $$
  select (pg_catalog.string_to_array(name, '/'))[
    1:pg_catalog.array_length(pg_catalog.string_to_array(name, '/'), 1) - 1]
$$;
grant execute on function storage.foldername(text) to anon, authenticated, service_role;

-- Returns the name without its folders: 'c.jpg' for 'a/b/c.jpg'.
create or replace function storage.filename(name text)
returns text language sql immutable set search_path = '' as $$
  select pg_catalog.regexp_replace(name, '^.*/', '')
$$;
grant execute on function storage.filename(text) to anon, authenticated, service_role;

-- Returns the extension of a name without the dot: 'jpg' for 'a/b/c.jpg'. Null if it has none.
create or replace function storage.extension(name text)
returns text language sql immutable set search_path = '' as $$
  select pg_catalog.substring(name, '\.([^./]+)$')
$$;
grant execute on function storage.extension(text) to anon, authenticated, service_role;
