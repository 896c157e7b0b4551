-- Restrictive, so that no other policy, present or future, opens an owner-only bucket to anyone but the owner of the
-- object.
create policy "only its owner reaches an object of an owner-only bucket" on storage.objects
  as restrictive for all to anon, authenticated
  using (bucket_id <> all ((select storage.owner_only_buckets())::text[]) or owner = (select auth.uid()))
  with check (bucket_id <> all ((select storage.owner_only_buckets())::text[]) or owner = (select auth.uid()));

-- Keeps the owner, the id and the creation time of an object when its row is updated, so that only an upload sets them.
create or replace function storage.guard_object()
returns trigger language plpgsql set search_path = '' as $$
begin
  new.owner := old.owner;
  new.id := old.id;
  new.created_at := old.created_at;
  new.updated_at := pg_catalog.clock_timestamp();
  return new;
end
$$;

create trigger objects_guarded before update on storage.objects
  for each row execute function storage.guard_object();
