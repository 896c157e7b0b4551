-- Rules for changes of private.booking, and views that decide which columns a caller can read.

-- Raises 23514 if an inserted booking is not pending. Only test bookings of staff start as confirmed.
create or replace function private.booking_starts_pending() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.status <> 'pending' and new.notes is distinct from 'test' then
    raise exception 'a booking starts as pending' using errcode = '23514', constraint = 'booking_starts_pending';
  end if;
  return new;
end
$$;

create trigger booking_starts_pending before insert on private.booking for each row
  execute function private.booking_starts_pending();

-- Checks an update of a booking, and raises 23514 if it breaks a rule:
--   booking_transition     A pending booking becomes confirmed or cancelled, and a confirmed one cancelled. A cancelled
--                          booking becomes confirmed only when staff undo the cancellation.
--   booking_quote_frozen   Hours, price, start of the terms and owed amount change only with a move of a confirmed
--                          booking. The move has a row in private.booking_move with exactly these hours and this price.
--   booking_move_is_paid   If a move raises the price, a payment of exactly the difference is paid, unless staff
--                          undo a move and the booking gets its earlier price back.
-- Sets `confirmed_at` and `cancelled_at`.
create or replace function private.booking_transition() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.status <> new.status and not (
    (old.status, new.status) = ('cancelled', 'confirmed') and exists (
      select from private.undo u
      where u.booking_id = new.id and u.kind = 'cancel' and u.undone_at is not null and u.created_at = old.cancelled_at)
  ) and (old.status, new.status) not in (
    ('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'cancelled')) then
    raise exception 'a % booking cannot become %', old.status, new.status
      using errcode = '23514', constraint = 'booking_transition';
  end if;
  if (new.moves_booking, new.move_number) is distinct from (old.moves_booking, old.move_number) or (
      (new.studio_id, new.start_time, new.end_time, new.base_cost_cents, new.discount_cents,
        new.coupon_discount_cents, new.waived_cents, new.final_cost_cents, new.total_hours, new.moves,
        new.terms_start, new.owed_cents)
      is distinct from
      (old.studio_id, old.start_time, old.end_time, old.base_cost_cents, old.discount_cents,
        old.coupon_discount_cents, old.waived_cents, old.final_cost_cents, old.total_hours, old.moves,
        old.terms_start, old.owed_cents)
      and not (old.status = 'confirmed' and new.status = 'confirmed' and new.moves = old.moves + 1 and exists (
        select from private.booking_move m
        where m.booking_id = new.id and m.number = new.moves
          and (m.from_studio_id, m.from_start_time, m.from_end_time) = (old.studio_id, old.start_time, old.end_time)
          and (m.studio_id, m.start_time, m.end_time, m.final_cost_cents)
            = (new.studio_id, new.start_time, new.end_time, new.final_cost_cents)))) then
    raise exception 'the quote of a booking is frozen' using errcode = '23514', constraint = 'booking_quote_frozen';
  end if;
  -- What is owed back to the customer (a negative `owed_cents`) is money that the customer has already paid.
  if new.final_cost_cents - least(new.owed_cents, 0) > old.final_cost_cents - least(old.owed_cents, 0)
    and not exists (
      select from private.payment p
      where p.booking_id = new.id and p.move_number = new.moves and p.state = 'paid'
        and p.amount_cents
          = new.final_cost_cents - least(new.owed_cents, 0) - old.final_cost_cents + least(old.owed_cents, 0))
    and not exists (
      select from private.undo u
      where u.booking_id = new.id and u.kind = 'move' and u.undone_at is not null and u.move_number = old.moves
        and (u.before ->> 'finalCostCents')::integer = new.final_cost_cents) then
    raise exception 'the difference of a move is not paid' using errcode = '23514', constraint = 'booking_move_is_paid';
  end if;
  if new.status = 'confirmed' and old.status = 'pending' then
    new.confirmed_at := coalesce(new.confirmed_at, clock_timestamp());
  end if;
  if new.status = 'cancelled' and old.status <> 'cancelled' then
    new.cancelled_at := coalesce(new.cancelled_at, clock_timestamp());
  end if;
  return new;
end
$$;

create trigger booking_transition before update on private.booking for each row
  execute function private.booking_transition();

create trigger booking_updated_at before update on private.booking for each row
  execute function private.set_updated_at();

-- Deletes the phone number of a booking when its account is deleted, because it is personal. What was booked and paid
-- stays.
create or replace function private.clear_contact_phone() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.contact_phone := null;
  return new;
end
$$;

create trigger booking_clear_contact_phone before update of user_id on private.booking for each row
  when (new.user_id is null) execute function private.clear_contact_phone();

-- Returns a random reference of the form XXXX-XXXX. It has no 0, O, 1, I or L, so that it can be read out over a bad
-- line.
create or replace function private.new_reference() returns text language plpgsql volatile set search_path = '' as $$
declare
  v_letters constant text := '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
  v_bytes constant bytea := extensions.gen_random_bytes(8);
  v_made text := '';
begin
  for i in 0..7 loop
    v_made := v_made || pg_catalog.substr(v_letters, 1 + pg_catalog.get_byte(v_bytes, i) % 31, 1)
      || case i when 3 then '-' else '' end;
  end loop;
  return v_made;
end
$$;

-- A booking as the server reads it: `BookingFacts` in server/operations/core/booking-rows.ts. Amounts are in cents.
create or replace function private.booking_json(b private.booking) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'id', b.id, 'reference', b.reference, 'userId', b.user_id, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason,
    'holdExpiresAt', b.hold_expires_at, 'totalHours', b.total_hours, 'slots', b.slots,
    'baseCostCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponDiscountCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents,
    'finalCostCents', b.final_cost_cents, 'moves', b.moves, 'guestEmail', b.guest_email, 'guestName', b.guest_name,
    'madeBy', b.made_by, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at,
    'movesBooking', b.moves_booking, 'moveNumber', b.move_number, 'orderId', b.order_id, 'orderPlace', b.order_place,
    'orderSize', b.order_size, 'termsStart', coalesce(b.terms_start, b.start_time), 'owedCents', b.owed_cents)
$$;

-- The booking columns shown on both the customer's page and the staff panel, as JSON. Amounts are in cents.
-- `bookingFields` in web/data/bookings/booking-fields.ts reads them.
create or replace function private.booking_columns(b private.booking) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason,
    'holdExpiresAt', b.hold_expires_at, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at,
    'cancelledAt', b.cancelled_at, 'freeCancelHours', (b.policy ->> 'freeCancelHours')::numeric,
    'termsStart', coalesce(b.terms_start, b.start_time), 'owedCents', b.owed_cents, 'totalHours', b.total_hours,
    'baseCents', b.base_cost_cents, 'discountCents', b.discount_cents, 'couponCode', b.coupon_terms ->> 'code',
    'couponCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCents', b.final_cost_cents)
