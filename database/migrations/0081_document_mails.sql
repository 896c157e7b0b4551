-- The adjustment note of a refund is mailed, staff mail the documents of a booking, and a person downloads their own.

-- As before, and queues the mail of an adjustment note: with the row, so that no note is without its mail. A bank that took the money back is no refund of ours.
create or replace function private.add_document(x private.payment, p_refund text, p_cents integer, p_content jsonb, p_at timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_number integer;
begin
  -- The next transaction reads the number after this one has committed.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('document-number', 0));
  insert into private.document (number, kind, booking_id, payment_id, refund_key, cents, content, issued_at)
  select coalesce((select max(d.number) from private.document d), 0) + 1, case when p_refund is null then 'invoice' else 'adjustment' end,
    x.booking_id, x.id, p_refund, p_cents, p_content, p_at
  on conflict (payment_id, refund_key) do nothing
  returning number into v_number;
  if v_number is not null and p_refund is not null and p_refund <> 'dispute_lost' then
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
    values ('mail.document', x.booking_id, 'note:' || v_number, pg_catalog.jsonb_build_object('number', v_number), p_at)
    on conflict do nothing;
  end if;
end
$$;

-- Queues a mail with the documents of a booking, for staff; the same request queues it once. Returns 'queued'; 'no_documents' and 'no_address' queue nothing;
-- null when there is no such booking.
create function private.mail_documents(p_booking uuid, p_request uuid, p_actor uuid, p_now timestamptz) returns text
language plpgsql volatile set search_path = '' as $$
declare
  b private.booking;
begin
  select x.* into b from private.booking x where x.id = p_booking and x.moves_booking is null for update;
  if b.id is null then return null; end if;
  if not exists (select from private.document d where d.booking_id = b.id and d.voided_at is null)
    and not exists (select from private.payment x where x.booking_id = b.id and x.kind = 'free' and x.state = 'paid') then return 'no_documents'; end if;
  if not exists (select from auth.users u where u.id = b.user_id and u.deleted_at is null) and (b.user_id is not null or b.guest_email is null) then
    return 'no_address';
  end if;
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at) values ('mail.document', b.id, p_request::text, '{}', p_now) on conflict do nothing;
  if found then
    perform private.audit(p_actor, 'create', 'booking', b.id::text, '{"mail": "document"}');
  end if;
  return 'queued';
end
$$;

-- As before, with the mail of documents.
create or replace function private.mail_refusal(p_mail uuid, p_now timestamptz) returns text language plpgsql stable set search_path = '' as $$
declare
  o private.outbox;
  -- The first one of the mails that were sent again.
  root private.outbox;
  -- Whom the mail is about: a booking, or the hold of its new hours. k: the booking itself.
  b private.booking;
  k private.booking;
  pay private.payment;
  v_old boolean;
  v_changed boolean;
