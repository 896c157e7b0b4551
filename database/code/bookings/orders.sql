-- Orders: bookings of one account or guest that are held and paid together, such as the hours of a series.

-- Returns the bookings of the order to which a booking belongs, by their place, for staff; no rows for a booking that
-- was made alone. Requires the permission for bookings.
create or replace function public.order_of_booking(reference text)
returns table (
  place smallint, size smallint, booking_id uuid, booking_reference text, studio_name text, start_time timestamptz,
  end_time timestamptz, status text, cents integer
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('bookings');
  return query
    select b.order_place, b.order_size, b.id, b.reference, b.studio_name, b.start_time, b.end_time, b.status,
      b.final_cost_cents
    from private.booking a
    join private.booking b on b.order_id = a.order_id
    where a.reference = order_of_booking.reference
    order by b.order_place;
end
$$;
grant execute on function public.order_of_booking(text) to authenticated;

-- Checks an order at the end of the transaction, and raises 23514 if it is broken: all its bookings exist; either all
-- of them are pending and expire at the same time, or none is pending; and when they are made, they have the same
-- account or guest address, the same maker and the same studio.
create or replace function private.check_order() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_broken boolean;
begin
  select count(*) <> min(b.order_size)
    or bool_or(b.status = 'pending') and (not bool_and(b.status = 'pending') or count(distinct b.hold_expires_at) > 1)
    or tg_op = 'INSERT' and count(distinct row (b.user_id, b.guest_email, b.made_by, b.studio_id)) <> 1
  into v_broken
  from private.booking b where b.order_id = new.order_id;
  if v_broken then
    raise exception 'the bookings of order % are not held together', new.order_id
      using errcode = '23514', constraint = 'booking_order_whole';
  end if;
  return null;
end
$$;

create constraint trigger booking_order_whole after insert or update of status, hold_expires_at on private.booking
  deferrable initially deferred for each row when (new.order_id is not null) execute function private.check_order();

-- Refuses with 23514 to change which bookings an order has, or which payments are its shares.
create or replace function private.freeze_order() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'an order is frozen' using errcode = '23514', constraint = 'order_frozen';
end
$$;

create trigger booking_order_frozen before update on private.booking for each row
  when ((old.order_id, old.order_place, old.order_size)
    is distinct from (new.order_id, new.order_place, new.order_size))
  execute function private.freeze_order();

create trigger payment_share_frozen before update on private.payment for each row
  when (old.share_of is distinct from new.share_of) execute function private.freeze_order();

-- Returns the unpaid holds of a customer among these bookings, with the other holds of their orders.
create or replace function private.own_held_orders(p_user uuid, p_bookings uuid[]) returns uuid[]
language sql stable set search_path = '' as $$
  select case when pg_catalog.cardinality(p_bookings) = 0 then p_bookings else coalesce((
    select pg_catalog.array_agg(b.id) from private.booking b
    where b.user_id = p_user and b.status = 'pending' and coalesce(b.order_id, b.id) in (
      select coalesce(o.order_id, o.id) from private.booking o where o.id = any (p_bookings))), '{}') end
$$;

-- Returns what is in the way of each span of a studio, in their order: 'taken', 'closed', or null if the span is
-- free. `p_spans` is a JSON array of {startTime, endTime}. Expired holds and the customer's own unpaid holds are not
-- in the way, because a new hold replaces them.
create or replace function private.spans_in_the_way(p_studio uuid, p_spans jsonb, p_user uuid, p_now timestamptz)
returns text[] language sql stable set search_path = '' as $$
  select pg_catalog.array_agg(
    case
      when exists (
        select from private.booking b
        where b.studio_id = p_studio and b.status in ('pending', 'confirmed') and b.during && s.during
          and not (b.status = 'pending' and (
            b.hold_expires_at <= p_now
            or b.user_id is not distinct from p_user and p_user is not null
              and not private.payment_is_processing(b.id))))
      then 'taken'
      when exists (select from private.closed_span c where c.studio_id = p_studio and c.during && s.during)
      then 'closed'
    end order by s.place)
  from (
    select
      pg_catalog.tstzrange(
        (x.value ->> 'startTime')::timestamptz, (x.value ->> 'endTime')::timestamptz, '[)') as during,
      x.place
    from pg_catalog.jsonb_array_elements(p_spans) with ordinality x(value, place)) s
$$;
