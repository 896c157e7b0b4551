create policy "signed-in people read the buckets" on storage.buckets for select to authenticated using (true);

create trigger buckets_updated_at before update on storage.buckets
  for each row execute function private.set_updated_at();

-- Rejects changes to an owner-only bucket from every role that callers can have, including the service key.
create or replace function storage.guard_bucket()
returns trigger language plpgsql set search_path = '' as $$
begin
  if old.owner_only and current_user in ('anon', 'authenticated', 'service_role') then
    raise exception using errcode = '42501', message = 'this bucket cannot be changed';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;

create trigger buckets_guarded before update or delete on storage.buckets
  for each row execute function storage.guard_bucket();

-- Returns the settings of a bucket to any caller: the storage API needs them for every request for an object.
create or replace function storage.bucket_by_id(bucket text)
returns setof storage.buckets language sql stable security definer rows 1 set search_path = '' as $$
  select b.* from storage.buckets b where b.id = bucket
$$;
grant execute on function storage.bucket_by_id(text) to anon, authenticated, service_role;

-- Returns the ids of the owner-only buckets, for policies; an empty array if there are none.
create or replace function storage.owner_only_buckets()
returns text[] language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(b.id), '{}') from storage.buckets b where b.owner_only
$$;
grant execute on function storage.owner_only_buckets() to anon, authenticated, service_role;
