-- Queues one more mail for a confirmed booking that has not ended: `mail` is 'access-code' or 'booking-confirmed';
-- other values raise 22023. Returns false if there is no such booking, or if it has neither an account nor the
-- address of a guest. Every call queues a mail. Requires the permission `bookings`.
create or replace function public.send_mail_again(booking uuid, mail text)
returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  v_b private.booking;
begin
  perform private.require_permission('bookings');
  if mail not in ('access-code', 'booking-confirmed') then
    raise exception 'there is no such mail' using errcode = '22023';
  end if;
  select x.* into v_b from private.booking x
  where x.id = send_mail_again.booking and x.status = 'confirmed' and x.end_time > pg_catalog.now();
  if v_b.id is null or (v_b.user_id is null and v_b.guest_email is null) then return false; end if;
  if mail = 'access-code' then
    -- The code is not sent before the newest mail with the code is due; after a move, that is the mail for the new
    -- hours. The trigger of the table queues the job and writes the audit log.
    insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for)
    values (v_b.id, '', 'access_code', 'pending_immediate', greatest(pg_catalog.now(), (
      select m.scheduled_for from public.scheduled_emails m
      where m.booking_id = v_b.id order by m.created_at desc limit 1)));
  else
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    values ('mail.booking-confirmed', v_b.id, 'again:' || pg_catalog.gen_random_uuid(), pg_catalog.now());
    perform private.audit(auth.uid(), 'create', 'booking', v_b.id::text, pg_catalog.jsonb_build_object('mail', mail));
  end if;
  return true;
end
$$;
grant execute on function public.send_mail_again(uuid, text) to authenticated;

-- Queues any mail about a booking once more; `p_mail` is the id of its job. Returns {} if the mail was queued,
-- {refusal} with the reason of mail_refusal() if it cannot be sent again, and null if the booking has no such mail.
-- Idempotent for each `p_request`.
create or replace function private.resend_mail(
  p_booking uuid, p_mail uuid, p_request uuid, p_actor uuid, p_now timestamptz
)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_o private.outbox;
  v_b private.booking;
  v_refusal text;
begin
  -- Locks the booking, so that concurrent requests for it run one after the other.
  perform from private.booking x where x.id = p_booking for update;
  select x.* into v_o from private.outbox x join private.booking y on y.id = x.subject_id
  where x.id = p_mail and p_booking in (y.id, y.moves_booking);
  if v_o.id is null then return null; end if;
  if exists (
    select from private.outbox x
    where x.kind = v_o.kind and x.subject_id = v_o.subject_id
      and x.dedupe in ('again:' || p_request, p_request::text))
  then
    return '{}';
  end if;
  v_refusal := private.mail_refusal(p_mail, p_now);
  if v_refusal is not null then return pg_catalog.jsonb_build_object('refusal', v_refusal); end if;
  select x.* into v_b from private.booking x where x.id = v_o.subject_id;
  if v_o.kind = 'mail.access-code' then
    -- The code is not sent before the newest mail with the code is due. The trigger of the table queues the job.
    insert into public.scheduled_emails (id, booking_id, recipient_email, email_type, status, scheduled_for)
    values (p_request, v_b.id, '', 'access_code', 'pending_immediate', greatest(p_now, (
      select m.scheduled_for from public.scheduled_emails m
      where m.booking_id = v_b.id order by m.created_at desc limit 1)));
  else
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
    values (v_o.kind, v_o.subject_id, 'again:' || p_request,
      v_o.payload || pg_catalog.jsonb_build_object('again', coalesce(v_o.payload ->> 'again', v_o.id::text)), p_now,
      case when v_o.kind = 'mail.payment-link' then v_b.hold_expires_at end);
  end if;
  perform private.audit(p_actor, 'create', 'booking', p_booking::text,
    pg_catalog.jsonb_build_object('mail', pg_catalog.substr(v_o.kind, 6)));
  return '{}';
end
$$;

-- Returns why a mail about a booking cannot be sent again, or null if it can. The content of a mail is written again
-- when it is sent, so a mail is refused if what it states would no longer be true. Mails about money promise the
-- money within ten days, so they are refused after that time ('money_arrived'). A kind of mail without a rule here is
-- 'unknown'.
create or replace function private.mail_refusal(p_mail uuid, p_now timestamptz)
returns text language plpgsql stable set search_path = '' as $$
declare
  v_o private.outbox;
  -- The mail that was sent first, if `v_o` repeats it; otherwise the same row as `v_o`.
  v_root private.outbox;
  -- The subject of the mail: a booking, or the hold that keeps the new hours of a move. `v_k` is always the booking.
  v_b private.booking;
  v_k private.booking;
  v_pay private.payment;
  v_old boolean;
  v_changed boolean;
