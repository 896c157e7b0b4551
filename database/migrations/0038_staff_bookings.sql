-- Bookings that staff make, for an account or a guest: to pay by a mailed link, free, or paid elsewhere.

alter table private.booking
  add column guest_name text check (char_length(guest_name) between 1 and 200),
  -- Who of the staff made it, the nil UUID for the service key; null: the customer.
  add column made_by uuid,
  add column request_id text check (char_length(request_id) between 1 and 100),
  -- What staff do not charge.
  add column waived_cents integer not null default 0 check (waived_cents >= 0);
-- The same request makes one booking.
create unique index booking_request on private.booking (request_id) where request_id is not null;

-- elsewhere: staff got the money without the provider, such as cash. Nothing of it is compared with the provider or refunded there.
alter table private.payment
  drop constraint payment_kind_check,
  add constraint payment_kind_check check (kind in ('card', 'free', 'elsewhere')),
  drop constraint payment_free_costs_nothing,
  add constraint payment_free_costs_nothing check (kind <> 'free' or amount_cents = 0),
  add constraint payment_elsewhere_by_hand check (
    kind <> 'elsewhere' or (session_id is null and payment_intent_id is null and state in ('paid', 'refunded')));

-- As before, with the amount that staff do not charge.
create or replace function private.booking_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'cancelled')) then
    raise exception 'a % booking cannot become %', old.status, new.status using errcode = '23514', constraint = 'booking_transition';
  end if;
  if (new.studio_id, new.start_time, new.end_time, new.base_cost_cents, new.discount_cents, new.coupon_discount_cents, new.waived_cents,
      new.final_cost_cents, new.total_hours)
     is distinct from
     (old.studio_id, old.start_time, old.end_time, old.base_cost_cents, old.discount_cents, old.coupon_discount_cents, old.waived_cents,
      old.final_cost_cents, old.total_hours) then
    raise exception 'the quote of a booking is frozen' using errcode = '23514', constraint = 'booking_quote_frozen';
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
    'couponDiscountCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCostCents', b.final_cost_cents,
    'guestEmail', b.guest_email, 'guestName', b.guest_name, 'madeBy', b.made_by, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at)
$$;

-- As before, with the guest's name, and with the waived amount among the discounts.
create or replace view private.visible_booking with (security_barrier = true) as
select b.id, b.reference, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.during, b.status, b.cancel_reason, b.hold_expires_at,
  b.total_hours, b.slots, b.base_cost_cents, b.discount_cents, b.coupon_id, b.coupon_discount_cents, b.final_cost_cents, b.id_verification_id,
  b.terms_version, b.notes, b.guest_email, b.policy, b.created_at, b.updated_at, b.confirmed_at, b.cancelled_at, b.contact_phone,
  b.guest_name, b.waived_cents
