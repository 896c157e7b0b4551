-- As in 0009, and the grid of a guest also has bookings whose account is gone: null is nobody's, not the guest's.
create or replace view public.bookings as
select b.id, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.total_hours,
  (b.base_cost_cents / 100.0)::numeric(10, 2) as base_cost,
  ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2) as discount_amount,
  (b.coupon_discount_cents / 100.0)::numeric(10, 2) as coupon_discount,
  (b.final_cost_cents / 100.0)::numeric(10, 2) as final_cost,
  b.id_verification_id, b.notes, b.guest_email, b.reference, b.cancel_reason, b.hold_expires_at, b.slots, b.created_at, b.confirmed_at, b.cancelled_at
from private.booking b
where b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role'
union all
select null, null, b.studio_id, null, b.start_time, b.end_time, b.status, null,
  null, null, null, null,
  null, null, null, null, null, null, null, null, null, null
from private.booking b
where (b.user_id = (select auth.uid())) is not true and not (select public.is_staff()) and (select auth.role()) is distinct from 'service_role';
