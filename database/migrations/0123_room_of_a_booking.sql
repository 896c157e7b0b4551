-- The details of a booking name its room by id: a room can be renamed or retired, and two rooms can have had one name.
create or replace function private.booking_details(reference text) returns jsonb
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
    'id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status,
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
