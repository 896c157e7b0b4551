-- Compares `moving_until` with the time of the cancellation. Both come from the server's clock; the database's clock may differ.

create or replace function private.update_redemption() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.status = 'confirmed' and old.status = 'pending' then
    update private.coupon_redemption set state = 'committed', moving_until = null where booking_id = new.id and state = 'reserved';
  elsif new.status = 'cancelled' and old.status <> 'cancelled' then
    with returned as (
      update private.coupon_redemption set state = 'returned', moving_until = null
      where booking_id = new.id and state <> 'returned' and (moving_until is null or moving_until <= new.cancelled_at)
      returning coupon_id
    )
    update public.discount_codes d set current_uses = d.current_uses - 1 from returned r where d.id = r.coupon_id;
  end if;
  return null;
end
$$;
