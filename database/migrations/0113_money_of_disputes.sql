-- What disputes did with our money: the customer's bank takes it when a dispute opens, and gives it back when we win.

alter table private.dispute add column won_at timestamptz;
update private.dispute set won_at = updated_at where status = 'won';
alter table private.dispute add constraint dispute_won_at check (won_at is null or status = 'won');
create index dispute_by_opening on private.dispute (opened_at, id);
create index dispute_by_win on private.dispute (won_at, id) where won_at is not null;

-- The money that disputes moved in a time, in cents: negative when the bank took it, positive when it came back. Inquiries (warning_) and disputes that the
-- provider prevented moved none. The dispute of an order belongs to the first of its bookings.
create function private.dispute_money(p_from timestamptz, p_until timestamptz) returns table (
  id text, dispute_id text, payment_id uuid, booking_id uuid, at timestamptz, cents integer
)
language sql stable set search_path = '' as $$
  select x.id, x.dispute_id, x.payment_id, p.booking_id, x.at, x.cents from (
    select d.id, d.id as dispute_id, d.payment_id, d.opened_at as at, -d.amount_cents as cents, d.provider_status from private.dispute d
    where d.opened_at >= p_from and d.opened_at < p_until
    union all
    select d.id || '+', d.id, d.payment_id, d.won_at, d.amount_cents, d.provider_status from private.dispute d
    where d.won_at >= p_from and d.won_at < p_until
  ) x join private.payment p on p.id = x.payment_id
  where x.provider_status not like 'warning\_%' and x.provider_status <> 'prevented'
$$;
revoke execute on function private.dispute_money(timestamptz, timestamptz) from public;

-- As before, and what disputes took: less what was won back.
create or replace function private.money_by_month(p_from timestamptz, p_to timestamptz, p_studio uuid) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  return (
    with month as (
      select pg_catalog.to_char(m.first, 'YYYY-MM') as name, greatest(m.first at time zone 'Australia/Sydney', p_from) as starts,
        least((m.first + interval '1 month') at time zone 'Australia/Sydney', p_to) as ends
      from pg_catalog.generate_series(pg_catalog.date_trunc('month', p_from at time zone 'Australia/Sydney'), p_to at time zone 'Australia/Sydney',
        interval '1 month') m(first)
    ), money as (
      select m.name, coalesce(paid.cents, 0) as paid, coalesce(refunded.cents, 0) as refunded,
        coalesce(disputed.cents, 0) as disputed from month m
      cross join lateral (
        select sum(p.paid_cents) as cents from private.payment p
        where p.paid_at >= m.starts and p.paid_at < m.ends and p.paid_cents > 0
          and (p_studio is null or exists (select from private.booking b where b.id = p.booking_id and b.studio_id = p_studio))) paid
      cross join lateral (
        select sum(r.amount_cents) as cents from private.refund r join private.payment p on p.id = r.payment_id
        where r.created_at >= m.starts and r.created_at < m.ends and r.status = 'succeeded'
          and (p_studio is null or exists (select from private.booking b where b.id = p.booking_id and b.studio_id = p_studio))) refunded
      cross join lateral (
        select -sum(d.cents) as cents from private.dispute_money(m.starts, m.ends) d
        where p_studio is null or exists (select from private.booking b where b.id = d.booking_id and b.studio_id = p_studio)) disputed
    )
    select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('month', m.name, 'paidCents', m.paid, 'refundedCents', m.refunded,
        'disputedCents', m.disputed) order by m.name), '[]')
    from money m where m.paid > 0 or m.refunded > 0 or m.disputed <> 0);
end
$$;
