-- Bookings that customers had paid for when staff blocked them. Each is an alert until staff keep or cancel it.

-- Keeps the confirmed bookings among `p_bookings` whose customers are blocked now, so that their sessions take place.
-- Returns how many were kept. A repeated call records the decision again.
create or replace function private.keep_blocked_bookings(p_bookings uuid[], p_actor uuid) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_booking uuid;
  v_count integer := 0;
begin
  for v_booking in
    update private.booking b set kept_in_block = c.blocked_at from private.customer_block c
    where b.id = any (p_bookings) and b.status = 'confirmed' and c.user_id = b.user_id
      and private.is_blocked(b.user_id, pg_catalog.now())
    returning b.id
  loop
    v_count := v_count + 1;
    perform private.audit(p_actor, 'update', 'booking', v_booking::text,
      pg_catalog.jsonb_build_object('after', pg_catalog.jsonb_build_object('keptThoughBlocked', true)));
    perform realtime.send(pg_catalog.jsonb_build_object('booking_id', v_booking), 'booking', 'staff', true);
  end loop;
  return v_count;
end
$$;

-- Allows the session of a blocked customer. Returns false if the booking is not confirmed or its customer is not
-- blocked. Requires the permission for bookings.
create or replace function public.keep_blocked_booking(booking uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_permission('bookings');
  return private.keep_blocked_bookings(array[keep_blocked_booking.booking], auth.uid()) > 0;
end
$$;
grant execute on function public.keep_blocked_booking(uuid) to authenticated;
