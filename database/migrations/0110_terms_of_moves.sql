-- The start from which the terms of cancellation count, and small differences of moves that wait until they are worth a payment.

alter table private.booking
  -- The earliest start that the booking has had since its customer last chose the hours, where staff have moved it since. Null: its start. Bookings
  -- that staff moved before this was stored keep the terms that their customers were shown.
  add column terms_start timestamptz,
  -- What moves cost more and is not charged yet; it is part of waived_cents. Below zero: what moves cost less and has not gone back yet.
  add column owed_cents integer not null default 0 check (owed_cents between -49 and 49);

create or replace function private.booking_json(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'userId', b.user_id, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at,
    'totalHours', b.total_hours, 'slots', b.slots, 'baseCostCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponDiscountCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCostCents', b.final_cost_cents, 'moves', b.moves,
    'guestEmail', b.guest_email, 'guestName', b.guest_name, 'madeBy', b.made_by, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at,
    'movesBooking', b.moves_booking, 'moveNumber', b.move_number, 'orderId', b.order_id, 'orderPlace', b.order_place,
    'orderSize', b.order_size, 'termsStart', coalesce(b.terms_start, b.start_time), 'owedCents', b.owed_cents)
$$;

-- As before; the start of the terms and what is owed change only with a move.
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
      new.final_cost_cents, new.total_hours, new.moves, new.terms_start, new.owed_cents)
     is distinct from
     (old.studio_id, old.start_time, old.end_time, old.base_cost_cents, old.discount_cents, old.coupon_discount_cents, old.waived_cents,
      old.final_cost_cents, old.total_hours, old.moves, old.terms_start, old.owed_cents)
     and not (old.status = 'confirmed' and new.status = 'confirmed' and new.moves = old.moves + 1 and exists (
       select from private.booking_move m
       where m.booking_id = new.id and m.number = new.moves
         and (m.from_studio_id, m.from_start_time, m.from_end_time) = (old.studio_id, old.start_time, old.end_time)
         and (m.studio_id, m.start_time, m.end_time, m.final_cost_cents) = (new.studio_id, new.start_time, new.end_time, new.final_cost_cents)))) then
    raise exception 'the quote of a booking is frozen' using errcode = '23514', constraint = 'booking_quote_frozen';
  end if;
  -- What is owed back to the customer has been paid too.
  if new.final_cost_cents - least(new.owed_cents, 0) > old.final_cost_cents - least(old.owed_cents, 0) and not exists (
    select from private.payment p
    where p.booking_id = new.id and p.move_number = new.moves and p.state = 'paid'
      and p.amount_cents = new.final_cost_cents - least(new.owed_cents, 0) - old.final_cost_cents + least(old.owed_cents, 0))
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

-- As before, with the start of the terms and what is owed.
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
    'termsStart', coalesce(b.terms_start, b.start_time), 'owedCents', b.owed_cents,
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
    'noShow', case when b.no_show_at is not null then pg_catalog.jsonb_build_object('at', b.no_show_at,
      'by', (select coalesce(p.full_name, p.email) from public.profiles p where p.user_id = b.no_show_by)) end,
    'staffNotes', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', n.id, 'note', n.note, 'by', coalesce(p.full_name, p.email),
        'at', n.created_at) order by n.created_at desc, n.id), '[]')
      from private.booking_note n left join public.profiles p on p.user_id = n.made_by
      where n.booking_id = b.id),
    'waiting', (
      select pg_catalog.jsonb_build_object('holdId', h.id, 'studioName', h.studio_name, 'startTime', h.start_time, 'endTime', h.end_time,
        'cents', h.final_cost_cents, 'until', h.hold_expires_at, 'url', x.url)
      from private.booking h join private.payment x on x.booking_id = h.id
      where h.moves_booking = b.id and h.status = 'pending' order by h.created_at desc, x.attempt desc limit 1),
    'mails', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', o.id, 'kind', o.kind, 'dueAt', o.due_at, 'sentAt', o.done_at,
        'problem', coalesce(o.close_reason, case when o.done_at is null then o.last_error end),
        'refusal', private.mail_refusal(o.id, pg_catalog.now())) order by o.created_at, o.id), '[]')
      from private.outbox o
      where o.subject_id = any (v_rows) and o.kind in ('mail.link-expired', 'mail.booking-confirmed', 'mail.booking-cancelled', 'mail.booking-moved', 'mail.refund', 'mail.payment-returned',
        'mail.payment-processing', 'mail.payment-failed', 'mail.payment-link', 'mail.access-code', 'mail.id-needed', 'mail.document')),
    'documents', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('number', d.number, 'kind', d.kind, 'cents', d.cents, 'at', d.issued_at,
        'void', d.voided_at is not null) order by d.number), '[]')
      from private.document d where d.booking_id = b.id),
    'history', v_history);
end
$$;

create or replace function public.own_booking(booking text) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
  v_letters constant text := pg_catalog.upper(pg_catalog.regexp_replace(coalesce(own_booking.booking, ''), '[^0-9A-Za-z]', '', 'g'));
  b private.booking;