$$;

-- The bookings that the caller may read with all columns. Customers see their own bookings; staff and the service key
-- see all. Staff see the names, addresses and phone numbers of customers only with the permission for bookings.
--
-- This view is separate from public.bookings because PostgreSQL ignores the security barrier of a view that is a
-- `union all`. With the barrier, only leakproof operators (=, <>, < and > of uuid, timestamptz and text) run before
-- the condition of the view, so a filter on a hidden column cannot reveal it by failing. The first part of the
-- condition uses no column, so the view reads no row for a guest.
create or replace view private.visible_booking with (security_barrier = true) as
select b.id, b.reference, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.during, b.status,
  b.cancel_reason, b.hold_expires_at, b.total_hours, b.slots, b.base_cost_cents, b.discount_cents, b.coupon_id,
  b.coupon_discount_cents, b.final_cost_cents, b.id_verification_id, b.terms_version, b.notes,
  case
    when b.user_id = (select auth.uid()) or (select public.has_permission('bookings'))
      or (select auth.role()) = 'service_role'
    then b.guest_email end as guest_email,
  b.policy, b.created_at, b.updated_at, b.confirmed_at, b.cancelled_at,
  case
    when b.user_id = (select auth.uid()) or (select public.has_permission('bookings'))
      or (select auth.role()) = 'service_role'
    then b.contact_phone end as contact_phone,
  case
    when b.user_id = (select auth.uid()) or (select public.has_permission('bookings'))
      or (select auth.role()) = 'service_role'
    then b.guest_name end as guest_name,
  b.waived_cents
from private.booking b
where (select auth.uid() is not null or auth.role() is not distinct from 'service_role')
  and (b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role');
alter view private.visible_booking owner to booking_reader;
revoke all on private.visible_booking from backend;

-- All bookings: those that the caller may read with all columns, and only studio, hours and status of all others.
-- Amounts are in dollars; `discount_amount` is the sum of the volume discount, the coupon discount and the amount that
-- staff waived.
create or replace view public.bookings as
select b.id, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.total_hours,
  (b.base_cost_cents / 100.0)::numeric(10, 2) as base_cost,
  ((b.discount_cents + b.coupon_discount_cents + b.waived_cents) / 100.0)::numeric(10, 2) as discount_amount,
  (b.coupon_discount_cents / 100.0)::numeric(10, 2) as coupon_discount,
  (b.final_cost_cents / 100.0)::numeric(10, 2) as final_cost,
  b.id_verification_id, b.notes, b.guest_email, b.reference, b.cancel_reason, b.hold_expires_at, b.slots,
  b.created_at, b.confirmed_at, b.cancelled_at, b.contact_phone, b.guest_name
from private.visible_booking b
union all
select null, null, b.studio_id, null, b.start_time, b.end_time, b.status, null,
  null, null, null, null,
  null, null, null, null, null, null, null, null, null, null,
  null, null
from private.booking b
where (b.user_id = (select auth.uid())) is not true
  and (select auth.uid() is null or not public.is_staff()) and (select auth.role()) is distinct from 'service_role';
alter view public.bookings owner to booking_reader;
grant select on public.bookings to anon;
grant insert, select, update on public.bookings to authenticated;
-- The API may keep one plan for reads by studio and start, and give all guests the same rows.
insert into rest.kept_plan values ('public.bookings', '{studio_id,start_time}') on conflict do nothing;
insert into rest.shared_read values ('public.bookings') on conflict do nothing;
