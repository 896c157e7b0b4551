-- Publishes each change of an incident to staff, and to the customer's account as {booking_id}.
create or replace function private.publish_incident() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'incidents', 'staff', true);
  perform private.publish_to_account(
    new.customer_id, 'incident', pg_catalog.jsonb_build_object('booking_id', new.booking_id));
  return null;
end
$$;

create trigger publish_incident after insert or update on private.incident
  for each row execute function private.publish_incident();

create policy "staff add photos of incidents" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'incidents' and (storage.foldername(name))[1] = (select auth.uid())::text
    and owner = (select auth.uid()) and (select public.has_permission('bookings')));

create policy "staff see photos of incidents" on storage.objects for select to authenticated
  using (bucket_id = 'incidents' and (select public.has_permission('bookings')));
