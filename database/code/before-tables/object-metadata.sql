-- Returns the metadata that hosted Supabase shows for an object; size is in bytes. Immutable, because the same
-- arguments always give the same JSON.
create or replace function storage.object_metadata(etag text, size bigint, mimetype text, cache_control text)
returns jsonb language sql immutable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'eTag', '"' || etag || '"', 'size', size, 'contentLength', size, 'mimetype', mimetype,
    'cacheControl', cache_control)
$$;
grant execute on function storage.object_metadata(text, bigint, text, text) to anon, authenticated, service_role;
