-- Reads of the back office that took too long with 100,000 bookings. Each answers the same as before.

create index booking_sold_hours on private.booking (start_time) include (end_time, studio_id) where status = 'confirmed' and notes is distinct from 'test';
create index payment_paid_cents on private.payment (paid_at) include (paid_cents, booking_id) where paid_at is not null and paid_cents > 0;
-- Incidents that are not done come first.
create index incident_listed on private.incident ((state = 'done'), created_at desc, id);
drop index private.incident_newest;
create index profiles_newest on public.profiles (created_at desc, user_id);

-- Seconds that Sydney is ahead of UTC.
create function private.studio_offset(p_at timestamptz) returns integer language sql immutable set search_path = '' as $$
  select pg_catalog.date_part('epoch', (p_at at time zone 'Australia/Sydney') - (p_at at time zone 'UTC'))::integer
$$;

-- The parts of a range in which Sydney's offset stays the same.
create function private.studio_offsets(p_from timestamptz, p_to timestamptz) returns table (starts timestamptz, ends timestamptz, "offset" integer)
language sql stable rows 3 set search_path = '' as $$
  with change as (
    select h.at from pg_catalog.generate_series(p_from, p_to, interval '1 day') d(at)
    cross join lateral pg_catalog.generate_series(d.at + interval '1 hour', d.at + interval '1 day', interval '1 hour') h(at)
    where private.studio_offset(d.at) <> private.studio_offset(d.at + interval '1 day')
      and private.studio_offset(h.at) <> private.studio_offset(h.at - interval '1 hour') and h.at < p_to
    union select p_from
  )
  select c.at, coalesce(lead(c.at) over (order by c.at), p_to), private.studio_offset(c.at) from change c
$$;

-- As before. Spans that begin in the same second of a week and last as long are counted once and then split into hours: asking the time zone for each
-- hour of each booking of a year took a quarter of a second.
create or replace function private.occupancy(p_from timestamptz, p_to timestamptz, p_studio uuid) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  return (
    with part as materialized (
      select * from private.studio_offsets(p_from, p_to)
    ), studio as materialized (
      select s.id from public.studios s where case when p_studio is null then s.active else s.id = p_studio end
    ), span as (
      select 'booked' as kind, p."offset", greatest(b.start_time, p.starts) as starts, least(b.end_time, p.ends) as ends, 1 as times
      from part p join private.booking b on b.start_time < p.ends and b.end_time > p.starts
      where b.start_time > p_from - interval '25 hours' and b.start_time < p_to and b.status = 'confirmed' and b.notes is distinct from 'test'
        and b.studio_id in (select id from studio)
      union all
      -- Closures may overlap each other; an hour is closed once.
      select 'closed', p."offset", greatest(pg_catalog.lower(c.closed), p.starts), least(pg_catalog.upper(c.closed), p.ends), 1
      from (
        select pg_catalog.unnest(pg_catalog.range_agg(x.during)) as closed from private.closed_span x
        where x.end_time > p_from and x.start_time < p_to and x.studio_id in (select id from studio)
        group by x.studio_id
      ) c join part p on pg_catalog.lower(c.closed) < p.ends and pg_catalog.upper(c.closed) > p.starts
      union all
      select 'possible', p."offset", p.starts, p.ends, (select count(*)::integer from studio) from part p
    ), alike as (
      -- 1970 began on a Thursday, three days into a week that begins on Monday.
      select s.kind, (pg_catalog.date_part('epoch', s.starts)::bigint + s."offset" + 3 * 86400) % 604800 as at,
        pg_catalog.date_part('epoch', s.ends)::bigint - pg_catalog.date_part('epoch', s.starts)::bigint as seconds, sum(s.times) as times
      from span s group by 1, 2, 3
    ), hour as (
      select h.number % 168 as number, a.kind, sum(a.times * (least(a.at + a.seconds, (h.number + 1) * 3600) - greatest(a.at, h.number * 3600))) / 3600 as hours
      from alike a cross join lateral pg_catalog.generate_series(a.at / 3600, (a.at + a.seconds - 1) / 3600) h(number)
      group by 1, 2
    ), week as (
      select h.number, coalesce(sum(h.hours) filter (where h.kind = 'booked'), 0) as booked,
        sum(case h.kind when 'possible' then h.hours when 'closed' then - h.hours else 0 end) as open
      from hour h group by 1
    )
    select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('weekday', w.number / 24 + 1, 'hour', w.number % 24,
        'booked', w.booked::double precision, 'open', w.open::double precision) order by w.number), '[]')
    from week w);
