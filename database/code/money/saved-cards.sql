-- Records that the provider is being asked to take the money of an attempt from its saved card. Returns false if the
-- attempt is being replaced or has ended; then the provider must not be asked.
create or replace function private.begin_card_payment(p_payment uuid, p_now timestamptz)
returns boolean language sql volatile set search_path = '' as $$
  with begun as (
    update private.payment x
    set card_at = p_now
    from private.booking b
    where x.id = p_payment and b.id = x.booking_id and b.status = 'pending'
      and x.state = 'intent' and x.session_id is null and x.card is not null
      and (x.replaced_until is null or x.replaced_until <= p_now)
    returning 1
  )
  select exists (select from begun)
$$;

-- Queues the job that deletes the customer and the saved cards at the provider when an account ends, however it ends.
create or replace function private.forget_provider_customer()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
  values ('payment.forget-customer', old.user_id, old.customer_id,
    pg_catalog.jsonb_build_object('customerId', old.customer_id), pg_catalog.clock_timestamp())
  on conflict do nothing;
  return null;
end
$$;

create trigger provider_customer_forgotten after delete on private.provider_customer
  for each row execute function private.forget_provider_customer();
