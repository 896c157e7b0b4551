-- The new hours of the caller's bookings that wait for a payment. Money is cents.
create function public.waiting_moves() returns table (
  booking_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, cents integer, until timestamptz
)
language sql stable security definer set search_path = '' as $$
  select h.moves_booking, h.studio_name, h.start_time, h.end_time, h.final_cost_cents, h.hold_expires_at
  from private.booking b join private.booking h on h.moves_booking = b.id
  where b.user_id = auth.uid() and b.status = 'confirmed' and b.end_time > pg_catalog.now() and h.status = 'pending'
    and h.hold_expires_at > pg_catalog.now()
  order by h.start_time
  limit 100
$$;
revoke execute on function public.waiting_moves() from public, anon;
grant execute on function public.waiting_moves() to authenticated;