end
$$;
drop function private.studio_hours(timestamptz, timestamptz);

-- As before, month by month: asking the time zone for each payment took longer than reading it.
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
      select m.name, coalesce(paid.cents, 0) as paid, coalesce(refunded.cents, 0) as refunded from month m
      cross join lateral (
        select sum(p.paid_cents) as cents from private.payment p
        where p.paid_at >= m.starts and p.paid_at < m.ends and p.paid_cents > 0
          and (p_studio is null or exists (select from private.booking b where b.id = p.booking_id and b.studio_id = p_studio))) paid
      cross join lateral (
        select sum(r.amount_cents) as cents from private.refund r join private.payment p on p.id = r.payment_id
        where r.created_at >= m.starts and r.created_at < m.ends and r.status = 'succeeded'
          and (p_studio is null or exists (select from private.booking b where b.id = p.booking_id and b.studio_id = p_studio))) refunded
    )
    select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('month', m.name, 'paidCents', m.paid, 'refundedCents', m.refunded) order by m.name), '[]')
    from money m where m.paid > 0 or m.refunded > 0);
end
$$;

-- As before, in one read of the bookings.
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
    select b.*, b.status = 'confirmed' as sold, b.cancel_reason in ('hold_expired', 'abandoned', 'payment_failed') and b.confirmed_at is null as unpaid,
      pg_catalog.date_part('epoch', b.start_time - b.created_at) / 3600 as lead_hours
    from private.booking b
    where b.start_time >= p_from and b.start_time < p_to and b.notes is distinct from 'test' and (p_studio is null or b.studio_id = p_studio)) s;
  select pg_catalog.jsonb_build_object('customers', count(*), 'returningCustomers', count(*) filter (where
    exists (select from private.booking b where b.user_id = p.user_id and b.start_time < p_from and b.status = 'confirmed' and b.notes is distinct from 'test')
    or exists (select from private.booking b where p.user_id is null and b.user_id is null and b.guest_email = p.email and b.start_time < p_from
      and b.status = 'confirmed')))
  into v_people
  from (
    select distinct b.user_id, case when b.user_id is null then b.guest_email end as email from private.booking b
    where b.start_time >= p_from and b.start_time < p_to and b.status = 'confirmed' and b.notes is distinct from 'test'
      and (p_studio is null or b.studio_id = p_studio) and (b.user_id is not null or b.guest_email is not null)) p;
  return v_totals || v_people;
end
$$;

-- As before. The bookings to come are found by their start: without that bound every booking of the room was counted.
create or replace function public.staff_rooms() returns table (id uuid, room jsonb, upcoming integer)
language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('settings')) then return; end if;
  return query
    select s.id, private.room_json(s.id),
      (select count(*)::integer from private.booking b
        where b.studio_id = s.id and b.start_time > pg_catalog.now() - interval '25 hours' and b.status <> 'cancelled' and b.end_time > pg_catalog.now())
    from public.studios s order by s.active desc, s.sort_order, s.name;
end
$$;

