-- People add, see and delete pictures of their own ID. The bucket is owner-only, so no other policy can open it.
create policy "people add pictures of their own ID" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'id-verifications' and (storage.foldername(name))[1] = (select auth.uid())::text
    and owner = (select auth.uid()));

create policy "people see pictures of their own ID" on storage.objects for select to authenticated
  using (bucket_id = 'id-verifications' and owner = (select auth.uid()));

create policy "people remove pictures of their own ID" on storage.objects for delete to authenticated
  using (bucket_id = 'id-verifications' and owner = (select auth.uid()));

-- Queues the deletion of the picture of an ID when the ID is decided or its row is deleted. The job runs at once, and
-- is repeated until it succeeds.
create or replace function private.delete_decided_picture()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update private.outbox o set due_at = least(o.due_at, pg_catalog.now())
  where o.kind = 'image.delete' and o.subject_id = old.id and o.done_at is null and o.closed_at is null;
  if not found then
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
    values (
      'image.delete', old.id, 'decided', pg_catalog.jsonb_build_object('key', old.image_path), pg_catalog.now())
    on conflict do nothing;
  end if;
  return null;
end
$$;

create trigger id_verifications_decided after update of verification_status on public.id_verifications
  for each row when (
    old.image_path is not null and old.verification_status = 'review' and new.verification_status <> 'review')
  execute function private.delete_decided_picture();

create trigger id_verifications_deleted after delete on public.id_verifications
  for each row when (old.image_path is not null) execute function private.delete_decided_picture();
