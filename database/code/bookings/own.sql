-- Functions with which customers read their own bookings.

-- Returns the caller's bookings, the latest hours first, at most 100. Early holds and claims are left out, because
-- the customer cannot pay for them, and so are holds that ended without a booking. Amounts are in dollars; `slots` is
-- null except for a hold.
create or replace function public.own_bookings()
returns table (
  id uuid, reference text, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text,
  cancel_reason text, hold_expires_at timestamptz, total_hours numeric, final_cost numeric, coupon_code text,
  coupon_type text, coupon_value numeric, free_cancel_hours numeric, created_at timestamptz, base_cost numeric,
  volume_discount numeric, slots jsonb, order_id uuid, order_place smallint, order_size smallint,
  terms_start timestamptz
)
language sql stable security definer set search_path = '' as $$
  select b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.cancel_reason,
    b.hold_expires_at, b.total_hours, (b.final_cost_cents / 100.0)::numeric(10, 2), b.coupon_terms ->> 'code',
    b.coupon_terms ->> 'discountType', (b.coupon_terms ->> 'discountValue')::numeric,
    (b.policy ->> 'freeCancelHours')::numeric, b.created_at, (b.base_cost_cents / 100.0)::numeric(10, 2),
    (b.discount_cents / 100.0)::numeric(10, 2), case when b.status = 'pending' then b.slots end,
    b.order_id, b.order_place, b.order_size, coalesce(b.terms_start, b.start_time)
  from private.booking b
  where b.user_id = auth.uid() and b.waitlist_entry_id is null and not b.early
    and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;
grant execute on function public.own_bookings() to authenticated;

-- Returns what the customer's page of a booking shows, as JSON with amounts in cents. `booking` is the id or the
-- reference; the case and punctuation of a reference do not matter. The hold of a waiting move leads to the booking
-- that moves. Null if the booking does not exist or belongs to another account.
create or replace function public.own_booking(booking text) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
  v_letters constant text := pg_catalog.upper(
    pg_catalog.regexp_replace(coalesce(own_booking.booking, ''), '[^0-9A-Za-z]', '', 'g'));
  v_b private.booking;
begin
  if v_user is null then return null; end if;
  if own_booking.booking ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then
    select x.* into v_b from private.booking x where x.id = own_booking.booking::uuid;
  else
    select x.* into v_b from private.booking x
    where x.reference = pg_catalog.left(v_letters, 4) || '-' || pg_catalog.substr(v_letters, 5);
  end if;
  if v_b.moves_booking is not null then
    select x.* into v_b from private.booking x where x.id = v_b.moves_booking;
  end if;
  if v_b.id is null or v_b.user_id is distinct from v_user then return null; end if;
  return private.booking_columns(v_b) || pg_catalog.jsonb_build_object(
    'codeHeld', exists (select from private.code_hold(v_b.id)),
    'processing', exists (select from private.payment x where x.booking_id = v_b.id and x.state = 'processing'),
    'payments', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'cents', x.paid_cents, 'at', x.paid_at, 'forMove', x.move_number is not null, 'online', x.kind = 'card')
        order by x.paid_at, x.attempt), '[]')
      from private.payment x where x.booking_id = v_b.id and x.paid_at is not null and x.paid_cents > 0),
    'refunds', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('cents', r.cents, 'at', r.at)
        order by r.at, r.cents), '[]')
      from (
        select f.amount_cents as cents, f.updated_at as at
        from private.refund f join private.payment x on x.id = f.payment_id
        where x.booking_id = v_b.id and f.status = 'succeeded'
        union all
        select p.amount_cents, p.updated_at
        from private.partial_refund p join private.payment x on x.id = p.payment_id
        where x.booking_id = v_b.id and p.state = 'manual') r),
    'documents', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'number', d.number, 'kind', d.kind, 'cents', d.cents, 'at', d.issued_at) order by d.number), '[]')
      from private.document d where d.booking_id = v_b.id and d.voided_at is null),
    -- Refunds that are decided but have not arrived.
    'refundingCents', (
      select coalesce(sum(
        case
          when x.state in ('refund_pending', 'refund_failed') then greatest(0, x.paid_cents - x.refunded_cents)
          else (
            select coalesce(sum(p.amount_cents), 0) from private.partial_refund p
            where p.payment_id = x.id and p.state = 'pending')
        end), 0)
      from private.payment x where x.booking_id = v_b.id),
    'code', (
      select pg_catalog.jsonb_build_object('accepted', c.accepted, 'mailed', c.mailed, 'used', c.used)
      from private.code_times(v_b.id) c),
    -- Every opening of the door, also with the codes of hours before a move.
    'openings', (
      select coalesce(pg_catalog.jsonb_agg(c.used_at order by c.used_at), '[]')
      from public.booking_access_codes c where c.booking_id = v_b.id and c.used_at is not null),
    'moves', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'studioName', s.name, 'startTime', m.from_start_time, 'endTime', m.from_end_time,
        'differenceCents', m.difference_cents, 'at', m.created_at) order by m.number), '[]')
      from private.booking_move m join public.studios s on s.id = m.from_studio_id where m.booking_id = v_b.id),
    'waiting', (
      select pg_catalog.jsonb_build_object(
        'holdId', h.id, 'studioId', h.studio_id, 'studioName', h.studio_name, 'startTime', h.start_time,
        'endTime', h.end_time, 'cents', h.final_cost_cents, 'until', h.hold_expires_at, 'url', x.url)
      from private.booking h join private.payment x on x.booking_id = h.id
      where h.moves_booking = v_b.id and h.status = 'pending'
      order by h.created_at desc, x.attempt desc limit 1));
end
$$;
grant execute on function public.own_booking(text) to authenticated;
