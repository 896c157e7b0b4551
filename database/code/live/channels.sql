-- Policies of the private channels: an account may listen to its own channel, and staff to the channel of all bookings.

create policy own_events on realtime.messages for select to authenticated
  using ((select realtime.topic()) = 'user:' || (select auth.uid())::text);

create policy staff_events on realtime.messages for select to authenticated
  using ((select realtime.topic()) = 'staff' and (select public.is_staff()));

-- Checks the rights of an account's open connections again when its roles change, because only staff may listen to
-- the channel of all bookings.
create or replace function private.recheck_role() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.recheck_rights(coalesce(new.user_id, old.user_id));
  return null;
end
$$;

create trigger recheck_role after insert or update or delete on public.user_roles for each row
  execute function private.recheck_role();
