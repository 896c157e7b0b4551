-- Early holds. While a customer verifies the ID for the first time, the hours that the customer chose are held for ten minutes, so that nobody else takes them.
--
-- An early hold is a pending row of private.booking that has no price and no payment, like a claim of the wait list. The exclusion constraint, closures, live pages
-- and the task that releases expired holds treat it like any other hold. When the customer books the hours, the new hold replaces it. No payment can confirm it. It
-- ends when its time is over.

alter table private.booking
  add column early boolean not null default false,
  add constraint booking_early_is_no_booking check (
    not early or (status <> 'confirmed' and waitlist_entry_id is null and moves_booking is null and order_id is null));
create index booking_early_by_user on private.booking (user_id, created_at) where early;
create index booking_early_by_studio on private.booking (studio_id, created_at) where early;

-- Holds hours for an account without a verified ID, and returns what happened:
--   {outcome: 'held', until}   also for a repeated call, which returns the same time
--   {outcome: 'verified'}      the customer has a verified ID and can pay at once
--   {outcome: 'taken'}         somebody has some of the hours, or they belong to the customer already
--   {outcome: 'limit'}         one of the limits below is reached
-- An account has one early hold at a time: a call for other hours replaces the earlier one. `p_hours` is how many hours would be paid for. `p_address` is the network
-- address of the caller, or '' when it is unknown.
create function private.hold_early(
  p_user uuid, p_studio uuid, p_start timestamptz, p_end timestamptz, p_hours integer, p_address text, p_now timestamptz
) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_span constant tstzrange := pg_catalog.tstzrange(p_start, p_end, '[)');
  factor constant numeric := coalesce((select (x.value #>> '{}')::numeric from private.settings x where x.name = 'limit_factor'), 1);
  held private.booking;
  replaced uuid;
begin
  -- As in hold_booking, so that two requests of one person count each other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || p_user::text, 0));
  select * into held from private.booking b
  where b.user_id = p_user and b.early and b.status = 'pending' and b.hold_expires_at > p_now and b.studio_id = p_studio and b.during @> v_span;
  if found then
    return pg_catalog.jsonb_build_object('outcome', 'held', 'until', held.hold_expires_at);
  end if;
  if exists (
    select from public.id_verifications v where v.user_id = p_user and v.verification_status = 'verified' and v.expires_at > p_now
  ) then return '{"outcome": "verified"}'; end if;
  if p_hours > 4
    or (select count(*) from private.booking b where b.user_id = p_user and b.early and b.created_at > p_now - interval '1 day') >= 3 * factor
    or exists (
      select from private.booking b
      where b.studio_id = p_studio and b.early and b.created_at > p_now - interval '1 hour' and b.during && v_span)
    or (select p_hours > a.fit from private.unpaid_allowance(p_user, p_now, '{}') a)
  then return '{"outcome": "limit"}'; end if;
  if not private.is_free(p_studio, v_span) then return '{"outcome": "taken"}'; end if;
  if p_address <> '' and private.take_limit('early-hold', p_address, 3 * factor, 3600, p_now) is not null then
    return '{"outcome": "limit"}';
  end if;
  for replaced in
    update private.booking b set status = 'cancelled', cancel_reason = 'replaced' where b.user_id = p_user and b.early and b.status = 'pending'
    returning b.id
  loop
    perform private.audit(null, 'update', 'booking', replaced::text, '{"status": "cancelled", "reason": "replaced"}');
  end loop;
  insert into private.booking (reference, user_id, early, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours,
    base_cost_cents, final_cost_cents, created_at)
  select private.new_reference(), p_user, true, s.id, s.name, p_start, p_end, 'pending', p_now + interval '10 minutes', p_hours, 0, 0, p_now
  from public.studios s where s.id = p_studio and s.active
  on conflict do nothing returning * into held;
  if not found then return '{"outcome": "taken"}'; end if;
  perform private.audit(null, 'create', 'booking', held.id::text, '{"status": "pending", "reason": "id_check"}');
  return pg_catalog.jsonb_build_object('outcome', 'held', 'until', held.hold_expires_at);
end
$$;
revoke execute on function private.hold_early(uuid, uuid, timestamptz, timestamptz, integer, text, timestamptz) from public;

-- This version leaves early holds out. They have their own limits, and the customer has not tried to pay for them.
create or replace function private.unpaid_holds(p_user uuid, p_now timestamptz) returns setof private.booking language sql stable set search_path = '' as $$
  select b.* from private.booking b
  where b.user_id = p_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test' and b.made_by is null
    and b.waitlist_entry_id is null and not b.early and (b.order_id is null or b.order_id = b.id)
    and (b.status = 'pending' or b.created_at > p_now - interval '1 hour') and b.cancel_reason is distinct from 'payment_failed'
    and not private.payment_is_processing(b.id)
$$;

-- This version leaves early holds out, because the customer cannot pay for them.
create or replace function public.own_bookings() returns table (
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
  where b.user_id = auth.uid() and b.waitlist_entry_id is null and not b.early
    and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;
