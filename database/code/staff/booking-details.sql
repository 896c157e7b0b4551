-- Returns everything that the page of a booking shows to staff, as JSON; null if no booking has this reference. The
-- reference may be in any case and with any separators. A hold of new hours leads to the booking that moves. Throws
-- 42501 unless the caller has the permission for bookings or is the service key.
--
-- Amounts are in cents. `history` is the newest 100 entries of the audit log, for those who may read it, otherwise
-- null. The room is given by id as well as by name, because a room can be renamed or retired and two rooms can have had
-- the same name.
create or replace function private.booking_details(reference text)
returns jsonb language plpgsql stable security definer
set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_letters constant text := pg_catalog.upper(
    pg_catalog.regexp_replace(coalesce(booking_details.reference, ''), '[^0-9A-Za-z]', '', 'g'));
  v_b private.booking;
  v_history jsonb;
  -- The booking and the holds of its new hours.
  v_rows uuid[];
begin
  perform private.require_permission('bookings');
  select x.* into v_b
  from private.booking x
  where x.reference = pg_catalog.left(v_letters, 4) || '-' || pg_catalog.substr(v_letters, 5);
  if v_b.moves_booking is not null then
    select x.* into v_b from private.booking x where x.id = v_b.moves_booking;
  end if;
  if v_b.id is null then return null; end if;
  v_rows := array(select v_b.id union all select x.id from private.booking x where x.moves_booking = v_b.id);
  if private.may_read_audit_log() then
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'at', h.created_at, 'actor', coalesce(p.full_name, p.email), 'action', h.action, 'resource', h.resource_type,
      'details', h.details) order by h.created_at desc, h.id)
    into v_history
    from (
      select a.*
      from (
        select 'booking' as type, v_b.id::text as id
        union all
        select 'payment', x.id::text from private.payment x where x.booking_id = any (v_rows)
        union all
        select 'access_code', c.id::text from public.booking_access_codes c where c.booking_id = v_b.id
        union all
        select 'refund', r.id::text
        from private.partial_refund r
        join private.payment x on x.id = r.payment_id
        where x.booking_id = v_b.id
      ) about
      join public.audit_logs a on a.resource_type = about.type and a.resource_id = about.id
      order by a.created_at desc, a.id
      limit 100) h
    left join public.profiles p on p.user_id = h.actor;
  end if;
  return private.booking_columns(v_b) || pg_catalog.jsonb_build_object(
    'notes', v_b.notes,
    'customer', (
      select pg_catalog.jsonb_build_object(
        'hasAccount', v_b.user_id is not null, 'name', coalesce(p.full_name, v_b.guest_name),
        'email', coalesce(p.email, v_b.guest_email), 'phone', coalesce(v_b.contact_phone, p.phone),
        'blocked', v_b.user_id is not null and private.is_blocked(v_b.user_id, pg_catalog.now()))
      from (select 1) one
      left join public.profiles p on p.user_id = v_b.user_id),
    'verification', (
      select pg_catalog.jsonb_build_object('status', v.verification_status, 'until', v.expires_at)
      from public.id_verifications v
      where v.user_id = v_b.user_id
      order by v.verification_status = 'verified' and v.expires_at > pg_catalog.now() desc, v.created_at desc
      limit 1),
    'payments', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'kind', x.kind, 'state', x.state, 'cents', coalesce(x.paid_cents, x.amount_cents),
        'refundedCents', x.refunded_cents, 'at', coalesce(x.paid_at, x.created_at),
        'leftCents', case
          when x.kind <> 'free' and x.state in ('paid', 'disputed') then private.refundable_cents(x.id)
          else 0 end)
        order by x.created_at, x.attempt), '[]')
      from private.payment x
      where x.booking_id = any (v_rows)),
    'refunds', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'cents', r.amount_cents, 'state', r.state, 'reason', r.reason, 'at', r.created_at)
        order by r.created_at, r.id), '[]')
      from private.partial_refund r
      join private.payment x on x.id = r.payment_id
      where x.booking_id = v_b.id),
    'cancellation', (
      select pg_catalog.jsonb_build_object('refund', c.refund, 'cents', c.refund_cents, 'reason', c.reason)
      from private.cancellation c
      where c.booking_id = v_b.id),
    'code', (select pg_catalog.to_jsonb(c) from private.code_times(v_b.id) c),
    'moves', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'studioName', s.name, 'startTime', m.from_start_time, 'endTime', m.from_end_time, 'at', m.created_at)
        order by m.number), '[]')
      from private.booking_move m
      join public.studios s on s.id = m.from_studio_id
      where m.booking_id = v_b.id),
    'noShow', case when v_b.no_show_at is not null then pg_catalog.jsonb_build_object(
      'at', v_b.no_show_at,
      'by', (select coalesce(p.full_name, p.email) from public.profiles p where p.user_id = v_b.no_show_by)) end,
    'staffNotes', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', n.id, 'note', n.note, 'by', coalesce(p.full_name, p.email), 'at', n.created_at)
        order by n.created_at desc, n.id), '[]')
      from private.booking_note n
      left join public.profiles p on p.user_id = n.made_by
      where n.booking_id = v_b.id),
    'waiting', (
      select pg_catalog.jsonb_build_object(
        'holdId', h.id, 'studioName', h.studio_name, 'startTime', h.start_time, 'endTime', h.end_time,
        'cents', h.final_cost_cents, 'until', h.hold_expires_at, 'url', x.url)
      from private.booking h
      join private.payment x on x.booking_id = h.id
      where h.moves_booking = v_b.id and h.status = 'pending'
      order by h.created_at desc, x.attempt desc
      limit 1),
    'mails', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', o.id, 'kind', o.kind, 'dueAt', o.due_at, 'sentAt', o.done_at,
        'problem', coalesce(o.close_reason, case when o.done_at is null then o.last_error end),
        'refusal', private.mail_refusal(o.id, pg_catalog.now()))
        order by o.created_at, o.id), '[]')
      from private.outbox o
      where o.subject_id = any (v_rows) and o.kind in (
        'mail.link-expired', 'mail.booking-confirmed', 'mail.booking-cancelled', 'mail.booking-moved', 'mail.refund',
        'mail.payment-returned', 'mail.payment-processing', 'mail.payment-failed', 'mail.payment-link',
        'mail.access-code', 'mail.id-needed', 'mail.document')),
    'documents', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'number', d.number, 'kind', d.kind, 'cents', d.cents, 'at', d.issued_at, 'void', d.voided_at is not null)
        order by d.number), '[]')
      from private.document d
      where d.booking_id = v_b.id),
    'history', v_history);
