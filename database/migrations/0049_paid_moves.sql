-- Moves to dearer hours. A pending booking that names another one in `moves_booking` holds the new hours until the difference is paid. Then the
-- payment becomes one of the moved booking, and the hold ends.

alter table private.booking
  -- The booking that gets these hours; null for every booking itself.
  add column moves_booking uuid references private.booking (id),
  -- Which move of that booking it is.
  add column move_number integer,
  -- The customer is that of the booking that moves. Only that one is ever confirmed.
  add constraint booking_move_hold check ((moves_booking is null) = (move_number is null)
    and (moves_booking is null or (status <> 'confirmed' and user_id is null and guest_email is null))),
  -- A booking and the hold of its new hours may share hours.
  drop constraint booking_one_per_slot,
  add constraint booking_one_per_slot exclude using gist (studio_id with =, during with &&, (coalesce(moves_booking, id)) with <>)
    where (status in ('pending', 'confirmed'));
create index booking_move_holds on private.booking (moves_booking) where moves_booking is not null;

-- Which move of its booking a payment was for; null: the booking itself.
alter table private.payment add column move_number integer check (move_number > 0);
drop index private.payment_one_paid;
create unique index payment_one_paid on private.payment (booking_id, coalesce(move_number, 0)) where state in ('paid', 'disputed');

-- As before, but the payment of a hold for a move becomes one of the booking that moves when it is paid.
create or replace function private.payment_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.state <> new.state and (old.state, new.state) not in (
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

-- As before, and a move to a higher price has a payment of the difference.
create or replace function private.booking_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'cancelled')) then
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
    where p.booking_id = new.id and p.move_number = new.moves and p.state = 'paid' and p.amount_cents = new.final_cost_cents - old.final_cost_cents) then
    raise exception 'the difference of a move is not paid' using errcode = '23514', constraint = 'booking_move_is_paid';
  end if;
  if new.status = 'confirmed' and old.status = 'pending' then new.confirmed_at := coalesce(new.confirmed_at, clock_timestamp()); end if;
  if new.status = 'cancelled' and old.status <> 'cancelled' then new.cancelled_at := coalesce(new.cancelled_at, clock_timestamp()); end if;
  return new;
end
$$;

create or replace function private.booking_json(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'userId', b.user_id, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at,
    'totalHours', b.total_hours, 'slots', b.slots, 'baseCostCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponDiscountCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCostCents', b.final_cost_cents, 'moves', b.moves,
    'guestEmail', b.guest_email, 'guestName', b.guest_name, 'madeBy', b.made_by, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at,
    'movesBooking', b.moves_booking, 'moveNumber', b.move_number)
$$;

-- Locks a booking until the transaction ends. Before the hold of new hours it locks the booking that gets them, as a move does, and waits for the
-- other moves: two bookings that move into each other's hours would wait for each other for ever.
create function private.lock_booking(p_booking uuid) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_moves constant uuid := (select b.moves_booking from private.booking b where b.id = p_booking);
  locked private.booking;
begin
  if v_moves is not null then
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('booking-move', 0));
    perform from private.booking b where b.id = v_moves for update;
  end if;
  select b.* into locked from private.booking b where b.id = p_booking for update;
  return case when locked.id is not null then private.booking_json(locked) end;
end
$$;

-- The hold of new hours ends with its booking, and when that moves elsewhere: the task that releases expired holds closes its payment session first.
create function private.end_move_holds() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update private.booking b set hold_expires_at = least(b.hold_expires_at, coalesce(new.cancelled_at, (
    select m.created_at from private.booking_move m where m.booking_id = new.id and m.number = new.moves)))
  where b.moves_booking = new.id and b.status = 'pending' and not private.payment_is_processing(b.id);
  return null;
end
$$;
create trigger end_move_holds after update on private.booking for each row
  when (old.status = 'confirmed' and (new.status = 'cancelled' or new.moves <> old.moves)) execute function private.end_move_holds();
revoke execute on function private.end_move_holds() from public;

-- A payment as the server reads it, with the move it was for.
create or replace function private.payment_json(x private.payment) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paidCents', x.paid_cents, 'refundedCents', x.refunded_cents, 'refundFailures', x.refund_failures,
    'disputeId', x.dispute_id, 'disputeStatus', x.dispute_status,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at, 'moveNumber', x.move_number)
$$;

