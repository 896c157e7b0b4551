-- Locks a booking until the transaction ends, and returns it as private.booking_json(); null if it does not exist.
-- For the hold of a waiting move, it first locks the booking that moves, as a move does, and waits for the other
-- moves: otherwise two bookings that move into each other's hours would deadlock.
create or replace function private.lock_booking(p_booking uuid) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_moves constant uuid := (select b.moves_booking from private.booking b where b.id = p_booking);
  v_locked private.booking;
begin
  if v_moves is not null then
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('booking-move', 0));
    perform from private.booking b where b.id = v_moves for update;
  end if;
  select b.* into v_locked from private.booking b where b.id = p_booking for update;
  return case when v_locked.id is not null then private.booking_json(v_locked) end;
end
$$;

-- Locks a booking until the transaction ends, with all bookings of its order by their place. Returns them in this
-- order as an array of private.booking_json(); an empty array if the booking does not exist.
create or replace function private.lock_order(p_booking uuid) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_order constant uuid := (select b.order_id from private.booking b where b.id = p_booking);
begin
  if v_order is null then
    return coalesce('[]'::jsonb || private.lock_booking(p_booking), '[]');
  end if;
  perform from private.booking b where b.order_id = v_order order by b.order_place for update;
  return (
    select pg_catalog.jsonb_agg(private.booking_json(b) order by b.order_place)
    from private.booking b where b.order_id = v_order);
end
$$;