begin
  select x.* into v_o from private.outbox x where x.id = p_mail and x.kind like 'mail.%';
  select x.* into v_b from private.booking x where x.id = v_o.subject_id;
  if v_b.id is null then return 'unknown'; end if;
  select x.* into v_root from private.outbox x where x.id = coalesce((v_o.payload ->> 'again')::uuid, v_o.id);
  select x.* into v_k from private.booking x where x.id = coalesce(v_b.moves_booking, v_b.id);
  if exists (
    select from private.outbox x
    where x.kind = v_o.kind and x.subject_id = v_o.subject_id and x.done_at is null and x.closed_at is null)
  then
    return 'queued';
  end if;
  if not exists (select from auth.users u where u.id = v_k.user_id and u.deleted_at is null)
    and (v_k.user_id is not null or v_k.guest_email is null)
  then
    return 'no_address';
  end if;
  select x.* into v_pay from private.payment x where x.booking_id = v_b.id order by x.attempt desc limit 1;
  v_old := v_root.due_at < p_now - interval '10 days';
  v_changed := v_b.moves_booking is not null and not (
    v_k.status = 'confirmed' and v_k.moves + 1 = v_b.move_number
    and not exists (select from private.booking x where x.moves_booking = v_k.id and x.status = 'pending'));
  if v_o.kind in ('mail.booking-confirmed', 'mail.access-code', 'mail.booking-moved', 'mail.id-needed') then
    return case
      when v_k.status <> 'confirmed' then 'cancelled'
      when v_k.end_time <= p_now then 'over'
      when v_o.kind = 'mail.booking-moved' and exists (
        select from private.outbox x
        where x.kind = v_o.kind and x.subject_id = v_o.subject_id and not x.payload ? 'again'
          and x.created_at > v_root.created_at) then 'moved_again'
      when v_o.kind = 'mail.booking-moved' and v_old and (v_root.payload ->> 'refundCents')::integer > 0
        then 'money_arrived'
      when v_o.kind = 'mail.id-needed' and not exists (
        select from private.missing_id m join private.lost_verification l on l.user_id = v_k.user_id
        where m.booking_id = v_k.id and m.kept_at is null) then 'not_needed' end;
  end if;
  return case
    when v_o.kind = 'mail.payment-link' then
      case when v_b.status <> 'pending' or v_b.hold_expires_at <= p_now
        or coalesce(v_pay.state, '') not in ('intent', 'open') then 'payment_ended' end
    when v_o.kind = 'mail.payment-processing' then
      case when v_b.status <> 'pending' or coalesce(v_pay.state, '') <> 'processing' then 'payment_ended' end
    when v_changed then 'changed'
    when v_o.kind = 'mail.booking-cancelled' then
      case when v_b.status <> 'cancelled' then 'not_cancelled'
        when v_old and exists (
          select from private.payment x
          where x.booking_id = v_b.id and x.paid_cents > 0 and x.kind <> 'free') then 'money_arrived' end
    when v_o.kind = 'mail.payment-failed' then
      case when v_b.status <> 'cancelled' or coalesce(v_pay.state, '') not in ('failed', 'processing')
        then 'payment_ended' end
    when v_o.kind = 'mail.link-expired' then
      case when v_b.cancel_reason is distinct from 'hold_expired'
        or exists (select from private.cancellation c where c.booking_id = v_b.id) then 'payment_ended' end
    when v_o.kind = 'mail.payment-returned' then
      case when coalesce(v_pay.state, '') not in ('refund_pending', 'refunded', 'refund_failed', 'refund_manual')
        then 'payment_ended'
        when v_old then 'money_arrived' end
    when v_o.kind = 'mail.refund' then
      case when v_old or not exists (
        select from private.partial_refund r
        where r.id::text = v_root.dedupe and r.state in ('pending', 'done')) then 'money_arrived' end
    when v_o.kind = 'mail.document' then null
    else 'unknown' end;
end
$$;