-- As before; the hold of new hours has reference and customer of the booking that moves there.
create or replace function public.bookings_of_day(day date) returns table (
  id uuid, reference text, user_id uuid, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, is_test boolean,
  customer_name text, customer_email text, phone text,
  code_due_at timestamptz, code_requested_at timestamptz, code_accepted_at timestamptz, code_mailed_at timestamptz, code_seen_at timestamptz,
  code_used_at timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_start constant timestamptz := day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (day + 1)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  return query
    with found as (
      select b.* from private.booking b
      where b.status <> 'cancelled' and b.start_time > v_start - interval '25 hours' and b.start_time < v_end and b.end_time > v_start
      order by b.start_time limit 1000
    )
    select f.id, coalesce(o.reference, f.reference), coalesce(f.user_id, o.user_id), f.studio_id, f.studio_name, f.start_time, f.end_time, f.status, f.notes is not distinct from 'test',
      coalesce(p.full_name, f.guest_name, o.guest_name), coalesce(p.email, f.guest_email, o.guest_email),
      coalesce(f.contact_phone, o.contact_phone, p.phone),
      c.due, c.requested, c.accepted, c.mailed, c.seen, c.used
    from found f
    left join private.booking o on o.id = f.moves_booking
    left join public.profiles p on p.user_id = coalesce(f.user_id, o.user_id)
    left join lateral private.code_times(f.id) c on true
    order by f.start_time, f.studio_name, f.id;
end
$$;

-- As before, with the new hours that wait for a payment. The reference of their hold finds the booking that moves there.
create or replace function public.booking_details(reference text) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_letters constant text := pg_catalog.upper(pg_catalog.regexp_replace(coalesce(booking_details.reference, ''), '[^0-9A-Za-z]', '', 'g'));
  b private.booking;
  v_history jsonb;
  -- The booking and the holds of its new hours.
  v_rows uuid[];
begin
  perform private.require_permission('bookings');
  select x.* into b from private.booking x where x.reference = pg_catalog.left(v_letters, 4) || '-' || pg_catalog.substr(v_letters, 5);
  if b.moves_booking is not null then
    select x.* into b from private.booking x where x.id = b.moves_booking;
  end if;
  if b.id is null then return null; end if;
  v_rows := array(select b.id union all select x.id from private.booking x where x.moves_booking = b.id);
  if coalesce(auth.role() = 'service_role', false) or public.has_permission('owner') then
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', h.created_at, 'actor', coalesce(p.full_name, p.email), 'action', h.action,
      'resource', h.resource_type, 'details', h.details) order by h.created_at desc, h.id)
    into v_history
    from (
      select a.* from (
        select 'booking' as type, b.id::text as id
        union all select 'payment', x.id::text from private.payment x where x.booking_id = any (v_rows)
        union all select 'access_code', c.id::text from public.booking_access_codes c where c.booking_id = b.id
        union all select 'refund', r.id::text from private.partial_refund r join private.payment x on x.id = r.payment_id where x.booking_id = b.id
      ) about
      join public.audit_logs a on a.resource_type = about.type and a.resource_id = about.id
      order by a.created_at desc, a.id limit 100) h
    left join public.profiles p on p.user_id = h.actor;
  end if;
  return pg_catalog.jsonb_build_object(
    'id', b.id, 'reference', b.reference, 'studioName', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status,
    'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at,
    'cancelledAt', b.cancelled_at, 'notes', b.notes, 'freeCancelHours', (b.policy ->> 'freeCancelHours')::numeric,
    'totalHours', b.total_hours, 'baseCents', b.base_cost_cents, 'discountCents', b.discount_cents, 'couponCode', b.coupon_terms ->> 'code',
    'couponCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCents', b.final_cost_cents,
    'customer', (
      select pg_catalog.jsonb_build_object('hasAccount', b.user_id is not null, 'name', coalesce(p.full_name, b.guest_name),
        'email', coalesce(p.email, b.guest_email), 'phone', coalesce(b.contact_phone, p.phone),
        'blocked', b.user_id is not null and private.is_blocked(b.user_id, pg_catalog.now()))
      from (select 1) one left join public.profiles p on p.user_id = b.user_id),
    'verification', (
      select pg_catalog.jsonb_build_object('status', v.verification_status, 'until', v.expires_at) from public.id_verifications v
      where v.user_id = b.user_id
      order by v.verification_status = 'verified' and v.expires_at > pg_catalog.now() desc, v.created_at desc limit 1),
    'payments', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', x.kind, 'state', x.state, 'cents', coalesce(x.paid_cents, x.amount_cents),
        'refundedCents', x.refunded_cents, 'at', coalesce(x.paid_at, x.created_at),
        'leftCents', case when x.kind <> 'free' and x.state in ('paid', 'disputed') then private.refundable_cents(x.id) else 0 end)
        order by x.created_at, x.attempt), '[]')
      from private.payment x where x.booking_id = any (v_rows)),
    'refunds', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('cents', r.amount_cents, 'state', r.state, 'reason', r.reason,
        'at', r.created_at) order by r.created_at, r.id), '[]')
      from private.partial_refund r join private.payment x on x.id = r.payment_id where x.booking_id = b.id),
    'cancellation', (
      select pg_catalog.jsonb_build_object('refund', c.refund, 'cents', c.refund_cents, 'reason', c.reason) from private.cancellation c
      where c.booking_id = b.id),
    'code', (select pg_catalog.to_jsonb(c) from private.code_times(b.id) c),
    'moves', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('studioName', s.name, 'startTime', m.from_start_time,
        'endTime', m.from_end_time, 'at', m.created_at) order by m.number), '[]')
      from private.booking_move m join public.studios s on s.id = m.from_studio_id where m.booking_id = b.id),
    'waiting', (
      select pg_catalog.jsonb_build_object('holdId', h.id, 'studioName', h.studio_name, 'startTime', h.start_time, 'endTime', h.end_time,
        'cents', h.final_cost_cents, 'until', h.hold_expires_at, 'url', x.url)
      from private.booking h join private.payment x on x.booking_id = h.id
      where h.moves_booking = b.id and h.status = 'pending' order by h.created_at desc, x.attempt desc limit 1),
    'mails', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', o.kind, 'dueAt', o.due_at, 'sentAt', o.done_at,
        'problem', coalesce(o.close_reason, case when o.done_at is null then o.last_error end)) order by o.created_at, o.id), '[]')
      from private.outbox o
      where o.subject_id = any (v_rows) and o.kind in ('mail.link-expired', 'mail.booking-confirmed', 'mail.booking-cancelled', 'mail.booking-moved', 'mail.refund', 'mail.payment-returned',
        'mail.payment-processing', 'mail.payment-failed', 'mail.payment-link', 'mail.access-code')),
    'history', v_history);
end
$$;
