-- Unpaid bookings of an account, which the limits of holds count.

-- Returns how many unpaid room-hours an account may hold in addition to those it holds (`fit`), the most it may hold
-- in total (`most`), and the most in one booking (`most_of_booking`). All unpaid hours count: holds, each booking of
-- a series, early holds, holds of waiting moves, and claims of the wait list. These do not count: the bookings in
-- `p_except`, which the caller replaces; bookings that staff made, such as links to pay; test bookings of staff; and
-- bookings whose payment is processing. The caller must have the advisory lock 'hold:<account>', so that two requests
-- count each other's hours.
create or replace function private.unpaid_allowance(
  p_user uuid, p_now timestamptz, p_except uuid[], out fit numeric, out most numeric, out most_of_booking numeric
)
language plpgsql stable set search_path = '' as $$
declare
  v_s constant json := private.booking_settings();
  v_factor constant numeric := coalesce(
    (select (x.value #>> '{}')::numeric from private.settings x where x.name = 'limit_factor'), 1);
begin
  most := (v_s ->> 'maxUnpaidHours')::numeric * v_factor;
  most_of_booking := (v_s ->> 'maxUnpaidHoursOfBooking')::numeric * v_factor;
  select greatest(0, most - coalesce(pg_catalog.sum(b.total_hours), 0)) into fit
  from (
    select b.* from private.booking b where b.user_id = p_user and b.status = 'pending'
    union all
    select b.* from private.booking b join private.booking m on m.id = b.moves_booking
    where m.user_id = p_user and b.moves_booking is not null and b.status = 'pending') b
  where b.hold_expires_at > p_now and b.made_by is null and b.notes is distinct from 'test'
    and not b.id = any (p_except) and not private.payment_is_processing(b.id);
end
$$;

-- Returns the bookings that count as unpaid holds of a customer: those that are pending, and those made in the last
-- hour that were released, cancelled or replaced. An order counts as one. These do not count: bookings that were ever
-- confirmed, whose payment failed or is processing, or that staff made, and test bookings; claims, for which the
-- customer has not tried to pay; and early holds, which have their own limits.
create or replace function private.unpaid_holds(p_user uuid, p_now timestamptz) returns setof private.booking
language sql stable set search_path = '' as $$
  select b.* from private.booking b
  where b.user_id = p_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test'
    and b.made_by is null and b.waitlist_entry_id is null and not b.early
    and (b.order_id is null or b.order_id = b.id)
    and (b.status = 'pending' or b.created_at > p_now - interval '1 hour')
    and b.cancel_reason is distinct from 'payment_failed' and not private.payment_is_processing(b.id)
$$;
