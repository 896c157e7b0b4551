-- What the bookings whose sessions start in a range add up to, and who made them. What was sold is the base less the discounts and less what staff do
-- not charge. A person is an account, or the address of a guest.
create function private.booking_totals(p_from timestamptz, p_to timestamptz, p_studio uuid) returns jsonb language sql stable set search_path = '' as $$
  with started as materialized (
    select b.* from private.booking b
    where b.start_time >= p_from and b.start_time < p_to and b.notes is distinct from 'test' and (p_studio is null or b.studio_id = p_studio)
  ), sold as (
    select s.*, extract(epoch from s.start_time - s.created_at) / 3600 as lead_hours from started s where s.status = 'confirmed'
  ), people as (
    select distinct s.user_id, case when s.user_id is null then s.guest_email end as email from sold s where s.user_id is not null or s.guest_email is not null
  ), regulars as (
    select count(*) as n from people p where exists (
      select from private.booking b where b.user_id = p.user_id and b.start_time < p_from and b.status = 'confirmed' and b.notes is distinct from 'test')
      or exists (select from private.booking b where p.user_id is null and b.user_id is null and b.guest_email = p.email and b.start_time < p_from
        and b.status = 'confirmed')
  )
  select pg_catalog.jsonb_build_object(
    'sessions', (select count(*) from sold),
    'hours', (select coalesce(sum(s.total_hours), 0)::double precision from sold s),
    'baseCents', (select coalesce(sum(s.base_cost_cents), 0) from sold s),
    'volumeDiscountCents', (select coalesce(sum(s.discount_cents), 0) from sold s),
    'couponDiscountCents', (select coalesce(sum(s.coupon_discount_cents), 0) from sold s),
    'waivedCents', (select coalesce(sum(s.waived_cents), 0) from sold s),
    'soldCents', (select coalesce(sum(s.final_cost_cents), 0) from sold s),
    'cancelled', (select count(*) from started s where s.status = 'cancelled' and s.confirmed_at is not null),
    'unpaidHolds', (select count(*) from started s where s.cancel_reason in ('hold_expired', 'abandoned', 'payment_failed') and s.confirmed_at is null),
    'unpaidCents', (select coalesce(sum(s.final_cost_cents), 0) from started s
      where s.cancel_reason in ('hold_expired', 'abandoned', 'payment_failed') and s.confirmed_at is null),
    'customers', (select count(*) from people),
    'returningCustomers', (select n from regulars),
    'medianLeadHours', (select pg_catalog.percentile_cont(0.5) within group (order by s.lead_hours) from sold s))
$$;
