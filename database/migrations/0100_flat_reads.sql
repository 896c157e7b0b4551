-- Reads of staff took longer with every past booking: the planner expects far fewer bookings than there are to have begun in the last 25 hours
-- and not ended, and it read whole tables where it could not know that a hundred entries are asked for.

create index booking_running on private.booking (start_time) include (end_time, id) where status <> 'cancelled';

-- The bookings and holds that run at a time. Most that began in the 25 hours before have ended, which the index alone tells; OFFSET keeps the
-- planner, which expects far fewer to run, from reading the table instead.
create function private.running_bookings(p_at timestamptz, p_studio uuid default null) returns setof private.booking
language sql stable set search_path = '' as $$
  select b.* from (
    select o.id from private.booking o
    where o.start_time <= p_at and o.start_time > p_at - interval '25 hours' and o.status <> 'cancelled' and o.end_time > p_at offset 0) r
  cross join lateral (select o.* from private.booking o where o.id = r.id offset 0) b
  where p_studio is null or b.studio_id = p_studio
$$;
revoke execute on function private.running_bookings(timestamptz, uuid) from public;

-- As before; a booking stays in the list while a hold for its longer hours waits for the payment.
create or replace function public.upcoming_bookings(ends_after timestamptz default now(), most integer default 100) returns setof public.bookings
language plpgsql stable security definer set search_path = '' as $$
declare
  found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then return; end if;
  with started as (
    select b.id, b.start_time, b.studio_name from private.running_bookings(ends_after) b
  ), later as (
    select o.id, o.start_time, o.studio_name from private.booking o where o.status <> 'cancelled' and o.start_time > ends_after
    order by o.start_time, o.studio_name limit least(most, 1000)
  )
  select array(select b.id from (select * from started union all select * from later) b order by b.start_time, b.studio_name limit least(most, 1000))
  into found;
  return query select v.* from public.bookings v where v.id = any (found) order by v.start_time, v.studio_name;
end
$$;

