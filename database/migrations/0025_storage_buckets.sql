-- Buckets that people make themselves, a bucket for its owners alone, and everything about a bucket in the flight that reads an object.

-- Hosted Supabase's characters for the name of a bucket.
alter table storage.buckets drop constraint buckets_id_check;
alter table storage.buckets
  alter column owner set default auth.uid(),
  add column owner_id text generated always as (owner::text) stored,
  -- Nobody but its owner reads an object, not even the service; nothing leaves it for another bucket.
  add column owner_only boolean not null default false,
  add constraint buckets_id_check check (id ~ '^[A-Za-z0-9_!.*''()&$@=;:+,? -]{1,100}$' and id = btrim(id) and id not in ('.', '..')),
  add constraint buckets_owner_only_not_public check (not (owner_only and public));
update storage.buckets set owner_only = true where id = 'id-verifications';
create trigger buckets_updated_at before update on storage.buckets for each row execute function private.set_updated_at();

-- Policies decide; without one nobody makes, changes or sees anything.
grant select, insert, update, delete on storage.buckets, storage.objects to anon, authenticated;
grant execute on function storage.object_metadata(text, bigint, text, text) to anon;

-- The settings of a bucket for owners alone are no caller's to change, whatever role it has.
create function storage.guard_bucket() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.owner_only and current_user in ('anon', 'authenticated', 'service_role') then
    raise exception using errcode = '42501', message = 'this bucket cannot be changed';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger buckets_guarded before update or delete on storage.buckets for each row execute function storage.guard_bucket();

-- What the door must know of a bucket, whoever asks for an object in it.
create function storage.bucket_by_id(bucket text) returns setof storage.buckets language sql stable security definer rows 1 set search_path = '' as $$
  select b.* from storage.buckets b where b.id = bucket
$$;
create function storage.owner_only_buckets() returns text[] language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(b.id), '{}') from storage.buckets b where b.owner_only
$$;
revoke execute on function storage.bucket_by_id(text), storage.owner_only_buckets(), storage.guard_bucket() from public;
grant execute on function storage.bucket_by_id(text), storage.owner_only_buckets() to anon, authenticated, service_role;

-- However many policies are added later: none opens a bucket for owners alone to anybody else.
create policy "only its owner reaches an object of an owner-only bucket" on storage.objects as restrictive for all to anon, authenticated
  using (bucket_id <> all ((select storage.owner_only_buckets())::text[]) or owner = (select auth.uid()))
  with check (bucket_id <> all ((select storage.owner_only_buckets())::text[]) or owner = (select auth.uid()));

-- How the bytes are packed, as their sender said it and readers are told.
alter table storage.objects add column content_encoding text check (content_encoding ~ '^[a-z0-9-]{1,20}(, ?[a-z0-9-]{1,20}){0,3}$');

create index objects_by_time on storage.objects (bucket_id, created_at, name);
