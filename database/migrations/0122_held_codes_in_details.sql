-- Adds codeHeld to the booking panel: whether the code waits because a payment is disputed.
create or replace function public.booking_details(reference text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  v_identity constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('identity');
  v_details constant jsonb := private.booking_details(booking_details.reference);
begin
  return v_details
    || pg_catalog.jsonb_build_object('mayReadId', v_identity, 'codeHeld', exists (select from private.code_hold((v_details ->> 'id')::uuid)))
    || case when v_identity then '{}' else '{"verification": null}' end::jsonb;
end
$$;
