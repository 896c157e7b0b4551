-- New hours that wait for a payment are live for the customer too: their hold has no account of its own, so the account of the booking that moves
-- is told.

create or replace function private.publish_booking() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  about private.booking := new;
begin
  if tg_op = 'UPDATE' and (old.studio_id, old.start_time, old.end_time) is distinct from (new.studio_id, new.start_time, new.end_time) then
    perform private.publish_hours(old.studio_id, old.start_time, old.end_time, 'cancelled');
  end if;
  if tg_op = 'INSERT' or (old.studio_id, old.start_time, old.end_time, old.status)
      is distinct from (new.studio_id, new.start_time, new.end_time, new.status) then
    perform private.publish_hours(new.studio_id, new.start_time, new.end_time, new.status);
    if new.moves_booking is not null then
      select b.* into about from private.booking b where b.id = new.moves_booking;
    end if;
    perform private.publish_to_account(about.user_id, 'booking', jsonb_build_object('booking_id', about.id, 'status', about.status));
    perform realtime.send(jsonb_build_object('booking_id', new.id, 'status', new.status), 'booking', 'staff', true);
  end if;
  return null;
end
$$;

create or replace function private.publish_payment() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or old.state is distinct from new.state then
    perform private.publish_to_account(coalesce(k.user_id, b.user_id), 'payment', jsonb_build_object('booking_id', coalesce(k.id, b.id)))
    from private.booking b left join private.booking k on k.id = b.moves_booking where b.id = new.booking_id;
  end if;
  return null;
end
$$;
