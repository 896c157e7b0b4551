-- What staff note about a booking, and whether the customer came.

-- Notes are only added, so they are their own history. Customers do not read them.
create table private.booking_note (
  id uuid primary key,
  booking_id uuid not null references private.booking (id),
  note text not null check (char_length(note) between 1 and 2000),
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz not null default clock_timestamp()
);
create index booking_note_by_booking on private.booking_note (booking_id, created_at);
alter table private.booking_note enable row level security, force row level security;

-- When staff marked that the customer did not come, and who; the nil UUID for the service key.
alter table private.booking
  add column no_show_at timestamptz,
  add column no_show_by uuid,
  add constraint booking_no_show check ((no_show_at is null) = (no_show_by is null));

-- Adds a note. The id tells a repeated call, which adds none. Returns false when there is no such booking. The audit log names the note without
-- its words, which may be personal.
create function public.add_booking_note(note_id uuid, booking uuid, note text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  words constant text := pg_catalog.btrim(coalesce(note, ''), E' \t\r\n');
begin
  perform private.require_permission('bookings');
  if not exists (select from private.booking b where b.id = add_booking_note.booking) then return false; end if;
  insert into private.booking_note (id, booking_id, note, made_by)
  values (note_id, add_booking_note.booking, words, coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000')) on conflict (id) do nothing;
  if found then
    perform private.audit(auth.uid(), 'create', 'booking', add_booking_note.booking::text, pg_catalog.jsonb_build_object('note', note_id));
    -- Other pages of staff read the booking again.
    perform realtime.send(pg_catalog.jsonb_build_object('booking_id', add_booking_note.booking), 'booking', 'staff', true);
  end if;
  return true;
end
$$;
grant execute on function public.add_booking_note(uuid, uuid, text) to authenticated;

-- Marks that the customer of a confirmed booking did not come, from its start on, or takes that back. Returns false when that does not fit the
-- booking; the same again changes nothing.
create function public.mark_no_show(booking uuid, missed boolean) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  b private.booking;
  actor constant uuid := coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000');
begin
  perform private.require_permission('bookings');
  select x.* into b from private.booking x where x.id = mark_no_show.booking for update;
  if b.id is null or b.status <> 'confirmed' or b.notes is not distinct from 'test' or missed is null then return false; end if;
  if missed and b.start_time > pg_catalog.now() then return false; end if;
  if missed = (b.no_show_at is not null) then return true; end if;
  update private.booking x set no_show_at = case when missed then pg_catalog.now() end, no_show_by = case when missed then actor end
  where x.id = b.id;
  perform private.audit(auth.uid(), 'update', 'booking', b.id::text,
    pg_catalog.jsonb_build_object('before', pg_catalog.jsonb_build_object('noShow', not missed), 'after', pg_catalog.jsonb_build_object('noShow', missed)));
  perform realtime.send(pg_catalog.jsonb_build_object('booking_id', b.id), 'booking', 'staff', true);
  return true;
end
$$;
grant execute on function public.mark_no_show(uuid, boolean) to authenticated;

-- As before, with the notes of staff and whether the customer came.
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
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', o.kind, 'dueAt', o.due_at, 'sentAt', o.done_at,
        'problem', coalesce(o.close_reason, case when o.done_at is null then o.last_error end)) order by o.created_at, o.id), '[]')
      from private.outbox o
      where o.subject_id = any (v_rows) and o.kind in ('mail.link-expired', 'mail.booking-confirmed', 'mail.booking-cancelled', 'mail.booking-moved', 'mail.refund', 'mail.payment-returned',
        'mail.payment-processing', 'mail.payment-failed', 'mail.payment-link', 'mail.access-code')),
    'history', v_history);
end
$$;