end
$$;

-- Returns private.booking_details() with:
--   mayReadId: whether the caller has the permission for IDs. Without it, `verification` is null.
--   codeHeld: whether a dispute withholds the door code.
--   openLink: whether the booking is unpaid and staff made it with a payment link, so that it can be marked as paid. It
--     may be part of an order.
--   heldTogether: {bookings, cents}: how many unpaid bookings the order has, which are confirmed or expire together,
--     and their price. Null if there are none.
create or replace function public.booking_details(reference text)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
declare
  v_identity constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('identity');
  v_details constant jsonb := private.booking_details(booking_details.reference);
begin
  return v_details
    || pg_catalog.jsonb_build_object(
      'mayReadId', v_identity,
      'codeHeld', exists (select from private.code_hold((v_details ->> 'id')::uuid)),
      'openLink', exists (
        select from private.booking b
        where b.id = (v_details ->> 'id')::uuid and b.status = 'pending' and b.made_by is not null
          and b.moves_booking is null),
      'heldTogether', (
        select pg_catalog.jsonb_build_object('bookings', count(*), 'cents', sum(o.final_cost_cents))
        from private.booking o
        join private.booking b on b.order_id = o.order_id
        where b.id = (v_details ->> 'id')::uuid and o.status = 'pending'
        having count(*) > 0))
    || case when v_identity then '{}' else '{"verification": null}' end::jsonb;
end
$$;
grant execute on function public.booking_details(text) to authenticated;