begin
  if v_user is null then return null; end if;
  if own_booking.booking ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then
    select x.* into b from private.booking x where x.id = own_booking.booking::uuid;
  else
    select x.* into b from private.booking x where x.reference = pg_catalog.left(v_letters, 4) || '-' || pg_catalog.substr(v_letters, 5);
  end if;
  -- The hold of new hours leads to the booking that moves there.
  if b.moves_booking is not null then
    select x.* into b from private.booking x where x.id = b.moves_booking;
  end if;
  if b.id is null or b.user_id is distinct from v_user then return null; end if;
  return pg_catalog.jsonb_build_object(
    'id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time,
    'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at, 'createdAt', b.created_at,
    'confirmedAt', b.confirmed_at, 'cancelledAt', b.cancelled_at, 'freeCancelHours', (b.policy ->> 'freeCancelHours')::numeric,
    'termsStart', coalesce(b.terms_start, b.start_time), 'owedCents', b.owed_cents,
    'totalHours', b.total_hours, 'baseCents', b.base_cost_cents, 'discountCents', b.discount_cents, 'couponCode', b.coupon_terms ->> 'code',
    'couponCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCents', b.final_cost_cents,
    'processing', exists (select from private.payment x where x.booking_id = b.id and x.state = 'processing'),
    'payments', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('cents', x.paid_cents, 'at', x.paid_at, 'forMove', x.move_number is not null,
        'online', x.kind = 'card') order by x.paid_at, x.attempt), '[]')
      from private.payment x where x.booking_id = b.id and x.paid_at is not null and x.paid_cents > 0),
    'refunds', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('cents', r.cents, 'at', r.at) order by r.at, r.cents), '[]')
      from (
        select f.amount_cents as cents, f.updated_at as at from private.refund f join private.payment x on x.id = f.payment_id
        where x.booking_id = b.id and f.status = 'succeeded'
        union all
        select p.amount_cents, p.updated_at from private.partial_refund p join private.payment x on x.id = p.payment_id
        where x.booking_id = b.id and p.state = 'manual') r),
    'documents', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('number', d.number, 'kind', d.kind, 'cents', d.cents, 'at', d.issued_at)
        order by d.number), '[]')
      from private.document d where d.booking_id = b.id and d.voided_at is null),
    -- What is decided and has not arrived.
    'refundingCents', (
      select coalesce(sum(case when x.state in ('refund_pending', 'refund_failed') then greatest(0, x.paid_cents - x.refunded_cents)
        else (select coalesce(sum(p.amount_cents), 0) from private.partial_refund p where p.payment_id = x.id and p.state = 'pending') end), 0)
      from private.payment x where x.booking_id = b.id),
    'code', (select pg_catalog.jsonb_build_object('accepted', c.accepted, 'mailed', c.mailed, 'used', c.used) from private.code_times(b.id) c),
    'moves', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('studioName', s.name, 'startTime', m.from_start_time,
        'endTime', m.from_end_time, 'differenceCents', m.difference_cents, 'at', m.created_at) order by m.number), '[]')
      from private.booking_move m join public.studios s on s.id = m.from_studio_id where m.booking_id = b.id),
    'waiting', (
      select pg_catalog.jsonb_build_object('holdId', h.id, 'studioId', h.studio_id, 'studioName', h.studio_name, 'startTime', h.start_time,
        'endTime', h.end_time, 'cents', h.final_cost_cents, 'until', h.hold_expires_at, 'url', x.url)
      from private.booking h join private.payment x on x.booking_id = h.id
      where h.moves_booking = b.id and h.status = 'pending'
      order by h.created_at desc, x.attempt desc limit 1));
end
$$;

drop function public.own_bookings();
create function public.own_bookings() returns table (
  id uuid, reference text, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, cancel_reason text,
  hold_expires_at timestamptz, total_hours numeric, final_cost numeric, coupon_code text, coupon_type text, coupon_value numeric,
  free_cancel_hours numeric, created_at timestamptz, base_cost numeric, volume_discount numeric, slots jsonb, order_id uuid,
  order_place smallint, order_size smallint, terms_start timestamptz
)
language sql stable security definer set search_path = '' as $$
  select b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.cancel_reason,
    b.hold_expires_at, b.total_hours, (b.final_cost_cents / 100.0)::numeric(10, 2), b.coupon_terms ->> 'code', b.coupon_terms ->> 'discountType',
    (b.coupon_terms ->> 'discountValue')::numeric, (b.policy ->> 'freeCancelHours')::numeric, b.created_at,
    (b.base_cost_cents / 100.0)::numeric(10, 2), (b.discount_cents / 100.0)::numeric(10, 2), case when b.status = 'pending' then b.slots end,
    b.order_id, b.order_place, b.order_size, coalesce(b.terms_start, b.start_time)
  from private.booking b
  where b.user_id = auth.uid() and b.waitlist_entry_id is null
    and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;
revoke execute on function public.own_bookings() from public, anon;
grant execute on function public.own_bookings() to authenticated;
