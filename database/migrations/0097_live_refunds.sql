-- A part of a payment that went back is live too: the payment stays paid, so its state alone does not tell.
create or replace function private.publish_payment() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or (old.state, old.refunded_cents) is distinct from (new.state, new.refunded_cents) then
    perform private.publish_to_account(coalesce(k.user_id, b.user_id), 'payment', jsonb_build_object('booking_id', coalesce(k.id, b.id)))
    from private.booking b left join private.booking k on k.id = b.moves_booking where b.id = new.booking_id;
  end if;
  return null;
end
$$;
