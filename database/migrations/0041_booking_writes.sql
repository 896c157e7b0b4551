-- Writes through the view of bookings. Money and access codes follow a booking only in the functions of the server, so nothing here changes the
-- status or the price of a real one, not even the service.

drop trigger bookings_write on public.bookings;
drop function private.write_bookings();

-- Inserts a booking. The service may insert any; staff insert test bookings while the developer pages are on.
create function private.insert_booking() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  made private.booking;
begin
  if not coalesce(auth.role() = 'service_role', false) and not (new.notes is not distinct from 'test' and public.developer_pages_open()) then
    raise exception 'permission denied for bookings' using errcode = '42501';
  end if;
  insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours,
    base_cost_cents, final_cost_cents, notes, guest_email)
  select private.new_reference(), coalesce(new.user_id, auth.uid()), s.id, s.name, new.start_time, new.end_time,
    coalesce(new.status, 'confirmed'), case when new.status = 'pending' then pg_catalog.now() + interval '15 minutes' end, coalesce(new.total_hours, 1),
    pg_catalog.round(coalesce(new.base_cost, 0) * 100)::integer, pg_catalog.round(coalesce(new.final_cost, new.base_cost, 0) * 100)::integer, new.notes, new.guest_email
  from public.studios s where s.id = new.studio_id
  on conflict do nothing returning * into made;
  if made.id is null then
    raise exception 'that time is taken' using errcode = '23P01';
  end if;
  perform private.audit(auth.uid(), 'create', 'booking', made.id::text, pg_catalog.jsonb_build_object('notes', made.notes));
  new.id := made.id;
  new.user_id := made.user_id;
  new.studio_name := made.studio_name;
  new.status := made.status;
  new.reference := made.reference;
  new.total_hours := made.total_hours;
  new.created_at := made.created_at;
  return new;
end
$$;
create trigger bookings_insert instead of insert on public.bookings for each row execute function private.insert_booking();

-- Updates a booking. The service changes notes and the address of a guest; it and staff, while the developer pages are on, end test bookings.
-- A customer's update that changes nothing of a confirmed booking is accepted.
create function private.update_booking() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  is_service constant boolean := coalesce(auth.role() = 'service_role', false);
  is_test constant boolean := old.notes is not distinct from 'test';
  changed constant text[] := array(
    select n.key from pg_catalog.jsonb_each(pg_catalog.to_jsonb(new)) n where n.value is distinct from pg_catalog.to_jsonb(old) -> n.key);
begin
  if old.user_id is not distinct from auth.uid() and old.status = 'confirmed' and changed = '{}' then
    return new;
  end if;
  if is_test and (is_service or public.developer_pages_open()) and old.status <> 'cancelled' and new.status = 'cancelled' and changed = '{status}' then
    update private.booking b set status = 'cancelled', cancel_reason = 'test_over' where b.id = old.id and b.notes = 'test';
    insert into private.outbox (kind, subject_id, dedupe, due_at) values ('access.revoke', old.id, 'test_over', pg_catalog.now())
    on conflict do nothing;
    perform private.audit(auth.uid(), 'update', 'booking', old.id::text, '{"status": "cancelled", "cancel_reason": "test_over"}');
    new.cancel_reason := 'test_over';
    return new;
  end if;
  if is_service and changed <@ '{notes,guest_email}' and (not 'notes' = any (changed) or not is_test and new.notes is distinct from 'test') then
    update private.booking b set notes = new.notes, guest_email = new.guest_email where b.id = old.id;
    return new;
  end if;
  if is_service then
    raise exception 'only notes and guest_email of a booking can be changed' using errcode = '22023',
      detail = pg_catalog.format('The request changes %s.', pg_catalog.array_to_string(changed, ', ')),
      hint = 'Use the functions staff-cancel-booking, staff-move-booking and staff-refund.';
  end if;
  raise exception 'permission denied for bookings' using errcode = '42501';
end
$$;
create trigger bookings_update instead of update on public.bookings for each row execute function private.update_booking();
revoke execute on function private.insert_booking(), private.update_booking() from public;
