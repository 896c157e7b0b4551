-- Allows only the known transitions of a payment's state and freezes what the payment is for, with two exceptions: the
-- payment of a hold for a move becomes one of the booking that moves when it is paid, and a refund that has not begun
-- ends when staff undo the cancellation. Raises 23514.
create or replace function private.payment_transition()
returns trigger language plpgsql set search_path = '' as $$
begin
  if old.state <> new.state and not (
    (old.state, new.state) = ('refund_pending', 'paid')
    and exists (
      select from private.undo u
      where u.booking_id = new.booking_id and u.kind = 'cancel' and u.undone_at is not null)
    and not exists (select from private.outbox o where o.kind = 'payment.refund' and o.subject_id = new.id)
  ) and (old.state, new.state) not in (
    ('intent', 'open'), ('intent', 'processing'), ('intent', 'failed'), ('intent', 'expired'), ('intent', 'paid'),
    ('intent', 'refund_pending'),
    ('open', 'processing'), ('open', 'failed'), ('open', 'expired'), ('open', 'paid'), ('open', 'refund_pending'),
    ('processing', 'paid'), ('processing', 'failed'), ('processing', 'refund_pending'),
    -- An expired session that was paid after all is refunded.
    ('expired', 'processing'), ('expired', 'failed'), ('expired', 'refund_pending'), ('failed', 'refund_pending'),
    ('paid', 'refund_pending'), ('paid', 'refunded'), ('paid', 'disputed'), ('paid', 'dispute_lost'),
    ('disputed', 'paid'), ('disputed', 'dispute_lost'), ('disputed', 'refund_pending'), ('disputed', 'refunded'),
    ('dispute_lost', 'paid'), ('dispute_lost', 'disputed'), ('dispute_lost', 'refund_pending'),
    ('refund_pending', 'refunded'), ('refund_pending', 'refund_failed'), ('refund_pending', 'dispute_lost'),
    ('refunded', 'refund_failed'),
    ('refund_failed', 'refund_pending'), ('refund_failed', 'refund_manual'), ('refund_failed', 'refunded'),
    ('refund_failed', 'dispute_lost'),
    ('refund_pending', 'refund_manual'), ('refund_manual', 'refund_pending'))
  then
    raise exception 'a payment cannot go from % to %', old.state, new.state
      using errcode = '23514', constraint = 'payment_transition';
  end if;
  if (new.booking_id, new.move_number) is distinct from (old.booking_id, old.move_number) and not (
      old.move_number is null and old.state in ('intent', 'open', 'processing') and new.state = 'paid' and exists (
        select from private.booking b
        where b.id = old.booking_id and (b.moves_booking, b.move_number) = (new.booking_id, new.move_number)))
    or (new.amount_cents, new.currency, new.kind, new.key)
      is distinct from (old.amount_cents, old.currency, old.kind, old.key)
  then
    raise exception 'what a payment is for is frozen' using errcode = '23514', constraint = 'payment_frozen';
  end if;
  return new;
end
$$;

create trigger payment_transition before update on private.payment
  for each row execute function private.payment_transition();

create trigger payment_updated_at before update on private.payment
  for each row execute function private.set_updated_at();

-- Requires that a booking which is confirmed when the transaction ends has been paid. A payment that the customer's
-- bank took back later counts as paid. A booking that moved has the payments of its first price and of each difference,
-- so only a booking that never moved must have one payment of exactly its price. Raises 23514.
create or replace function private.require_payment()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if not exists (
    select from private.booking b
    where b.id = new.id and b.status = 'confirmed' and b.notes is distinct from 'test'
  ) then return null; end if;
  if not exists (
    select from private.payment p
    where p.booking_id = new.id and p.state in ('paid', 'disputed', 'dispute_lost')
      and (p.amount_cents = new.final_cost_cents or new.moves > 0)
  ) then
    raise exception 'booking % is not paid', new.id
      using errcode = '23514', constraint = 'booking_confirmed_is_paid';
  end if;
  return null;
end
$$;

create constraint trigger booking_confirmed_is_paid after insert or update of status on private.booking
  deferrable initially deferred for each row execute function private.require_payment();

-- Returns a payment as the server reads it, with the move it is for, its saved card and its order (`shareOf`).
create or replace function private.payment_json(x private.payment)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paidCents', x.paid_cents, 'refundedCents', x.refunded_cents,
    'disputeId', x.dispute_id, 'disputeStatus', x.dispute_status,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at,
    'moveNumber', x.move_number,
    'card', x.card, 'cardAt', x.card_at, 'replacedUntil', x.replaced_until, 'shareOf', x.share_of)
$$;

-- Whether the customer has paid in a way that takes days, such as a bank debit. Such a booking is not an unpaid hold.
create or replace function private.payment_is_processing(p_booking uuid)
returns boolean language sql stable set search_path = '' as $$
  select exists (select from private.payment x where x.booking_id = p_booking and x.state = 'processing')
$$;

-- The states of the caller's payments and the money that was refunded, in dollars; staff and the service key see all
-- payments. The security barrier applies the condition about the owner before any filter of the caller.
create or replace view public.booking_payments with (security_barrier = true) as
select p.booking_id, p.state, (p.amount_cents / 100.0)::numeric(10, 2) as amount,
  (p.refunded_cents / 100.0)::numeric(10, 2) as refunded, p.created_at, p.updated_at
from private.payment p
join private.booking b on b.id = p.booking_id
where b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role';
alter view public.booking_payments owner to booking_reader;
revoke all on public.booking_payments from service_role;
grant select on public.booking_payments to service_role;
grant select on public.booking_payments to authenticated;
