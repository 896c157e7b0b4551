-- Columns that a caller may not see answer no question. `public.bookings` applied the caller's filters before it asked whose row it is:
-- `contact_phone=like.+614%\` failed where the prefix fitted (a pattern must not end in a backslash) and answered an empty list elsewhere.

-- The rows that a caller sees whole. As a security barrier it lets only leakproof operators (=, <>, <, > of uuid, timestamptz, text)
-- run before its own test, so look-ups by id, time or reference still use their indexes. It has to be a view of its own:
-- PostgreSQL ignores the option on a view that is a `union all`, since it takes such a view apart into its branches.
-- The first condition holds no column: for a guest this branch ends before any row is read.
create view private.visible_booking with (security_barrier = true) as
select b.*
from private.booking b
where (select auth.uid() is not null or auth.role() is not distinct from 'service_role')
  and (b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role');
alter view private.visible_booking owner to booking_reader;
revoke all on private.visible_booking from public, backend;

-- As in 0042, with the first branch behind the barrier. The second names no column that is hidden, so filters may run in it in any order.
create or replace view public.bookings as
select b.id, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.total_hours,
  (b.base_cost_cents / 100.0)::numeric(10, 2) as base_cost,
  ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2) as discount_amount,
  (b.coupon_discount_cents / 100.0)::numeric(10, 2) as coupon_discount,
  (b.final_cost_cents / 100.0)::numeric(10, 2) as final_cost,
  b.id_verification_id, b.notes, b.guest_email, b.reference, b.cancel_reason, b.hold_expires_at, b.slots, b.created_at, b.confirmed_at, b.cancelled_at,
  b.contact_phone
from private.visible_booking b
union all
select null, null, b.studio_id, null, b.start_time, b.end_time, b.status, null,
  null, null, null, null,
  null, null, null, null, null, null, null, null, null, null,
  null
from private.booking b
where (b.user_id = (select auth.uid())) is not true
  and (select auth.uid() is null or not public.is_staff()) and (select auth.role()) is distinct from 'service_role';
