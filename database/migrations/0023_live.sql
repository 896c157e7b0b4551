-- What pages hear at once: taken and freed hours for everybody, an account's own bookings, payments, ID checks and codes, and all bookings
-- for staff. The messages say what changed, never what it holds: a page reads it again with its own rights.

-- Hours of a studio, for everybody: what the view public.bookings shows a guest and nothing else.
create function private.tell_hours(p_studio uuid, p_start timestamptz, p_end timestamptz, p_status text) returns void
  language sql security definer set search_path = '' as $$
  select realtime.send(
    jsonb_build_object('studio_id', p_studio, 'start_time', p_start, 'end_time', p_end, 'status', p_status),
    'hours', 'studio:' || p_studio, false
  )
$$;

create function private.tell_account(p_user uuid, p_event text, p_payload jsonb) returns void
  language sql security definer set search_path = '' as $$
  select realtime.send(p_payload, p_event, 'user:' || p_user, true) where p_user is not null
$$;

create function private.booking_live() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (old.studio_id, old.start_time, old.end_time) is distinct from (new.studio_id, new.start_time, new.end_time) then
    perform private.tell_hours(old.studio_id, old.start_time, old.end_time, 'cancelled');
  end if;
  if tg_op = 'INSERT' or (old.studio_id, old.start_time, old.end_time, old.status)
      is distinct from (new.studio_id, new.start_time, new.end_time, new.status) then
    perform private.tell_hours(new.studio_id, new.start_time, new.end_time, new.status);
    perform private.tell_account(new.user_id, 'booking', jsonb_build_object('booking_id', new.id, 'status', new.status));
    perform realtime.send(jsonb_build_object('booking_id', new.id, 'status', new.status), 'booking', 'staff', true);
  end if;
  return null;
end
$$;
create trigger booking_live after insert or update on private.booking for each row execute function private.booking_live();

create function private.payment_live() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or old.state is distinct from new.state then
    perform private.tell_account(b.user_id, 'payment', jsonb_build_object('booking_id', b.id))
    from private.booking b where b.id = new.booking_id;
  end if;
  return null;
end
$$;
create trigger payment_live after insert or update on private.payment for each row execute function private.payment_live();

create function private.verification_live() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.tell_account(new.user_id, 'verification', '{}');
  return null;
end
$$;
create trigger verification_live after insert or update on public.id_verifications for each row
  execute function private.verification_live();

create function private.access_code_live() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.tell_account(b.user_id, 'access', jsonb_build_object('booking_id', b.id))
  from private.booking b where b.id = new.booking_id;
  return null;
end
$$;
create trigger access_code_live after insert or update on public.booking_access_codes for each row
  execute function private.access_code_live();
revoke execute on function private.tell_hours(uuid, timestamptz, timestamptz, text), private.tell_account(uuid, text, jsonb),
  private.booking_live(), private.payment_live(), private.verification_live(), private.access_code_live() from public;

create policy own_events on realtime.messages for select to authenticated
  using ((select realtime.topic()) = 'user:' || (select auth.uid())::text);
create policy staff_events on realtime.messages for select to authenticated
  using ((select realtime.topic()) = 'staff' and (select public.is_staff()));
