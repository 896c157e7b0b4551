-- What staff see of a booking follows its move: only codes and mails of its hours now count.

-- When each step of the access code of a booking's hours happened; null until then. due: when it is requested from the lock, until that is done.
create function private.code_times(p_booking uuid) returns table (
  due timestamptz, requested timestamptz, accepted timestamptz, mailed timestamptz, seen timestamptz, used timestamptz
)
language sql stable set search_path = '' as $$
  select
    (select min(o.due_at) from private.outbox o
      where o.kind = 'access.request' and o.subject_id = p_booking and o.done_at is null and o.closed_at is null),
    c.created_at, c.issued_at,
    (select max(m.sent_at) from public.scheduled_emails m
      where m.booking_id = p_booking and m.status = 'sent' and m.sent_at >= coalesce(v.moved_at, '-infinity')),
    c.seen_at, c.used_at
  from (
    select max(m.last_code) as last_code, max(m.created_at) as moved_at from private.booking_move m where m.booking_id = p_booking) v
  left join lateral (
    select x.* from public.booking_access_codes x
    where x.booking_id = p_booking and x.status <> 'failed' and x.attempt > coalesce(v.last_code, 0)
    order by x.attempt desc limit 1) c on true
$$;

-- As before, with the codes of the hours now.
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
      c.due, c.requested, c.accepted, c.mailed, c.seen, c.used
    from found f
    left join public.profiles p on p.user_id = f.user_id
    left join lateral private.code_times(f.id) c on true
    order by f.start_time, f.studio_name, f.id;
end
$$;

create or replace function public.staff_alerts(at timestamptz default now(), most integer default 100) returns table (
  kind text, since timestamptz, job_id uuid, job_kind text, tries integer, problem text, booking_id uuid, reference text, studio_name text,
  start_time timestamptz, customer_name text
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_service constant boolean := coalesce(auth.role() = 'service_role', false);
  v_bookings constant boolean := v_service or public.has_permission('bookings');
  v_identity constant boolean := v_service or public.has_permission('identity');
  v_money constant boolean := v_service or public.has_permission('money');
begin
  if not (v_service or public.is_staff()) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
  return query
    with waiting as (
      select v.created_at as since, p.full_name from public.id_verifications v join public.profiles p on p.user_id = v.user_id
      where v_identity and v.verification_status = 'review' order by v.created_at limit least(most, 1000)
    ), money as (
      select case x.state when 'disputed' then 'dispute' else 'refund_failed' end as kind, x.updated_at as since, x.id, x.booking_id
      from private.payment x where v_money and x.state in ('refund_failed', 'disputed') order by x.updated_at limit least(most, 1000)
    ), jobs as (
      select case when o.closed_at is null then 'job_failing' else 'job_late' end as kind, coalesce(o.closed_at, o.alerted_at) as since,
        o.id, o.kind as job_kind, o.subject_id, o.tries, coalesce(o.close_reason, o.last_error) as problem
      from private.outbox o
      where (o.alerted_at is not null or o.closed_at is not null) and o.done_at is null and o.closed_by is null
        and (o.closed_at is null or o.closed_at > at - interval '1 day')
        and case when o.kind like 'payment.%' then v_money else v_bookings end
      order by coalesce(o.closed_at, o.alerted_at) limit least(most, 1000)
    ), starting as (
      select b.id, greatest(b.start_time - interval '30 minutes', b.confirmed_at) as since from private.booking b
      where v_bookings and b.status = 'confirmed' and b.notes is distinct from 'test'
        and b.start_time > at - interval '25 hours' and b.start_time <= at + interval '30 minutes' and b.end_time > at
        and b.confirmed_at <= at - interval '5 minutes'
        and (select c.accepted from private.code_times(b.id) c) is null
      order by b.start_time limit least(most, 1000)
    ), alerts as (
      select 'id_waiting' as kind, w.since, null::uuid as job_id, null as job_kind, null::integer as tries, null as problem, null::uuid as booking_id,
        w.full_name
      from waiting w
      union all
      select m.kind, m.since, j.id, j.kind, j.tries, j.last_error, m.booking_id, null
      from money m left join lateral (
        select o.id, o.kind, o.tries, o.last_error from private.outbox o
        where m.kind = 'refund_failed' and o.kind = 'payment.refund' and o.subject_id = m.id and o.done_at is null and o.closed_at is null
        limit 1) j on true
      union all
      select j.kind, j.since, j.id, j.job_kind, j.tries, j.problem, coalesce(x.booking_id, j.subject_id), null
      from jobs j
      left join private.partial_refund r on j.job_kind = 'payment.partial-refund' and r.id = j.subject_id
      left join private.payment x on x.id = case j.job_kind when 'payment.refund' then j.subject_id else r.payment_id end
      where x.state is distinct from 'refund_failed' or j.job_kind <> 'payment.refund'
      union all
      select 'code_missing', s.since, null, null, null, null, s.id, null from starting s
    )
    select a.kind, a.since, a.job_id, a.job_kind, a.tries, a.problem, b.id, b.reference, b.studio_name, b.start_time,
      coalesce(a.full_name, p.full_name)
    from alerts a
    left join private.booking b on b.id = a.booking_id
    left join public.profiles p on p.user_id = b.user_id
    order by a.since, a.kind, a.job_id, b.id limit least(most, 1000);
end
$$;

-- As before, with the codes of the hours now and the hours before each move.
create or replace function public.booking_details(reference text) returns jsonb
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
    'code', (select pg_catalog.to_jsonb(c) from private.code_times(b.id) c),
    'moves', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('studioName', s.name, 'startTime', m.from_start_time,
        'endTime', m.from_end_time, 'at', m.created_at) order by m.number), '[]')
      from private.booking_move m join public.studios s on s.id = m.from_studio_id where m.booking_id = b.id),
    'mails', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', o.kind, 'dueAt', o.due_at, 'sentAt', o.done_at,
        'problem', coalesce(o.close_reason, case when o.done_at is null then o.last_error end)) order by o.created_at, o.id), '[]')
      from private.outbox o
      where o.subject_id = b.id and o.kind in ('mail.booking-confirmed', 'mail.booking-cancelled', 'mail.booking-moved', 'mail.refund', 'mail.payment-returned',
        'mail.payment-processing', 'mail.payment-failed', 'mail.payment-link', 'mail.access-code')),
    'history', v_history);
end
$$;

-- As before; after a move the code is due at the time of the new hours.
create or replace function public.send_mail_again(booking uuid, mail text) returns boolean
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
    -- Not before the mail of its hours is due. Its trigger queues the mail and writes the audit log.
    insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for)
    values (b.id, '', 'access_code', 'pending_immediate', greatest(pg_catalog.now(), (
      select m.scheduled_for from public.scheduled_emails m where m.booking_id = b.id order by m.created_at desc limit 1)));
  else
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    values ('mail.booking-confirmed', b.id, 'again:' || pg_catalog.gen_random_uuid(), pg_catalog.now());
    perform private.audit(auth.uid(), 'create', 'booking', b.id::text, pg_catalog.jsonb_build_object('mail', mail));
  end if;
  return true;
end
$$;
