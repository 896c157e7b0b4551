-- Events that pages receive at once. All pages receive taken and freed hours. The pages of an account receive changes
-- of its own bookings, payments, ID checks and codes, and the pages of staff changes of all bookings. An event has
-- only the ids and states of what changed; the page then reads the content with its own rights.

-- Publishes a change of a studio's hours to all pages, with what the view public.bookings shows a guest and nothing
-- else. `p_status` is the status of the booking, 'closed' for closed hours, or 'cancelled' for freed hours.
create or replace function private.publish_hours(
  p_studio uuid, p_start timestamptz, p_end timestamptz, p_status text
)
returns void language sql security definer set search_path = '' as $$
  select realtime.send(
    jsonb_build_object('studio_id', p_studio, 'start_time', p_start, 'end_time', p_end, 'status', p_status),
    'hours', 'studio:' || p_studio, false
  )
$$;

-- Publishes an event to the pages of an account. Does nothing if `p_user` is null.
create or replace function private.publish_to_account(p_user uuid, p_event text, p_payload jsonb) returns void
language sql security definer set search_path = '' as $$
  select realtime.send(p_payload, p_event, 'user:' || p_user, true) where p_user is not null
$$;

-- Publishes a new booking, and each change of its hours or status. The hold of a waiting move has no account, so its
-- event goes to the account of the booking that moves.
create or replace function private.publish_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_about private.booking := new;
begin
  if tg_op = 'UPDATE' and (old.studio_id, old.start_time, old.end_time)
      is distinct from (new.studio_id, new.start_time, new.end_time) then
    perform private.publish_hours(old.studio_id, old.start_time, old.end_time, 'cancelled');
  end if;
  if tg_op = 'INSERT' or (old.studio_id, old.start_time, old.end_time, old.status)
      is distinct from (new.studio_id, new.start_time, new.end_time, new.status) then
    perform private.publish_hours(new.studio_id, new.start_time, new.end_time, new.status);
    if new.moves_booking is not null then
      select b.* into v_about from private.booking b where b.id = new.moves_booking;
    end if;
    perform private.publish_to_account(v_about.user_id, 'booking',
      jsonb_build_object('booking_id', v_about.id, 'status', v_about.status));
    perform realtime.send(jsonb_build_object('booking_id', new.id, 'status', new.status), 'booking', 'staff', true);
  end if;
  return null;
end
$$;

create trigger publish_booking after insert or update on private.booking for each row
  execute function private.publish_booking();

-- Publishes a payment to the account of its booking when its state or its refunded amount changes. A partial refund
-- changes only the amount: the payment stays paid.
create or replace function private.publish_payment() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or (old.state, old.refunded_cents) is distinct from (new.state, new.refunded_cents) then
    perform private.publish_to_account(coalesce(k.user_id, b.user_id), 'payment',
      jsonb_build_object('booking_id', coalesce(k.id, b.id)))
    from private.booking b left join private.booking k on k.id = b.moves_booking where b.id = new.booking_id;
  end if;
  return null;
end
$$;

create trigger publish_payment after insert or update on private.payment for each row
  execute function private.publish_payment();

-- Publishes each step of an ID check to its account.
create or replace function private.publish_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(new.user_id, 'verification', '{}');
  return null;
end
$$;

create trigger publish_verification after insert or update on public.id_verifications for each row
  execute function private.publish_verification();

-- Publishes each step of an access code to the account of the booking and to staff, whose pages show its progress.
create or replace function private.publish_access_code() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(b.user_id, 'access', jsonb_build_object('booking_id', b.id))
  from private.booking b where b.id = new.booking_id;
  perform realtime.send(jsonb_build_object('booking_id', new.booking_id), 'access', 'staff', true);
  return null;
end
$$;

create trigger publish_access_code after insert or update on public.booking_access_codes for each row
  execute function private.publish_access_code();
