-- The customer's page of a booking lists every opening of the door. As in 0121, with the openings.
create or replace function public.own_booking(booking text) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
  v_letters constant text := pg_catalog.upper(pg_catalog.regexp_replace(coalesce(own_booking.booking, ''), '[^0-9A-Za-z]', '', 'g'));
  b private.booking;
begin
  if v_user is null then return null; end if;
  if own_booking.booking ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then
    select x.* into b from private.booking x where x.id = own_booking.booking::uuid;
  else
    select x.* into b from private.booking x where x.reference = pg_catalog.left(v_letters, 4) || '-' || pg_catalog.substr(v_letters, 5);
  end if;
  -- The hold of new hours leads to the booking that moves there.
  if b.moves_booking is not null then
    select x.* into b from private.booking x where x.id = b.moves_booking;
  end if;
  if b.id is null or b.user_id is distinct from v_user then return null; end if;
  return pg_catalog.jsonb_build_object(
    'id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time,
    'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at, 'createdAt', b.created_at,
    'confirmedAt', b.confirmed_at, 'cancelledAt', b.cancelled_at, 'freeCancelHours', (b.policy ->> 'freeCancelHours')::numeric,
    'termsStart', coalesce(b.terms_start, b.start_time), 'owedCents', b.owed_cents,
    'totalHours', b.total_hours, 'baseCents', b.base_cost_cents, 'discountCents', b.discount_cents, 'couponCode', b.coupon_terms ->> 'code',
    'couponCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents, 'finalCents', b.final_cost_cents,
    'codeHeld', exists (select from private.code_hold(b.id)),
    'processing', exists (select from private.payment x where x.booking_id = b.id and x.state = 'processing'),
    'payments', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('cents', x.paid_cents, 'at', x.paid_at, 'forMove', x.move_number is not null,
        'online', x.kind = 'card') order by x.paid_at, x.attempt), '[]')
      from private.payment x where x.booking_id = b.id and x.paid_at is not null and x.paid_cents > 0),
    'refunds', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('cents', r.cents, 'at', r.at) order by r.at, r.cents), '[]')
      from (
        select f.amount_cents as cents, f.updated_at as at from private.refund f join private.payment x on x.id = f.payment_id
        where x.booking_id = b.id and f.status = 'succeeded'
        union all
        select p.amount_cents, p.updated_at from private.partial_refund p join private.payment x on x.id = p.payment_id
        where x.booking_id = b.id and p.state = 'manual') r),
    'documents', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('number', d.number, 'kind', d.kind, 'cents', d.cents, 'at', d.issued_at)
        order by d.number), '[]')
      from private.document d where d.booking_id = b.id and d.voided_at is null),
    -- What is decided and has not arrived.
    'refundingCents', (
      select coalesce(sum(case when x.state in ('refund_pending', 'refund_failed') then greatest(0, x.paid_cents - x.refunded_cents)
        else (select coalesce(sum(p.amount_cents), 0) from private.partial_refund p where p.payment_id = x.id and p.state = 'pending') end), 0)
      from private.payment x where x.booking_id = b.id),
    'code', (select pg_catalog.jsonb_build_object('accepted', c.accepted, 'mailed', c.mailed, 'used', c.used) from private.code_times(b.id) c),
    -- Also with codes of hours before a move.
    'openings', (
      select coalesce(pg_catalog.jsonb_agg(c.used_at order by c.used_at), '[]')
      from public.booking_access_codes c where c.booking_id = b.id and c.used_at is not null),
    'moves', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('studioName', s.name, 'startTime', m.from_start_time,
        'endTime', m.from_end_time, 'differenceCents', m.difference_cents, 'at', m.created_at) order by m.number), '[]')
      from private.booking_move m join public.studios s on s.id = m.from_studio_id where m.booking_id = b.id),
    'waiting', (
      select pg_catalog.jsonb_build_object('holdId', h.id, 'studioId', h.studio_id, 'studioName', h.studio_name, 'startTime', h.start_time,
        'endTime', h.end_time, 'cents', h.final_cost_cents, 'until', h.hold_expires_at, 'url', x.url)
      from private.booking h join private.payment x on x.booking_id = h.id
      where h.moves_booking = b.id and h.status = 'pending'
      order by h.created_at desc, x.attempt desc limit 1));
end
$$;
