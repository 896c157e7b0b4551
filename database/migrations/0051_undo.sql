-- Staff undo a cancellation or a move for a few seconds: its jobs wait until then.

create table private.undo (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references private.booking (id),
  kind text not null check (kind in ('cancel', 'move')),
  -- Which move it undoes.
  move_number integer,
  -- The booking before, as the server reads it.
  before jsonb not null,
  -- The jobs of the action. It can be undone while none of them has begun.
  jobs uuid[] not null,
  actor uuid not null,
  created_at timestamptz not null,
  until timestamptz not null,
  undone_at timestamptz,
  constraint undo_of_move check ((kind = 'move') = (move_number is not null))
);
create index undo_by_booking on private.undo (booking_id);
alter table private.undo enable row level security, force row level security;

-- A booking that moved has the payments of its first price and of each difference, so only one that never moved has a payment of its price.
create or replace function private.require_payment() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if not exists (
    select from private.booking b where b.id = new.id and b.status = 'confirmed' and b.notes is distinct from 'test'
  ) then return null; end if;
  if not exists (
    select from private.payment p
    where p.booking_id = new.id and p.state in ('paid', 'disputed', 'dispute_lost') and (p.amount_cents = new.final_cost_cents or new.moves > 0)
  ) then
    raise exception 'booking % is not paid', new.id using errcode = '23514', constraint = 'booking_confirmed_is_paid';
  end if;
  return null;
end
$$;

-- As before, and a refund that has not begun ends with the cancellation that staff undo.
create or replace function private.payment_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.state <> new.state and not (
    (old.state, new.state) = ('refund_pending', 'paid')
    and exists (select from private.undo u where u.booking_id = new.booking_id and u.kind = 'cancel' and u.undone_at is not null)
    and not exists (select from private.outbox o where o.kind = 'payment.refund' and o.subject_id = new.id)
  ) and (old.state, new.state) not in (
    ('intent', 'open'), ('intent', 'processing'), ('intent', 'failed'), ('intent', 'expired'), ('intent', 'paid'), ('intent', 'refund_pending'),
    ('open', 'processing'), ('open', 'failed'), ('open', 'expired'), ('open', 'paid'), ('open', 'refund_pending'),
    ('processing', 'paid'), ('processing', 'failed'), ('processing', 'refund_pending'),
    -- An expired session that was paid after all is refunded.
    ('expired', 'processing'), ('expired', 'failed'), ('expired', 'refund_pending'), ('failed', 'refund_pending'),
    ('paid', 'refund_pending'), ('paid', 'refunded'), ('paid', 'disputed'), ('paid', 'dispute_lost'),
    ('disputed', 'paid'), ('disputed', 'dispute_lost'), ('disputed', 'refund_pending'), ('disputed', 'refunded'),
    ('dispute_lost', 'paid'), ('dispute_lost', 'disputed'), ('dispute_lost', 'refund_pending'),
    ('refund_pending', 'refunded'), ('refund_pending', 'refund_failed'), ('refund_pending', 'dispute_lost'),
    ('refunded', 'refund_failed'),
    ('refund_failed', 'refund_pending'), ('refund_failed', 'refund_manual'), ('refund_failed', 'refunded'), ('refund_failed', 'dispute_lost'),
    ('refund_pending', 'refund_manual'), ('refund_manual', 'refund_pending')) then
    raise exception 'a payment cannot go from % to %', old.state, new.state using errcode = '23514', constraint = 'payment_transition';
  end if;
  if (new.booking_id, new.move_number) is distinct from (old.booking_id, old.move_number) and not (
    old.move_number is null and old.state in ('intent', 'open', 'processing') and new.state = 'paid' and exists (
      select from private.booking b where b.id = old.booking_id and (b.moves_booking, b.move_number) = (new.booking_id, new.move_number)))
    or (new.amount_cents, new.currency, new.kind, new.key) is distinct from (old.amount_cents, old.currency, old.kind, old.key) then
    raise exception 'what a payment is for is frozen' using errcode = '23514', constraint = 'payment_frozen';
  end if;
  return new;
end
$$;

-- As before, and a cancellation that staff undo makes the booking confirmed again; a move that they undo gives it the price before.
create or replace function private.booking_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.status <> new.status and not (
    (old.status, new.status) = ('cancelled', 'confirmed') and exists (
      select from private.undo u where u.booking_id = new.id and u.kind = 'cancel' and u.undone_at is not null and u.created_at = old.cancelled_at)
  ) and (old.status, new.status) not in (('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'cancelled')) then
    raise exception 'a % booking cannot become %', old.status, new.status using errcode = '23514', constraint = 'booking_transition';
  end if;
  if (new.moves_booking, new.move_number) is distinct from (old.moves_booking, old.move_number) or (
      (new.studio_id, new.start_time, new.end_time, new.base_cost_cents, new.discount_cents, new.coupon_discount_cents, new.waived_cents,
      new.final_cost_cents, new.total_hours, new.moves)
     is distinct from
     (old.studio_id, old.start_time, old.end_time, old.base_cost_cents, old.discount_cents, old.coupon_discount_cents, old.waived_cents,
      old.final_cost_cents, old.total_hours, old.moves)
     and not (old.status = 'confirmed' and new.status = 'confirmed' and new.moves = old.moves + 1 and exists (
       select from private.booking_move m
       where m.booking_id = new.id and m.number = new.moves
         and (m.from_studio_id, m.from_start_time, m.from_end_time) = (old.studio_id, old.start_time, old.end_time)
         and (m.studio_id, m.start_time, m.end_time, m.final_cost_cents) = (new.studio_id, new.start_time, new.end_time, new.final_cost_cents)))) then
    raise exception 'the quote of a booking is frozen' using errcode = '23514', constraint = 'booking_quote_frozen';
  end if;
  if new.final_cost_cents > old.final_cost_cents and not exists (
    select from private.payment p
    where p.booking_id = new.id and p.move_number = new.moves and p.state = 'paid' and p.amount_cents = new.final_cost_cents - old.final_cost_cents)
    and not exists (
      select from private.undo u where u.booking_id = new.id and u.kind = 'move' and u.undone_at is not null and u.move_number = old.moves
        and (u.before ->> 'finalCostCents')::integer = new.final_cost_cents) then
    raise exception 'the difference of a move is not paid' using errcode = '23514', constraint = 'booking_move_is_paid';
  end if;
  if new.status = 'confirmed' and old.status = 'pending' then new.confirmed_at := coalesce(new.confirmed_at, clock_timestamp()); end if;
  if new.status = 'cancelled' and old.status <> 'cancelled' then new.cancelled_at := coalesce(new.cancelled_at, clock_timestamp()); end if;
  return new;
end
$$;