from private.booking b
where (select auth.uid() is not null or auth.role() is not distinct from 'service_role')
  and (b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role');

create or replace view public.bookings as
select b.id, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.total_hours,
  (b.base_cost_cents / 100.0)::numeric(10, 2) as base_cost,
  ((b.discount_cents + b.coupon_discount_cents + b.waived_cents) / 100.0)::numeric(10, 2) as discount_amount,
  (b.coupon_discount_cents / 100.0)::numeric(10, 2) as coupon_discount,
  (b.final_cost_cents / 100.0)::numeric(10, 2) as final_cost,
  b.id_verification_id, b.notes, b.guest_email, b.reference, b.cancel_reason, b.hold_expires_at, b.slots, b.created_at, b.confirmed_at, b.cancelled_at,
  b.contact_phone, b.guest_name
from private.visible_booking b
union all
select null, null, b.studio_id, null, b.start_time, b.end_time, b.status, null,
  null, null, null, null,
  null, null, null, null, null, null, null, null, null, null,
  null, null
from private.booking b
where (b.user_id = (select auth.uid())) is not true
  and (select auth.uid() is null or not public.is_staff()) and (select auth.role()) is distinct from 'service_role';

-- As before, without bookings that staff made: they are not the customer's own tries.
create or replace function private.unpaid_holds(p_user uuid, p_now timestamptz) returns setof private.booking language sql stable set search_path = '' as $$
  select b.* from private.booking b
  where b.user_id = p_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test' and b.made_by is null
    and (b.status = 'pending' or b.created_at > p_now - interval '1 hour') and b.cancel_reason is distinct from 'payment_failed'
    and not private.payment_is_processing(b.id)
$$;

-- As before; a guest gets the mail at the address that staff entered.
create or replace function private.schedule_mail() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  ends timestamptz;
begin
  select coalesce(u.email, case when b.user_id is null then b.guest_email end), b.end_time into new.recipient_email, ends
  from private.booking b left join auth.users u on u.id = b.user_id where b.id = new.booking_id;
  if new.recipient_email is null then
    raise exception 'there is nobody to write to for this booking' using errcode = '23514';
  end if;
  if new.status in ('pending', 'pending_immediate') then
    insert into private.outbox (kind, subject_id, dedupe, due_at, deadline_at)
    values ('mail.access-code', new.booking_id, new.id::text, new.scheduled_for, ends) on conflict do nothing;
  end if;
  return new;
end
$$;

-- As before, also of payments made elsewhere.
create or replace function private.limit_partial_refund() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    if (new.payment_id, new.request_key, new.amount_cents) is distinct from (old.payment_id, old.request_key, old.amount_cents)
       or (old.state = 'covered' and new.state <> 'covered') then
      raise exception 'the amount of a refund is frozen' using errcode = '23514', constraint = 'partial_refund_frozen';
    end if;
    return new;
  end if;
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'refunds are made in read committed transactions' using errcode = '25001';
  end if;
  perform from private.payment p where p.id = new.payment_id and p.kind <> 'free' and p.state in ('paid', 'disputed') for update;
  if not found or new.amount_cents > private.refundable_cents(new.payment_id) then
    raise exception 'more than what is left of the payment' using errcode = '23514', constraint = 'partial_refund_within_payment';
  end if;
  return new;
end
$$;

-- Records that staff gave a refund back by hand: closing its job says so. A part of a payment made elsewhere counts as refunded from then on.
create function private.refund_by_hand(p_part uuid, p_now timestamptz) returns void language plpgsql volatile set search_path = '' as $$
declare
  paid private.payment;
  part private.partial_refund;
begin
  select p.* into paid from private.payment p join private.partial_refund x on x.payment_id = p.id where x.id = p_part for update of p;
  update private.partial_refund x set state = case paid.kind when 'elsewhere' then 'done' else 'manual' end
  where x.id = p_part and x.state = 'pending' returning x.* into part;
  if part.id is null or paid.kind <> 'elsewhere' then return; end if;
  insert into private.refund (id, payment_id, amount_cents, status, ours, created_at)
  values ('hand_' || part.id, paid.id, part.amount_cents, 'succeeded', true, p_now);
  update private.payment p set refunded_cents = p.refunded_cents + part.amount_cents, refund_id = 'hand_' || part.id, refund_reason = 'staff',
    state = case when p.refunded_cents + part.amount_cents >= p.paid_cents then 'refunded' else p.state end
  where p.id = paid.id;
end
$$;

-- As before, with refunds by hand.
create or replace function public.close_job(job uuid, reason text) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  why constant text := pg_catalog.btrim(coalesce(reason, ''));
  closed private.outbox;
begin
  perform private.require_permission(coalesce((select 'money' from private.outbox o where o.id = close_job.job and o.kind like 'payment.%'), 'bookings'));
  if pg_catalog.length(why) not between 3 and 500 then
    raise exception 'a reason of 3 to 500 characters is needed' using errcode = '22023';
  end if;
  update private.outbox o set closed_at = pg_catalog.now(), closed_by = auth.uid(), close_reason = why, notified_at = pg_catalog.now()
  where o.id = close_job.job and o.done_at is null and o.closed_at is null
  returning o.* into closed;
  if not found then return false; end if;
  if closed.kind = 'payment.refund' then
    update private.payment p set state = 'refund_manual' where p.id = closed.subject_id and p.state in ('refund_pending', 'refund_failed');
  elsif closed.kind = 'payment.partial-refund' then
    perform private.refund_by_hand(closed.subject_id, closed.closed_at);
  end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text,
    pg_catalog.jsonb_build_object('kind', closed.kind, 'by_hand', 'close', 'reason', why));
  return true;
end
$$;
