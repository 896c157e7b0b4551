-- Returns the totals of the bookings whose sessions start in [p_from, p_to), of one studio or of all, as JSON with
-- amounts in cents, and the number of their customers. What was sold is the base price less the discounts and less
-- what staff waived. A customer is an account or the address of a guest, and a returning customer had a confirmed
-- booking before the range. Test bookings are left out.
create or replace function private.booking_totals(p_from timestamptz, p_to timestamptz, p_studio uuid) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_totals jsonb;
  v_people jsonb;
begin
  select pg_catalog.jsonb_build_object(
    'sessions', count(*) filter (where s.sold),
    'hours', coalesce(sum(s.total_hours) filter (where s.sold), 0)::double precision,
    'baseCents', coalesce(sum(s.base_cost_cents) filter (where s.sold), 0),
    'volumeDiscountCents', coalesce(sum(s.discount_cents) filter (where s.sold), 0),
    'couponDiscountCents', coalesce(sum(s.coupon_discount_cents) filter (where s.sold), 0),
    'waivedCents', coalesce(sum(s.waived_cents) filter (where s.sold), 0),
    'soldCents', coalesce(sum(s.final_cost_cents) filter (where s.sold), 0),
    'cancelled', count(*) filter (where s.status = 'cancelled' and s.confirmed_at is not null),
    'unpaidHolds', count(*) filter (where s.unpaid),
    'unpaidCents', coalesce(sum(s.final_cost_cents) filter (where s.unpaid), 0),
    'medianLeadHours', pg_catalog.percentile_cont(0.5) within group (order by s.lead_hours) filter (where s.sold))
  into v_totals
  from (
    select b.*, b.status = 'confirmed' as sold,
      b.cancel_reason in ('hold_expired', 'abandoned', 'payment_failed') and b.confirmed_at is null as unpaid,
      pg_catalog.date_part('epoch', b.start_time - b.created_at) / 3600 as lead_hours
    from private.booking b
    where b.start_time >= p_from and b.start_time < p_to and b.notes is distinct from 'test'
      and (p_studio is null or b.studio_id = p_studio)) s;
  select pg_catalog.jsonb_build_object(
    'customers', count(*),
    'returningCustomers', count(*) filter (where
      exists (
        select from private.booking b
        where b.user_id = p.user_id and b.start_time < p_from and b.status = 'confirmed'
          and b.notes is distinct from 'test')
      or exists (
        select from private.booking b
        where p.user_id is null and b.user_id is null and b.guest_email = p.email and b.start_time < p_from
          and b.status = 'confirmed' and b.notes is distinct from 'test')))
  into v_people
  from (
    select distinct b.user_id, case when b.user_id is null then b.guest_email end as email from private.booking b
    where b.start_time >= p_from and b.start_time < p_to and b.status = 'confirmed' and b.notes is distinct from 'test'
      and (p_studio is null or b.studio_id = p_studio) and (b.user_id is not null or b.guest_email is not null)) p;
  return v_totals || v_people;
end
$$;
