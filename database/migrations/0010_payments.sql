-- Payments: a row before every provider call, a stable key, and a state that only moves along promises section 3.

create table private.payment (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references private.booking (id),
  attempt integer not null check (attempt > 0),
  kind text not null check (kind in ('card', 'free')),
  state text not null default 'intent' check (state in
    ('intent', 'open', 'expired', 'paid', 'refund_pending', 'refunded', 'refund_failed', 'refund_manual', 'disputed')),
  -- Idempotency key of the create call; changes with the attempt.
  key text not null unique,
  session_id text unique,
  url text,
  session_expires_at timestamptz,
  amount_cents integer not null check (amount_cents >= 0),
  currency text not null default 'aud' check (currency = 'aud'),
  payment_intent_id text,
  refund_id text,
  refund_reason text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  paid_at timestamptz,
  unique (booking_id, attempt),
  constraint payment_free_costs_nothing check (kind = 'card' or amount_cents = 0)
);
-- One open session and one kept payment per booking (promises G5).
create unique index payment_one_open on private.payment (booking_id) where state in ('intent', 'open');
create unique index payment_one_paid on private.payment (booking_id) where state in ('paid', 'disputed');
create index payment_to_refund on private.payment (updated_at) where state in ('refund_pending', 'refund_failed');
alter table private.payment enable row level security;
alter table private.payment force row level security;
create trigger payment_updated_at before update on private.payment for each row execute function private.set_updated_at();

create function private.payment_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.state <> new.state and (old.state, new.state) not in (
    ('intent', 'open'), ('intent', 'expired'), ('intent', 'paid'), ('intent', 'refund_pending'), ('open', 'expired'), ('open', 'paid'), ('open', 'refund_pending'),
    -- A session we gave up on that turns out to be paid after all is refunded, never forgotten.
    ('expired', 'refund_pending'),
    ('paid', 'refund_pending'), ('paid', 'disputed'), ('disputed', 'paid'), ('refund_pending', 'refunded'), ('refund_pending', 'refund_failed'),
    ('refunded', 'refund_failed'), ('refund_failed', 'refund_pending'), ('refund_failed', 'refund_manual')) then
    raise exception 'a payment cannot go from % to %', old.state, new.state using errcode = '23514', constraint = 'payment_transition';
  end if;
  if (new.booking_id, new.amount_cents, new.currency, new.kind, new.key) is distinct from (old.booking_id, old.amount_cents, old.currency, old.kind, old.key) then
    raise exception 'what a payment is for is frozen' using errcode = '23514', constraint = 'payment_frozen';
  end if;
  return new;
end
$$;
create trigger payment_transition before update on private.payment for each row execute function private.payment_transition();

-- Never confirmed without payment (promises G4): looked at again when the transaction ends.
create function private.require_payment() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.status <> 'confirmed' or new.notes is not distinct from 'test' then return null; end if;
  if not exists (
    select from private.payment p where p.booking_id = new.id and p.state in ('paid', 'disputed') and p.amount_cents = new.final_cost_cents
  ) then
    raise exception 'booking % is not paid', new.id using errcode = '23514', constraint = 'booking_confirmed_is_paid';
  end if;
  return null;
end
$$;
create constraint trigger booking_confirmed_is_paid after insert or update of status on private.booking
  deferrable initially deferred for each row execute function private.require_payment();

-- Events are remembered once and then looked up at the provider; what they say is not believed (promises F6).
create table private.webhook_inbox (
  provider text not null,
  event_id text not null,
  type text not null,
  object_id text not null,
  received_at timestamptz not null default clock_timestamp(),
  handled_at timestamptz,
  primary key (provider, event_id)
);
create index webhook_inbox_waiting on private.webhook_inbox (received_at) where handled_at is null;
alter table private.webhook_inbox enable row level security;
alter table private.webhook_inbox force row level security;

-- Everything hold() must know of a person, a room and a code, in one look.
create function private.checkout_json(p_user uuid, p_studio uuid, p_code text, p_hours numeric, p_now timestamptz)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  coupon public.discount_codes;
begin
  if p_code is not null then
    select * into coupon from public.discount_codes d where pg_catalog.upper(d.code) = pg_catalog.upper(p_code);
  end if;
  return pg_catalog.jsonb_build_object(
    'studio', (select pg_catalog.jsonb_build_object('id', s.id, 'name', s.name) from public.studios s where s.id = p_studio and s.active),
    'profile', (select pg_catalog.jsonb_build_object('fullName', p.full_name, 'dateOfBirth', p.date_of_birth, 'email', p.email, 'phone', p.phone)
      from public.profiles p where p.user_id = p_user),
    'mailConfirmed', (select u.email_confirmed_at is not null from auth.users u where u.id = p_user),
    'termsAccepted', (select pg_catalog.jsonb_agg(t.version) from public.terms_acceptances t where t.user_id = p_user),
    'verification', (select pg_catalog.jsonb_build_object('id', v.id, 'expiresAt', v.expires_at) from public.id_verifications v
      where v.user_id = p_user and v.verification_status = 'verified' and v.expires_at > p_now order by v.expires_at desc limit 1),
    'coupon', case when p_code is null then null else pg_catalog.jsonb_build_object(
      'id', coupon.id, 'code', coupon.code, 'discountType', coupon.discount_type, 'discountValue', coupon.discount_value,
      'problem', private.coupon_problem(coupon, p_user, p_hours, p_now)) end
  );
end
$$;