-- As before. The newest entries of each lock are found first, and only they are joined: otherwise every entry of the time was. The booking of an entry
-- is found by its key or by its time, each with an index; in one condition both read every booking for each entry.
create or replace function private.door_log(p_locks jsonb, p_from timestamptz, p_until timestamptz, p_booking uuid, p_most integer) returns table (
  at timestamptz, kind text, studio_id uuid, studio_name text, reference text, by_code boolean, start_time timestamptz, customer_name text, actor text
)
language sql stable set search_path = '' as $$
  with entry as materialized (
    select l.value::uuid as studio_id, e.* from pg_catalog.jsonb_each_text(p_locks) l
    cross join lateral (
      select x.* from private.lock_event x where x.lock_id = l.key and x.at >= p_from and x.at < p_until
      order by x.at desc limit case when p_booking is null then p_most end) e
    order by e.at desc, e.id limit case when p_booking is null then p_most end
  )
  select e.at, e.kind, s.id, s.name, b.reference, c.booking_id is not null, b.start_time, coalesce(p.full_name, b.guest_name),
    coalesce((select a.full_name from public.profiles a where a.user_id = e.actor), t.name)
  from entry e
  join public.studios s on s.id = e.studio_id
  left join lateral (select x.booking_id from public.booking_access_codes x where x.id = e.code_id) c on true
  left join lateral (select x.id, x.name from private.staff_code x where x.id = e.staff_code_id) t on true
  left join lateral (
    select x.id, x.reference, x.start_time, x.guest_name, x.user_id from private.booking x where x.id = c.booking_id
    union all (
      select x.id, x.reference, x.start_time, x.guest_name, x.user_id from private.booking x
      where c.booking_id is null and t.id is null and x.studio_id = s.id and x.status = 'confirmed' and x.start_time <= e.at
        and x.start_time > e.at - interval '25 hours' and x.end_time > e.at
      order by x.start_time desc limit 1)) b on true
  left join lateral (select x.full_name from public.profiles x where x.user_id = b.user_id) p on true
  where p_booking is null or b.id = p_booking
  order by e.at desc, e.id limit p_most
$$;

-- As before. The longest word has a condition of its own: no index serves `like all`, so every search read every profile.
create or replace function public.search_customers(words text default '', most integer default 50) returns table (
  user_id uuid, full_name text, email text, phone text, created_at timestamptz, verified_until timestamptz, bookings integer, paid numeric,
  refunded numeric, block_reason text, blocked_until timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  patterns text[];
begin
  perform private.require_permission('bookings');
  select coalesce(pg_catalog.array_agg('%' || pg_catalog.regexp_replace(pg_catalog.regexp_replace(w, '^0(\d+)$', '\1'), '([\\%_])', '\\\1', 'g') || '%'
    order by pg_catalog.length(w) desc), '{}')
  into patterns
  from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200) collate pg_catalog."und-x-icu"), '\s+') as w where w <> '';
  return query
    with found as (
      select p.user_id, p.full_name, p.email, p.phone, p.created_at from public.profiles p
      where pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, '')) collate pg_catalog."und-x-icu") like coalesce(patterns[1], '%')
        and pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, '')) collate pg_catalog."und-x-icu") like all (patterns[2:])
      order by p.created_at desc, p.user_id limit least(most, 200)
    )
    select f.user_id, f.full_name, f.email, f.phone, f.created_at, v.until, coalesce(m.bookings, 0)::integer,
      (coalesce(m.paid, 0) / 100.0)::numeric(12, 2), (coalesce(m.refunded, 0) / 100.0)::numeric(12, 2),
      c.reason, c.until
    from found f
    left join private.customer_block c on c.user_id = f.user_id and private.is_blocked(f.user_id, pg_catalog.now())
    left join lateral (select pg_catalog.max(i.expires_at) as until from public.id_verifications i
      where i.user_id = f.user_id and i.verification_status = 'verified' and i.expires_at > pg_catalog.now()) v on true
    left join lateral (
      select count(*) filter (where b.status = 'confirmed') as bookings, pg_catalog.sum(x.paid) as paid, pg_catalog.sum(x.refunded) as refunded
      from private.booking b left join lateral (
        select pg_catalog.sum(y.paid_cents) as paid, pg_catalog.sum(y.refunded_cents) as refunded from private.payment y where y.booking_id = b.id) x on true
      where b.user_id = f.user_id and b.notes is distinct from 'test') m on true
    order by f.created_at desc, f.user_id;
end
$$;