begin
  select x.* into o from private.outbox x where x.id = p_mail and x.kind like 'mail.%';
  select x.* into b from private.booking x where x.id = o.subject_id;
  if b.id is null then return 'unknown'; end if;
  select x.* into root from private.outbox x where x.id = coalesce((o.payload ->> 'again')::uuid, o.id);
  select x.* into k from private.booking x where x.id = coalesce(b.moves_booking, b.id);
  if exists (select from private.outbox x where x.kind = o.kind and x.subject_id = o.subject_id and x.done_at is null and x.closed_at is null) then
    return 'queued';
  end if;
  if not exists (select from auth.users u where u.id = k.user_id and u.deleted_at is null) and (k.user_id is not null or k.guest_email is null) then
    return 'no_address';
  end if;
  select x.* into pay from private.payment x where x.booking_id = b.id order by x.attempt desc limit 1;
  v_old := root.due_at < p_now - interval '10 days';
  v_changed := b.moves_booking is not null and not (k.status = 'confirmed' and k.moves + 1 = b.move_number
    and not exists (select from private.booking x where x.moves_booking = k.id and x.status = 'pending'));
  if o.kind in ('mail.booking-confirmed', 'mail.access-code', 'mail.booking-moved', 'mail.id-needed') then
    return case
      when k.status <> 'confirmed' then 'cancelled'
      when k.end_time <= p_now then 'over'
      when o.kind = 'mail.booking-moved' and exists (select from private.outbox x
        where x.kind = o.kind and x.subject_id = o.subject_id and not x.payload ? 'again' and x.created_at > root.created_at) then 'moved_again'
      when o.kind = 'mail.booking-moved' and v_old and (root.payload ->> 'refundCents')::integer > 0 then 'money_arrived'
      when o.kind = 'mail.id-needed' and not exists (select from private.missing_id m join private.lost_verification l on l.user_id = k.user_id
        where m.booking_id = k.id and m.kept_at is null) then 'not_needed' end;
  end if;
  return case
    when o.kind = 'mail.payment-link' then
      case when b.status <> 'pending' or b.hold_expires_at <= p_now or coalesce(pay.state, '') not in ('intent', 'open') then 'payment_ended' end
    when o.kind = 'mail.payment-processing' then
      case when b.status <> 'pending' or coalesce(pay.state, '') <> 'processing' then 'payment_ended' end
    when v_changed then 'changed'
    when o.kind = 'mail.booking-cancelled' then case when b.status <> 'cancelled' then 'not_cancelled'
      when v_old and exists (select from private.payment x where x.booking_id = b.id and x.paid_cents > 0 and x.kind <> 'free') then 'money_arrived' end
    when o.kind = 'mail.payment-failed' then
      case when b.status <> 'cancelled' or coalesce(pay.state, '') not in ('failed', 'processing') then 'payment_ended' end
    when o.kind = 'mail.link-expired' then case when b.cancel_reason is distinct from 'hold_expired'
      or exists (select from private.cancellation c where c.booking_id = b.id) then 'payment_ended' end
    when o.kind = 'mail.payment-returned' then case when coalesce(pay.state, '') not in ('refund_pending', 'refunded', 'refund_failed', 'refund_manual') then 'payment_ended'
      when v_old then 'money_arrived' end
    when o.kind = 'mail.refund' then case when v_old or not exists (
        select from private.partial_refund r where r.id::text = root.dedupe and r.state in ('pending', 'done')) then 'money_arrived' end
    when o.kind = 'mail.document' then null
    else 'unknown' end;
end
$$;

-- As before, with the documents.
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

-- As before, with the documents.
create or replace function private.export_booking(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('reference', b.reference, 'room', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status,
    'cancelReason', b.cancel_reason, 'hours', b.slots, 'contactPhone', b.contact_phone, 'termsVersion', b.terms_version, 'coupon', b.coupon_terms,
    'base', (b.base_cost_cents / 100.0)::numeric(10, 2), 'discount', ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2),
    'total', (b.final_cost_cents / 100.0)::numeric(10, 2), 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at, 'cancelledAt', b.cancelled_at,
    'payments', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('state', x.state, 'amount', (x.amount_cents / 100.0)::numeric(10, 2),
      'paidAt', x.paid_at, 'refunded', (x.refunded_cents / 100.0)::numeric(10, 2)) order by x.created_at), '[]') from private.payment x where x.booking_id = b.id),
    'documents', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('number', d.number, 'kind', d.kind, 'issuedAt', d.issued_at,
      'voidedAt', d.voided_at, 'amount', (d.cents / 100.0)::numeric(10, 2), 'content', d.content) order by d.number), '[]')
      from private.document d where d.booking_id = b.id),
    'moves', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', m.created_at, 'fromStartTime', m.from_start_time,
      'toStartTime', m.start_time) order by m.number), '[]') from private.booking_move m where m.booking_id = b.id),
    'doorCodes', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('issuedAt', c.issued_at, 'seenAt', c.seen_at, 'usedAt', c.used_at)
      order by c.created_at), '[]') from public.booking_access_codes c where c.booking_id = b.id))
$$;