-- hold(): the only way in. One statement, one transaction; answers what happened:
--   {outcome: 'held'|'existing', booking, payment} · {outcome: 'taken', expired: [ids]} · {outcome: 'too_many_holds'} · {outcome: 'replace', bookingId}
-- Raises HC001 when the code ran out between the quote and now; everything is undone.
create function private.hold_booking(p jsonb, p_now timestamptz) returns jsonb language plpgsql set search_path = '' as $$
declare
  v_user constant uuid := (p ->> 'userId')::uuid;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  v_cents constant integer := (p ->> 'finalCostCents')::integer;
  v_coupon constant uuid := (p ->> 'couponId')::uuid;
  held private.booking;
  due private.payment;
  live integer;
  recent integer;
begin
  -- One person's holds are counted one at a time.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || v_user::text, 0));

  select * into held from private.booking b
  where b.user_id = v_user and b.studio_id = v_studio and b.status = 'pending' and b.start_time = v_start and b.end_time = v_end;
  if found then
    if held.final_cost_cents <> v_cents or held.coupon_id is distinct from v_coupon then
      return pg_catalog.jsonb_build_object('outcome', 'replace', 'bookingId', held.id);
    end if;
    select * into due from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1;
    if held.hold_expires_at > p_now then
      return pg_catalog.jsonb_build_object('outcome', 'existing', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
    end if;
    return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', pg_catalog.jsonb_build_array(held.id));
  end if;

  select count(*) filter (where b.status = 'pending'), count(*) filter (where b.created_at > p_now - interval '1 hour' and b.cancel_reason is distinct from 'replaced')
  into live, recent
  from private.booking b where b.user_id = v_user and (b.status = 'pending' or b.created_at > p_now - interval '1 hour');
  if live >= (p ->> 'maxLiveHolds')::integer or recent >= (p ->> 'holdsPerHour')::integer then
    return pg_catalog.jsonb_build_object('outcome', 'too_many_holds', 'live', live);
  end if;

  insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, slots,
    base_cost_cents, discount_cents, coupon_id, coupon_discount_cents, final_cost_cents, id_verification_id, terms_version, policy, created_at)
  values (private.new_reference(), v_user, v_studio, p ->> 'studioName', v_start, v_end, 'pending', (p ->> 'holdExpiresAt')::timestamptz,
    (p ->> 'totalHours')::numeric, p -> 'slots', (p ->> 'baseCostCents')::integer, (p ->> 'discountCents')::integer, v_coupon,
    (p ->> 'couponDiscountCents')::integer, v_cents, (p ->> 'idVerificationId')::uuid, p ->> 'termsVersion', p -> 'policy', p_now)
  on conflict do nothing returning * into held;
  if held.id is null then
    return pg_catalog.jsonb_build_object('outcome', 'taken', 'expired', coalesce((
      select pg_catalog.jsonb_agg(b.id) from private.booking b
      where b.studio_id = v_studio and b.status = 'pending' and b.hold_expires_at <= p_now and b.during && pg_catalog.tstzrange(v_start, v_end, '[)')), '[]'));
  end if;

  if v_coupon is not null then
    update public.discount_codes d set current_uses = d.current_uses + 1
    where d.id = v_coupon and d.active and (d.expires_at is null or d.expires_at > p_now) and (d.max_uses is null or d.current_uses < d.max_uses)
      and d.discount_type = p ->> 'couponType' and d.discount_value = (p ->> 'couponValue')::numeric
      and (d.per_user_limit is null or d.per_user_limit > (
        select count(*) from private.coupon_redemption r where r.coupon_id = v_coupon and r.user_id = v_user and r.state <> 'returned'));
    if not found then
      raise exception 'This code has been fully used.' using errcode = 'HC001';
    end if;
    insert into private.coupon_redemption (booking_id, coupon_id, user_id) values (held.id, v_coupon, v_user);
  end if;

  insert into public.terms_acceptances (user_id, version, accepted_at) values (v_user, p ->> 'termsVersion', p_now) on conflict do nothing;

  insert into private.payment (booking_id, attempt, kind, key, amount_cents, session_expires_at, session_id)
  values (held.id, 1, case when v_cents = 0 then 'free' else 'card' end, 'create:' || held.id || ':1', v_cents,
    (p ->> 'sessionExpiresAt')::timestamptz, case when v_cents = 0 then 'free_' || held.id end)
  returning * into due;
  return pg_catalog.jsonb_build_object('outcome', 'held', 'booking', private.booking_json(held), 'payment', private.payment_json(due));
end
$$;

create function private.booking_json(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'userId', b.user_id, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at,
    'totalHours', b.total_hours, 'slots', b.slots, 'baseCostCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponDiscountCents', b.coupon_discount_cents, 'finalCostCents', b.final_cost_cents, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at)
$$;
create function private.payment_json(x private.payment) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', x.id, 'bookingId', x.booking_id, 'attempt', x.attempt, 'kind', x.kind, 'state', x.state, 'key', x.key,
    'sessionId', x.session_id, 'url', x.url, 'sessionExpiresAt', x.session_expires_at, 'amountCents', x.amount_cents,
    'paymentIntentId', x.payment_intent_id, 'refundId', x.refund_id, 'createdAt', x.created_at)
$$;
revoke all on function private.checkout_json(uuid, uuid, text, numeric, timestamptz), private.hold_booking(jsonb, timestamptz),
  private.booking_json(private.booking), private.payment_json(private.payment) from public;
