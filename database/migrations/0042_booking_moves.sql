-- Moves of confirmed bookings to other hours or another studio. The booking stays the same row, so payment, reference, coupon and links stay too.

alter table private.booking add column moves integer not null default 0 check (moves >= 0);

create table private.booking_move (
  booking_id uuid not null references private.booking (id),
  number integer not null check (number > 0),
  from_studio_id uuid not null references public.studios (id),
  from_start_time timestamptz not null,
  from_end_time timestamptz not null,
  studio_id uuid not null references public.studios (id),
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- The price of the booking after the move.
  final_cost_cents integer not null check (final_cost_cents >= 0),
  -- What the new hours cost more or less, before staff waive anything.
  difference_cents integer not null,
  refund_cents integer not null check (refund_cents >= 0),
  -- The newest access code of the hours before.
  last_code integer not null check (last_code >= 0),
  actor uuid not null,
  created_at timestamptz not null,
  primary key (booking_id, number)
);
alter table private.booking_move enable row level security, force row level security;

-- As before, but a move changes hours and price: one that has a row with exactly these, and only of a confirmed booking.
create or replace function private.booking_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'cancelled')) then
    raise exception 'a % booking cannot become %', old.status, new.status using errcode = '23514', constraint = 'booking_transition';
  end if;
  if (new.studio_id, new.start_time, new.end_time, new.base_cost_cents, new.discount_cents, new.coupon_discount_cents, new.waived_cents,
      new.final_cost_cents, new.total_hours, new.moves)
     is distinct from
     (old.studio_id, old.start_time, old.end_time, old.base_cost_cents, old.discount_cents, old.coupon_discount_cents, old.waived_cents,
      old.final_cost_cents, old.total_hours, old.moves)
     and not (old.status = 'confirmed' and new.status = 'confirmed' and new.moves = old.moves + 1 and exists (
       select from private.booking_move m
       where m.booking_id = new.id and m.number = new.moves
         and (m.from_studio_id, m.from_start_time, m.from_end_time) = (old.studio_id, old.start_time, old.end_time)
         and (m.studio_id, m.start_time, m.end_time, m.final_cost_cents) = (new.studio_id, new.start_time, new.end_time, new.final_cost_cents))) then
    raise exception 'the quote of a booking is frozen' using errcode = '23514', constraint = 'booking_quote_frozen';
  end if;
  if new.status = 'confirmed' and old.status = 'pending' then new.confirmed_at := coalesce(new.confirmed_at, clock_timestamp()); end if;
  if new.status = 'cancelled' and old.status <> 'cancelled' then new.cancelled_at := coalesce(new.cancelled_at, clock_timestamp()); end if;
  return new;
end
$$;

create trigger booking_move_not_closed after update on private.booking for each row
  when ((new.studio_id, new.start_time, new.end_time) is distinct from (old.studio_id, old.start_time, old.end_time))
  execute function private.refuse_closed_hours();

create or replace function private.booking_json(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'userId', b.user_id, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at,
    'totalHours', b.total_hours, 'slots', b.slots, 'baseCostCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponDiscountCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCostCents', b.final_cost_cents, 'moves', b.moves,
    'guestEmail', b.guest_email, 'guestName', b.guest_name, 'madeBy', b.made_by, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at)
$$;
