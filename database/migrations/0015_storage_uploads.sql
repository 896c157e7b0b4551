-- What hosted Supabase shows of an object besides its name, for policies that ask for it; replacing an object; and bytes that were
-- written for an upload that never ended.

-- Immutable in truth: the same text, number and type always give the same JSON.
create function storage.object_metadata(etag text, size bigint, mimetype text, cache_control text) returns jsonb language sql immutable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('eTag', '"' || etag || '"', 'size', size, 'contentLength', size, 'mimetype', mimetype, 'cacheControl', cache_control)
$$;
alter table storage.objects
  add column owner_id text generated always as (owner::text) stored,
  add column version text not null default gen_random_uuid()::text,
  add column last_accessed_at timestamptz not null default clock_timestamp(),
  add column metadata jsonb generated always as (storage.object_metadata(etag, size, content_type, cache_control)) stored,
  add column path_tokens text[] generated always as (string_to_array(name, '/')) stored;

-- Policies decide: in a bucket without an update policy nobody replaces anything.
grant update on storage.objects to authenticated;
grant execute on function storage.object_metadata(text, bigint, text, text) to authenticated, service_role;
create index objects_by_name on storage.objects (bucket_id, name text_pattern_ops);

-- A row here names bytes to delete once `delete_at` has come. An upload writes its own first, with time to finish, and the object's
-- row takes it away again: whatever breaks in between, the bytes go.
create index deletion_queue_due on storage.deletion_queue (delete_at);
create function storage.cancel_deletion() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from storage.deletion_queue r where r.storage_key = new.storage_key;
  if tg_op = 'UPDATE' then
    insert into storage.deletion_queue (storage_key) values (old.storage_key) on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger objects_cancel_deletion after insert on storage.objects for each row execute function storage.cancel_deletion();
create trigger objects_replaced after update of storage_key on storage.objects
  for each row when (old.storage_key <> new.storage_key) execute function storage.cancel_deletion();

-- Nobody but an upload chooses where bytes lie or whose they are.
create function storage.guard_object() returns trigger language plpgsql set search_path = '' as $$
begin
  new.owner := old.owner;
  new.id := old.id;
  new.created_at := old.created_at;
  new.updated_at := pg_catalog.clock_timestamp();
  return new;
end
$$;
create trigger objects_guarded before update on storage.objects for each row execute function storage.guard_object();
