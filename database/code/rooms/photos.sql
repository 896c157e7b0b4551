create policy "staff add photos of rooms" on storage.objects for insert to authenticated
  with check (bucket_id = 'rooms' and (select public.has_permission('settings')));

create policy "staff see photos of rooms" on storage.objects for select to authenticated
  using (bucket_id = 'rooms' and (select public.has_permission('settings')));

create policy "staff remove photos of rooms" on storage.objects for delete to authenticated
  using (bucket_id = 'rooms' and (select public.has_permission('settings')));

-- Deletes uploaded photos that are more than a day old and not used by any room, incident or version of the settings
-- (staff can bring earlier settings back). Returns the number of deleted photos. Idempotent.
create or replace function private.delete_unused_photos(p_now timestamptz)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  v_deleted integer;
begin
  delete from storage.objects o
  where o.created_at < p_now - interval '1 day' and case o.bucket_id
    when 'rooms' then not exists (select from public.studios s where o.name = any (s.photos))
      and not exists (select from public.business_settings b where b.settings ->> 'directionsPhoto' = o.name)
    when 'incidents' then not exists (select from private.incident i where i.photos @> array[o.name])
    else false end;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
