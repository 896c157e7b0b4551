-- This replaces the function of 0123. It adds `openLink`: staff can mark a booking as paid while its customer has not paid by the mailed link.
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
        and b.moves_booking is null and b.order_id is null))
    || case when v_identity then '{}' else '{"verification": null}' end::jsonb;
end
$$;
