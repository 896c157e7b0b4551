-- Returns the money that disputes moved from `p_from` to before `p_until`, in cents: negative when the customer's
-- bank took it, positive when it came back. Inquiries (warning_…) and disputes that the provider prevented moved no
-- money. The dispute of an order is listed with the first of the order's bookings.
create or replace function private.dispute_money(p_from timestamptz, p_until timestamptz)
returns table (id text, dispute_id text, payment_id uuid, booking_id uuid, at timestamptz, cents integer)
language sql stable set search_path = '' as $$
  select x.id, x.dispute_id, x.payment_id, p.booking_id, x.at, x.cents
  from (
    select d.id, d.id as dispute_id, d.payment_id, d.opened_at as at, -d.amount_cents as cents, d.provider_status
    from private.dispute d
    where d.opened_at >= p_from and d.opened_at < p_until
    union all
    select d.id || '+', d.id, d.payment_id, d.won_at, d.amount_cents, d.provider_status
    from private.dispute d
    where d.won_at >= p_from and d.won_at < p_until
  ) x
  join private.payment p on p.id = x.payment_id
  where x.provider_status not like 'warning\_%' and x.provider_status <> 'prevented'
$$;

create trigger dispute_updated_at before update on private.dispute
  for each row execute function private.set_updated_at();

-- Publishes the event `disputes` to staff after every change, so that their pages reload the disputes.
create or replace function private.publish_dispute()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'disputes', 'staff', true);
  return null;
end
$$;

create trigger publish_dispute after insert or update on private.dispute
  for each row execute function private.publish_dispute();
