-- Inserts and updates through the view public.bookings.

-- Inserts a booking through the view. The service key may insert any booking; staff may insert test bookings while
-- the developer pages are on. Raises 42501 for other callers, and 23P01 if the time is taken.
create or replace function private.insert_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_made private.booking;
begin
  if not coalesce(auth.role() = 'service_role', false)
      and not (new.notes is not distinct from 'test' and public.developer_pages_open()) then
    raise exception 'permission denied for bookings' using errcode = '42501';
  end if;
  insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status,
    hold_expires_at, total_hours, base_cost_cents, final_cost_cents, notes, guest_email)
  select private.new_reference(), coalesce(new.user_id, auth.uid()), s.id, s.name, new.start_time, new.end_time,
    coalesce(new.status, 'confirmed'),
    case when new.status = 'pending' then pg_catalog.now() + interval '15 minutes' end, coalesce(new.total_hours, 1),
    pg_catalog.round(coalesce(new.base_cost, 0) * 100)::integer,
    pg_catalog.round(coalesce(new.final_cost, new.base_cost, 0) * 100)::integer, new.notes, new.guest_email
  from public.studios s where s.id = new.studio_id
  on conflict do nothing returning * into v_made;
  if v_made.id is null then
    raise exception 'that time is taken' using errcode = '23P01';
  end if;
  perform private.audit(auth.uid(), 'create', 'booking', v_made.id::text,
    pg_catalog.jsonb_build_object('notes', v_made.notes));
  new.id := v_made.id;
  new.user_id := v_made.user_id;
  new.studio_name := v_made.studio_name;
  new.status := v_made.status;
  new.reference := v_made.reference;
  new.total_hours := v_made.total_hours;
  new.created_at := v_made.created_at;
  return new;
end
$$;

create trigger bookings_insert instead of insert on public.bookings for each row
  execute function private.insert_booking();

-- Updates a booking through the view. The service key may change the notes and the address of a guest. The service
-- key, and staff while the developer pages are on, may cancel a test booking, whose access code is then revoked. An
-- update by a customer that leaves their confirmed booking unchanged is accepted. Raises 22023 for other changes with
-- the service key, and 42501 for other callers.
create or replace function private.update_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_is_service constant boolean := coalesce(auth.role() = 'service_role', false);
  v_is_test constant boolean := old.notes is not distinct from 'test';
  v_changed constant text[] := array(
    select n.key from pg_catalog.jsonb_each(pg_catalog.to_jsonb(new)) n
    where n.value is distinct from pg_catalog.to_jsonb(old) -> n.key);
begin
  if old.user_id is not distinct from auth.uid() and old.status = 'confirmed' and v_changed = '{}' then
    return new;
  end if;
  if v_is_test and (v_is_service or public.developer_pages_open())
      and old.status <> 'cancelled' and new.status = 'cancelled' and v_changed = '{status}' then
    update private.booking b set status = 'cancelled', cancel_reason = 'test_over'
    where b.id = old.id and b.notes = 'test';
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    values ('access.revoke', old.id, 'test_over', pg_catalog.now())
    on conflict do nothing;
    perform private.audit(auth.uid(), 'update', 'booking', old.id::text,
      '{"status": "cancelled", "cancel_reason": "test_over"}');
    new.cancel_reason := 'test_over';
    return new;
  end if;
  if v_is_service and v_changed <@ '{notes,guest_email}'
      and (not 'notes' = any (v_changed) or not v_is_test and new.notes is distinct from 'test') then
    update private.booking b set notes = new.notes, guest_email = new.guest_email where b.id = old.id;
    return new;
  end if;
  if v_is_service then
    raise exception 'only notes and guest_email of a booking can be changed' using errcode = '22023',
      detail = pg_catalog.format('The request changes %s.', pg_catalog.array_to_string(v_changed, ', ')),
      hint = 'Use the functions staff-cancel-booking, staff-move-booking and staff-refund.';
  end if;
  raise exception 'permission denied for bookings' using errcode = '42501';
end
$$;

create trigger bookings_update instead of update on public.bookings for each row
  execute function private.update_booking();
