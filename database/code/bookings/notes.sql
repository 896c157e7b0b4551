-- What staff record about a booking.

-- Adds a note. Idempotent: a second call with the same `note_id` adds nothing. Returns false if there is no such
-- booking. The audit log has the id of the note without its words, which may be personal. Requires the permission for
-- bookings.
create or replace function public.add_booking_note(note_id uuid, booking uuid, note text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_words constant text := pg_catalog.btrim(coalesce(note, ''), E' \t\r\n');
begin
  perform private.require_permission('bookings');
  if not exists (select from private.booking b where b.id = add_booking_note.booking) then return false; end if;
  insert into private.booking_note (id, booking_id, note, made_by)
  values (note_id, add_booking_note.booking, v_words, coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000'))
  on conflict (id) do nothing;
  if found then
    perform private.audit(auth.uid(), 'create', 'booking', add_booking_note.booking::text,
      pg_catalog.jsonb_build_object('note', note_id));
    -- Other pages of staff read the booking again.
    perform realtime.send(
      pg_catalog.jsonb_build_object('booking_id', add_booking_note.booking), 'booking', 'staff', true);
  end if;
  return true;
end
$$;
grant execute on function public.add_booking_note(uuid, uuid, text) to authenticated;

-- Records that the customer of a confirmed booking did not come, or takes that back. Returns false if the booking
-- does not exist, is not confirmed or is a test booking, or if `missed` is true and the session has not started.
-- Idempotent. Requires the permission for bookings.
create or replace function public.mark_no_show(booking uuid, missed boolean) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_b private.booking;
  v_actor constant uuid := coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000');
begin
  perform private.require_permission('bookings');
  select x.* into v_b from private.booking x where x.id = mark_no_show.booking for update;
  if v_b.id is null or v_b.status <> 'confirmed' or v_b.notes is not distinct from 'test' or missed is null then
    return false;
  end if;
  if missed and v_b.start_time > pg_catalog.now() then return false; end if;
  if missed = (v_b.no_show_at is not null) then return true; end if;
  update private.booking x set
    no_show_at = case when missed then pg_catalog.now() end, no_show_by = case when missed then v_actor end
  where x.id = v_b.id;
  perform private.audit(auth.uid(), 'update', 'booking', v_b.id::text,
    pg_catalog.jsonb_build_object(
      'before', pg_catalog.jsonb_build_object('noShow', not missed),
      'after', pg_catalog.jsonb_build_object('noShow', missed)));
  perform realtime.send(pg_catalog.jsonb_build_object('booking_id', v_b.id), 'booking', 'staff', true);
  return true;
end
$$;
grant execute on function public.mark_no_show(uuid, boolean) to authenticated;