-- As before: what runs when the day begins, then what starts in it.
create or replace function public.bookings_of_day(day date) returns table (id uuid, reference text, user_id uuid, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, is_test boolean, customer_name text, customer_email text, phone text, code_due_at timestamptz, code_requested_at timestamptz, code_accepted_at timestamptz, code_mailed_at timestamptz, code_seen_at timestamptz, code_used_at timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  v_start constant timestamptz := day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (day + 1)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  return query
    with starting as (
      select b.* from private.booking b where b.status <> 'cancelled' and b.start_time > v_start and b.start_time < v_end
      order by b.start_time limit 1000
    ), found as (
      select * from (select * from private.running_bookings(v_start) union all select * from starting) b order by b.start_time limit 1000
    )
    select f.id, coalesce(o.reference, f.reference), coalesce(f.user_id, o.user_id), f.studio_id, f.studio_name, f.start_time, f.end_time, f.status, f.notes is not distinct from 'test',
      coalesce(p.full_name, f.guest_name, o.guest_name), coalesce(p.email, f.guest_email, o.guest_email),
      coalesce(f.contact_phone, o.contact_phone, p.phone),
      c.due, c.requested, c.accepted, c.mailed, c.seen, c.used
    from found f
    left join private.booking o on o.id = f.moves_booking
    left join public.profiles p on p.user_id = coalesce(f.user_id, o.user_id)
    left join lateral private.code_times(f.id) c on true
    order by f.start_time, f.studio_name, f.id;
end
$$;

-- As before, in the same two parts.
create or replace function public.staff_calendar(first_day date, days integer default 1, studio uuid default null) returns table (kind text, id uuid, studio_id uuid, start_time timestamptz, end_time timestamptz, reference text, customer_name text, customer_email text, is_test boolean, final_cost numeric, reason text, public boolean, weeks integer)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  v_start constant timestamptz := first_day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (first_day + days)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  if days not between 1 and 42 then raise exception 'a calendar shows 1 to 42 days' using errcode = '22023'; end if;
  return query
    with starting as (
      select b.* from private.booking b
      where b.status <> 'cancelled' and b.start_time > v_start and b.start_time < v_end and (studio is null or b.studio_id = studio)
      order by b.start_time limit 1000
    ), booked as (
      select * from (select * from private.running_bookings(v_start, studio) union all select * from starting) b order by b.start_time limit 1000
    ), closed as (
      select s.* from private.closed_span s
      where s.during && pg_catalog.tstzrange(v_start, v_end, '[)') and (studio is null or s.studio_id = studio)
      order by s.start_time limit 1000
    )
    select case b.status when 'pending' then 'hold' else 'booking' end, b.id, b.studio_id, b.start_time, b.end_time, coalesce(o.reference, b.reference),
      coalesce(p.full_name, b.guest_name, o.guest_name), coalesce(p.email, b.guest_email, o.guest_email), b.notes is not distinct from 'test',
      pg_catalog.round(b.final_cost_cents / 100.0, 2), null::text, null::boolean, null::integer
    from booked b
    left join private.booking o on o.id = b.moves_booking
    left join lateral (select x.full_name, x.email from public.profiles x where x.user_id = coalesce(b.user_id, o.user_id) limit 1) p on true
    union all
    select 'closure', s.closure_id, s.studio_id, s.start_time, s.end_time, null, null, null, null, null, c.reason, c.public, c.weeks
    from closed s join private.closure c on c.id = s.closure_id
    order by 4, 3, 2;
end
$$;

-- As before; the bookings without a code are those that run or start within half an hour.
create or replace function public.staff_alerts(at timestamptz default now(), most integer default 100) returns table (kind text, since timestamptz, due timestamptz, job_id uuid, job_kind text, tries integer, problem text, booking_id uuid, reference text, studio_name text, start_time timestamptz, customer_name text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  v_service constant boolean := coalesce(auth.role() = 'service_role', false);
  v_bookings constant boolean := v_service or public.has_permission('bookings');
  v_identity constant boolean := v_service or public.has_permission('identity');
  v_money constant boolean := v_service or public.has_permission('money');
begin
  if not (v_service or public.is_staff()) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
  return query
    with waiting as (
      select v.created_at as since, p.full_name from public.id_verifications v join public.profiles p on p.user_id = v.user_id
      where v_identity and v.verification_status = 'review' order by v.created_at limit least(most, 1000)
    ), missing as (
      select m.raised_at as since, m.booking_id from private.missing_id m
      join private.booking b on b.id = m.booking_id and b.status = 'confirmed' and b.end_time > at
      join private.lost_verification l on l.user_id = b.user_id
      where (v_identity or v_bookings) and m.kept_at is null order by m.raised_at limit least(most, 1000)
    ), refunds as (
      select x.updated_at as since, x.id, x.booking_id
      from private.payment x where v_money and x.state = 'refund_failed' order by x.updated_at limit least(most, 1000)
    ), disputes as (
      select coalesce(d.opened_at, x.updated_at) as since, d.due_at, d.reason, x.booking_id
      from private.payment x left join private.dispute d on d.id = x.dispute_id
      where v_money and x.state = 'disputed' and coalesce(d.needs_response, true) order by 1 limit least(most, 1000)
    ), jobs as (
      select case when o.closed_at is null then 'job_failing' else 'job_late' end as kind, coalesce(o.closed_at, o.alerted_at) as since,
        o.id, o.kind as job_kind, o.subject_id, o.tries, coalesce(o.close_reason, o.last_error) as problem
      from private.outbox o
      where (o.alerted_at is not null or o.closed_at is not null) and o.done_at is null and o.closed_by is null
        and (o.closed_at is null or o.closed_at > at - interval '1 day')
        and (o.closed_at is not null or o.kind not like 'mail.%' or coalesce(o.last_error, '') !~ '^mail: smtp_5[15]')
        and case when o.kind like 'payment.%' then v_money else v_bookings end
      order by coalesce(o.closed_at, o.alerted_at) limit least(most, 1000)
    ), refused as (
      select o.created_at as since, o.id, o.kind as job_kind, o.subject_id, o.tries, o.last_error from private.outbox o
      where v_bookings and o.done_at is null and o.closed_at is null and o.kind like 'mail.%' and o.last_error ~ '^mail: smtp_5[15]'
        and o.kind not in ('mail.job-alert', 'mail.review-waiting')
      order by o.created_at limit least(most, 1000)
    ), starting as (
      select b.id, greatest(b.start_time - interval '30 minutes', b.confirmed_at) as since
      from (
        select * from private.running_bookings(at)
        union all select * from private.booking s where s.start_time > at and s.start_time <= at + interval '30 minutes'
      ) b
      where v_bookings and b.status = 'confirmed' and b.notes is distinct from 'test' and b.confirmed_at <= at - interval '5 minutes'
        and (select c.accepted from private.code_times(b.id) c) is null
      order by b.start_time limit least(most, 1000)
    ), locks as (
      select s.name, l.* from private.lock_state l join public.studios s on s.id = l.studio_id where v_bookings and s.active
    ), ledger as (
      select min(d.found_at) as since, count(*) || ' in ' || pg_catalog.to_char(c.month, 'FMMonth YYYY') as problem
      from private.ledger_check c join private.ledger_difference d on d.check_id = c.id
      where v_money and d.found_at <= staff_alerts.at - interval '1 day' group by c.month order by 1 limit least(most, 1000)
    ), waiting_at_doors as (
      select i.created_at as since, i.booking_id from private.incident i
      where v_bookings and i.kind = 'door' and i.state = 'open' order by i.created_at limit least(most, 1000)
    ), reports as (
      select i.created_at as since, i.booking_id, i.kind, coalesce(i.category, 'lost') as what from private.incident i
      where v_bookings and i.kind in ('problem', 'lost') and i.state = 'open' order by i.created_at limit least(most, 1000)
    ), alerts as (
      select 'id_waiting' as kind, w.since, null::timestamptz as due, null::uuid as job_id, null as job_kind, null::integer as tries, null as problem,
        null::uuid as booking_id, w.full_name, null as studio
      from waiting w
      union all
      select 'id_missing', m.since, null, null, null, null, null, m.booking_id, null, null from missing m
      union all
      select 'refund_failed', m.since, null, j.id, j.kind, j.tries, j.last_error, m.booking_id, null, null
      from refunds m left join lateral (
        select o.id, o.kind, o.tries, o.last_error from private.outbox o
        where o.kind = 'payment.refund' and o.subject_id = m.id and o.done_at is null and o.closed_at is null
        limit 1) j on true
      union all
      select 'dispute', d.since, d.due_at, null, null, null, d.reason, d.booking_id, null, null from disputes d
      union all
      select j.kind, j.since, null, j.id, j.job_kind, j.tries, j.problem, coalesce(x.booking_id, j.subject_id), null, null
      from jobs j
      left join private.partial_refund r on j.job_kind = 'payment.partial-refund' and r.id = j.subject_id
      left join private.payment x on x.id = case j.job_kind when 'payment.refund' then j.subject_id else r.payment_id end
      where x.state is distinct from 'refund_failed' or j.job_kind <> 'payment.refund'
      union all
      select 'mail_bounced', f.since, null, f.id, f.job_kind, f.tries, f.last_error, f.subject_id, null, null from refused f
      union all
      select 'code_missing', s.since, null, null, null, null, null, s.id, null, null from starting s
      union all
      select 'lock_offline', l.offline_since, null, null, null, null, null, null, null, l.name from locks l
      where l.offline_since is not null and l.checked_at > l.offline_since
      union all
      select 'battery_low', l.low_since, null, null, null, null, l.battery_percent || ' %', null, null, l.name from locks l
      where l.low_since is not null
      union all
      select 'door_closed', w.since, null, null, null, null, null, w.booking_id, null, null from waiting_at_doors w
      union all
      select 'reported', x.since, null, null, null, null, x.what, x.booking_id, null, null from reports x
      union all
      select 'ledger_difference', g.since, null, null, null, null, g.problem, null, null, null from ledger g
    )
    select a.kind, a.since, a.due, a.job_id, a.job_kind, a.tries, a.problem, b.id, b.reference, coalesce(b.studio_name, a.studio), b.start_time,
      coalesce(a.full_name, p.full_name, b.guest_name)
    from alerts a
    left join private.booking b on b.id = a.booking_id
    left join public.profiles p on p.user_id = b.user_id
    order by a.since, a.kind, a.job_id, b.id, a.studio limit least(most, 1000);
end
$$;

-- As before; each entry looks up its codes, booking and names by their keys.
create or replace function private.door_log(p_locks jsonb, p_from timestamptz, p_until timestamptz, p_booking uuid, p_most integer) returns table (at timestamptz, kind text, studio_id uuid, studio_name text, reference text, by_code boolean, start_time timestamptz, customer_name text, actor text)
language sql stable set search_path = '' as $$
  with entry as materialized (
    select l.value::uuid as studio_id, e.* from pg_catalog.jsonb_each_text(p_locks) l
    cross join lateral (
      select x.* from private.lock_event x where x.lock_id = l.key and x.at >= p_from and x.at < p_until
      order by x.at desc limit case when p_booking is null then p_most end) e
    order by e.at desc, e.id limit case when p_booking is null then p_most end
  )
  select e.at, e.kind, s.id, s.name, b.reference, c.booking_id is not null, b.start_time, coalesce(p.full_name, b.guest_name),
    coalesce((select a.full_name from public.profiles a where a.user_id = e.actor), t.name, c.guest)
  from entry e
  join public.studios s on s.id = e.studio_id
  left join lateral (
    select x.booking_id, null as guest from public.booking_access_codes x where x.id = e.code_id
    union all
    select m.booking_id, m.name || ' (crew)' from private.crew_code x join private.crew_member m on m.id = x.crew_member_id where x.id = e.crew_code_id
    limit 1) c on true
  left join lateral (select x.id, x.name from private.staff_code x where x.id = e.staff_code_id limit 1) t on true
  left join lateral (
    select x.id, x.reference, x.start_time, x.guest_name, x.user_id from private.booking x where x.id = c.booking_id
    union all (
      select x.id, x.reference, x.start_time, x.guest_name, x.user_id from private.booking x
      where c.booking_id is null and t.id is null and x.studio_id = s.id and x.status = 'confirmed' and x.start_time <= e.at
        and x.start_time > e.at - interval '25 hours' and x.end_time > e.at
      order by x.start_time desc limit 1)) b on true
  left join lateral (select x.full_name from public.profiles x where x.user_id = b.user_id limit 1) p on true
  where p_booking is null or b.id = p_booking
  order by e.at desc, e.id limit p_most
$$;

-- As before; the sold hours of all rooms are read by time, before they are compared with the rooms.
create or replace function private.occupancy(p_from timestamptz, p_to timestamptz, p_studio uuid) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  return (
    with part as materialized (
      select * from private.studio_offsets(p_from, p_to)
    ), studio as materialized (
      select s.id from public.studios s where case when p_studio is null then s.active else s.id = p_studio end
    ), sold as materialized (
      select b.studio_id, b.start_time, b.end_time from private.booking b
      where b.start_time > p_from - interval '25 hours' and b.start_time < p_to and b.status = 'confirmed' and b.notes is distinct from 'test'
        and (p_studio is null or b.studio_id = p_studio)
    ), span as (
      select 'booked' as kind, p."offset", greatest(b.start_time, p.starts) as starts, least(b.end_time, p.ends) as ends, 1 as times
      from part p join sold b on b.start_time < p.ends and b.end_time > p.starts
      where b.studio_id in (select id from studio)
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

-- As before; the names of those who wrote are looked up by their keys.
create or replace function public.customer_messages(customer uuid, most integer default 50) returns table (id uuid, kind text, subject text, body text, reference text, made_by text, at timestamptz, sent_at timestamptz, problem text, closed boolean)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  perform private.require_permission('bookings');
  return query
    with about as (
      (select b.id, b.reference, null::text as subject, null::text as body, null::uuid as made_by from private.booking b
        where b.user_id = customer order by b.start_time desc limit 100)
      union all select v.id, null, null, null, null from public.id_verifications v where v.user_id = customer
      union all select m.id, null, m.subject, m.body, m.made_by from private.customer_message m where m.user_id = customer
    ), mails as (
      select o.id, o.kind, a.subject, a.body, a.reference, a.made_by, greatest(o.created_at, o.due_at) as at, o.done_at as sent_at,
        coalesce(o.close_reason, case when o.done_at is null then o.last_error end) as problem, o.closed_at is not null as closed
      from about a join private.outbox o on o.subject_id = a.id and o.kind like 'mail.%'
      union all
      select r.campaign_id, 'mail.campaign', c.subject, null, null, c.made_by, coalesce(r.decided_at, c.created_at),
        case r.outcome when 'sent' then r.decided_at end, case r.outcome when 'bounced' then m.bounce_reason end, r.outcome is distinct from 'sent'
      from public.profiles p
      join public.mailing_list m on m.email = p.email
      join private.campaign_recipient r on r.subscription_id = m.id
      join private.campaign c on c.id = r.campaign_id
      where p.user_id = customer and r.outcome in ('sent', 'bounced')
    )
    select x.id, x.kind, x.subject, x.body, x.reference, w.name, x.at, x.sent_at, x.problem, x.closed
    from mails x
    left join lateral (select coalesce(p.full_name, p.email) as name from public.profiles p where p.user_id = x.made_by limit 1) w on true
    order by coalesce(x.sent_at, x.at) desc, x.id limit least(most, 200);
end
$$;

-- As before; each closed span looks up its closure by the key.
create or replace view public.closed_hours with (security_barrier = true) as
select s.closure_id, s.studio_id, s.start_time, s.end_time, c.public,
  case when c.public or (select public.is_staff()) or (select auth.role()) = 'service_role' then c.reason end as reason, c.weeks
from private.closed_span s
cross join lateral (select x.public, x.reason, x.weeks from private.closure x where x.id = s.closure_id offset 0) c;

-- As before, but a word such as "alex@" is the beginning of an address first: a part of any address takes longer with every address.
create index mailing_list_beginning on public.mailing_list (email text_pattern_ops);
create or replace function public.search_mailing_list(words text default '', most integer default 50)
returns table (email text, joined_at timestamptz, left_at timestamptz, bounced_at timestamptz, bounce_reason text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  beginning constant text := pg_catalog.regexp_replace(pg_catalog.lower(pg_catalog.btrim(pg_catalog.left(coalesce(words, ''), 200))), '([\\%_])', '\\\1', 'g') || '%';
begin
  perform private.require_permission('settings');
  if pg_catalog.strpos(beginning, '@') > 1 then
    return query
      select m.email, m.consented_at, m.unsubscribed_at, m.bounced_at, m.bounce_reason from public.mailing_list m
      where m.email like beginning order by m.created_at desc, m.id limit least(most, 200);
    if found then return; end if;
  end if;
  return query
    select m.email, m.consented_at, m.unsubscribed_at, m.bounced_at, m.bounce_reason from public.mailing_list m
    where m.email like '%' || beginning order by m.created_at desc, m.id limit least(most, 200);
end
$$;

-- The fields of a room that staff set. A function for each of thousands of rooms took most of the time of their list.
create view private.room_fields as
select s.id, pg_catalog.jsonb_build_object('name', s.name, 'title', s.title, 'summary', s.summary, 'description', s.description,
  'features', pg_catalog.to_jsonb(s.features), 'photos', pg_catalog.to_jsonb(s.photos), 'active', s.active,
  'lockId', l.lock_id, 'plug', p.plug, 'openHours', pg_catalog.to_jsonb(s.open_hours)) as room
from public.studios s
left join private.studio_lock l on l.studio_id = s.id
left join private.studio_plug p on p.studio_id = s.id;

create or replace function private.room_json(p_studio uuid) returns jsonb
language sql stable set search_path = '' as $$
  select r.room from private.room_fields r where r.id = p_studio
$$;

create or replace function public.staff_rooms() returns table (id uuid, room jsonb, upcoming integer)
language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('settings')) then return; end if;
  return query
    select s.id, r.room,
      (select count(*)::integer from private.booking b
        where b.studio_id = s.id and b.start_time > pg_catalog.now() - interval '25 hours' and b.status <> 'cancelled' and b.end_time > pg_catalog.now())
    from public.studios s join private.room_fields r on r.id = s.id order by s.active desc, s.sort_order, s.name;
end
$$;
