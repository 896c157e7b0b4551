-- Staff book the same hours of several weeks as one order, also for guests.

-- This replaces the function of 0090. An order may be of a guest: all its bookings are of the same account or address, and made by the same person.
create or replace function private.check_order() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  broken boolean;
begin
  select count(*) <> min(b.order_size)
    or bool_or(b.status = 'pending') and (not bool_and(b.status = 'pending') or count(distinct b.hold_expires_at) > 1)
    or tg_op = 'INSERT' and count(distinct row (b.user_id, b.guest_email, b.made_by, b.studio_id)) <> 1
  into broken
  from private.booking b where b.order_id = new.order_id;
  if broken then
    raise exception 'the bookings of order % are not held together', new.order_id using errcode = '23514', constraint = 'booking_order_whole';
  end if;
  return null;
end
$$;

-- This replaces the function of 0131. An order that staff made with a link can be marked as paid too. It adds `heldTogether`: the unpaid bookings of the order,
-- which end or are confirmed together, and their price; null when there are none.
create or replace function public.booking_details(reference text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  v_identity constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('identity');
  v_details constant jsonb := private.booking_details(booking_details.reference);
begin
  return v_details
    || pg_catalog.jsonb_build_object(
      'mayReadId', v_identity,
      'codeHeld', exists (select from private.code_hold((v_details ->> 'id')::uuid)),
      'openLink', exists (select from private.booking b where b.id = (v_details ->> 'id')::uuid and b.status = 'pending' and b.made_by is not null
        and b.moves_booking is null),
      'heldTogether', (
        select pg_catalog.jsonb_build_object('bookings', count(*), 'cents', sum(o.final_cost_cents))
        from private.booking o join private.booking b on b.order_id = o.order_id
        where b.id = (v_details ->> 'id')::uuid and o.status = 'pending' having count(*) > 0))
    || case when v_identity then '{}' else '{"verification": null}' end::jsonb;
end
$$;
