-- All about one booking, for staff.

-- The booking with this reference, with or without its dash, in capitals or not: customer, hours, price, payments, refunds, state of the ID and of the
-- access code, mails, and for owners what the audit log has about it. Null when there is none. Amounts are cents.
create function public.booking_details(reference text) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_letters constant text := pg_catalog.upper(pg_catalog.regexp_replace(coalesce(booking_details.reference, ''), '[^0-9A-Za-z]', '', 'g'));
  b private.booking;
  v_history jsonb;
begin
  perform private.require_permission('bookings');
  select x.* into b from private.booking x where x.reference = pg_catalog.left(v_letters, 4) || '-' || pg_catalog.substr(v_letters, 5);
  if b.id is null then return null; end if;
  if coalesce(auth.role() = 'service_role', false) or public.has_permission('owner') then
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', h.created_at, 'actor', coalesce(p.full_name, p.email), 'action', h.action,
      'resource', h.resource_type, 'details', h.details) order by h.created_at desc, h.id)
    into v_history
    from (
      select a.* from (
        select 'booking' as type, b.id::text as id
        union all select 'payment', x.id::text from private.payment x where x.booking_id = b.id
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
        order by x.attempt), '[]')
      from private.payment x where x.booking_id = b.id),
    'refunds', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('cents', r.amount_cents, 'state', r.state, 'reason', r.reason,
        'at', r.created_at) order by r.created_at, r.id), '[]')
      from private.partial_refund r join private.payment x on x.id = r.payment_id where x.booking_id = b.id),
    'cancellation', (
      select pg_catalog.jsonb_build_object('refund', c.refund, 'cents', c.refund_cents, 'reason', c.reason) from private.cancellation c
      where c.booking_id = b.id),
    'code', (
      select pg_catalog.jsonb_build_object(
        'due', (select min(o.due_at) from private.outbox o
          where o.kind = 'access.request' and o.subject_id = b.id and o.done_at is null and o.closed_at is null),
        'requested', c.created_at, 'accepted', c.issued_at,
        'mailed', (select max(m.sent_at) from public.scheduled_emails m where m.booking_id = b.id and m.status = 'sent'),
        'seen', c.seen_at, 'used', c.used_at)
      from (select 1) one left join lateral (
        select y.* from public.booking_access_codes y where y.booking_id = b.id and y.status <> 'failed' order by y.attempt desc limit 1) c on true),
    'mails', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', o.kind, 'dueAt', o.due_at, 'sentAt', o.done_at,
        'problem', coalesce(o.close_reason, case when o.done_at is null then o.last_error end)) order by o.created_at, o.id), '[]')
      from private.outbox o
      where o.subject_id = b.id and o.kind in ('mail.booking-confirmed', 'mail.booking-cancelled', 'mail.refund', 'mail.payment-returned',
        'mail.payment-processing', 'mail.payment-failed', 'mail.payment-link', 'mail.access-code')),
    'history', v_history);
end
$$;
grant execute on function public.booking_details(text) to authenticated;

-- Puts a mail of a booking into the queue again: the access code of a confirmed booking that is not over, or the confirmation. Returns false when
-- that mail does not fit the booking.
create function public.send_mail_again(booking uuid, mail text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  b private.booking;
begin
  perform private.require_permission('bookings');
  if mail not in ('access-code', 'booking-confirmed') then
    raise exception 'there is no such mail' using errcode = '22023';
  end if;
  select x.* into b from private.booking x where x.id = send_mail_again.booking and x.status = 'confirmed' and x.end_time > pg_catalog.now();
  if b.id is null or (b.user_id is null and b.guest_email is null) then return false; end if;
  if mail = 'access-code' then
    -- Not before the first mail was due. Its trigger queues the mail and writes the audit log.
    insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for)
    select b.id, '', 'access_code', 'pending_immediate', greatest(pg_catalog.now(), min(m.scheduled_for))
    from public.scheduled_emails m where m.booking_id = b.id;
  else
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    values ('mail.booking-confirmed', b.id, 'again:' || pg_catalog.gen_random_uuid(), pg_catalog.now());
    perform private.audit(auth.uid(), 'create', 'booking', b.id::text, pg_catalog.jsonb_build_object('mail', mail));
  end if;
  return true;
end
$$;
grant execute on function public.send_mail_again(uuid, text) to authenticated;

-- As before, with the name of a guest.
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
    select f.id, f.reference, f.user_id, f.studio_id, f.studio_name, f.start_time, f.end_time, f.status, f.notes is not distinct from 'test',
      coalesce(p.full_name, f.guest_name), coalesce(p.email, f.guest_email), coalesce(f.contact_phone, p.phone),
      (select min(o.due_at) from private.outbox o
        where o.kind = 'access.request' and o.subject_id = f.id and o.done_at is null and o.closed_at is null),
      c.created_at, c.issued_at,
      (select max(m.sent_at) from public.scheduled_emails m where m.booking_id = f.id and m.status = 'sent'),
      c.seen_at, c.used_at
    from found f
    left join public.profiles p on p.user_id = f.user_id
    left join lateral (
      select x.created_at, x.issued_at, x.seen_at, x.used_at from public.booking_access_codes x
      where x.booking_id = f.id and x.status <> 'failed'
      order by x.attempt desc limit 1) c on true
    order by f.start_time, f.studio_name, f.id;
end
$$;
