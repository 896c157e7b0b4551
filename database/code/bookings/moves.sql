-- Pending moves: a hold keeps the new hours of a booking until the customer has paid the difference.

-- Returns the new hours that wait for a payment by the caller, for at most 100 bookings that are not over, earliest
-- first. `cents` is the difference to pay.
create or replace function public.waiting_moves()
returns table (
  booking_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, cents integer, until timestamptz
)
language sql stable security definer set search_path = '' as $$
  select h.moves_booking, h.studio_name, h.start_time, h.end_time, h.final_cost_cents, h.hold_expires_at
  from private.booking b
  join private.booking h on h.moves_booking = b.id
  where b.user_id = auth.uid() and b.status = 'confirmed' and b.end_time > pg_catalog.now() and h.status = 'pending'
    and h.hold_expires_at > pg_catalog.now()
  order by h.start_time
  limit 100
$$;
grant execute on function public.waiting_moves() to authenticated;

-- Lets the hold of a waiting move expire when its booking is cancelled or has moved elsewhere. The task that releases
-- expired holds closes the payment session before it releases the hold. A hold whose payment is processing stays.
create or replace function private.end_move_holds() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update private.booking b set hold_expires_at = least(b.hold_expires_at, coalesce(new.cancelled_at, (
    select m.created_at from private.booking_move m where m.booking_id = new.id and m.number = new.moves)))
  where b.moves_booking = new.id and b.status = 'pending' and not private.payment_is_processing(b.id);
  return null;
end
$$;

create trigger end_move_holds after update on private.booking for each row
  when (old.status = 'confirmed' and (new.status = 'cancelled' or new.moves <> old.moves))
  execute function private.end_move_holds();
