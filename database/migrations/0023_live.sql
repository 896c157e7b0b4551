-- Events that pages receive at once: taken and freed hours for everybody, an account's own bookings, payments, ID checks and codes, and all
-- bookings for staff. An event says what changed, never its new content: a page reads that again with its own rights.

-- Hours of a studio, for everybody: what the view public.bookings shows a guest and nothing else.
create function private.publish_hours(p_studio uuid, p_start timestamptz, p_end timestamptz, p_status text) returns void
  language sql security definer set search_path = '' as $$
  select realtime.send(
    jsonb_build_object('studio_id', p_studio, 'start_time', p_start, 'end_time', p_end, 'status', p_status),
    'hours', 'studio:' || p_studio, false
  )
$$;

create function private.publish_to_account(p_user uuid, p_event text, p_payload jsonb) returns void
  language sql security definer set search_path = '' as $$
  select realtime.send(p_payload, p_event, 'user:' || p_user, true) where p_user is not null
$$;

create function private.publish_booking() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (old.studio_id, old.start_time, old.end_time) is distinct from (new.studio_id, new.start_time, new.end_time) then
    perform private.publish_hours(old.studio_id, old.start_time, old.end_time, 'cancelled');
  end if;
  if tg_op = 'INSERT' or (old.studio_id, old.start_time, old.end_time, old.status)
      is distinct from (new.studio_id, new.start_time, new.end_time, new.status) then
    perform private.publish_hours(new.studio_id, new.start_time, new.end_time, new.status);
    perform private.publish_to_account(new.user_id, 'booking', jsonb_build_object('booking_id', new.id, 'status', new.status));
    perform realtime.send(jsonb_build_object('booking_id', new.id, 'status', new.status), 'booking', 'staff', true);
  end if;
  return null;
end
$$;
create trigger publish_booking after insert or update on private.booking for each row execute function private.publish_booking();

create function private.publish_payment() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or old.state is distinct from new.state then
    perform private.publish_to_account(b.user_id, 'payment', jsonb_build_object('booking_id', b.id))
    from private.booking b where b.id = new.booking_id;
  end if;
  return null;
end
$$;
create trigger publish_payment after insert or update on private.payment for each row execute function private.publish_payment();

create function private.publish_verification() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(new.user_id, 'verification', '{}');
  return null;
end
$$;
create trigger publish_verification after insert or update on public.id_verifications for each row
  execute function private.publish_verification();

create function private.publish_access_code() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(b.user_id, 'access', jsonb_build_object('booking_id', b.id))
  from private.booking b where b.id = new.booking_id;
  return null;
end
$$;
create trigger publish_access_code after insert or update on public.booking_access_codes for each row
  execute function private.publish_access_code();

-- Whether somebody is staff decides about the channel of all bookings.
create function private.recheck_role() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.recheck_rights(coalesce(new.user_id, old.user_id));
  return null;
end
$$;
create trigger recheck_role after insert or update or delete on public.user_roles for each row execute function private.recheck_role();
revoke execute on function private.publish_hours(uuid, timestamptz, timestamptz, text), private.publish_to_account(uuid, text, jsonb),
  private.publish_booking(), private.publish_payment(), private.publish_verification(), private.publish_access_code(),
  private.recheck_role() from public;

create policy own_events on realtime.messages for select to authenticated
  using ((select realtime.topic()) = 'user:' || (select auth.uid())::text);
create policy staff_events on realtime.messages for select to authenticated
  using ((select realtime.topic()) = 'staff' and (select public.is_staff()));
