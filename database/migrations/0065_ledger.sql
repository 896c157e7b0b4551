-- What moved money in a month, compared with the payment provider's ledger.

-- The newest comparison of each month.
create table private.ledger_check (
  id uuid primary key default gen_random_uuid(),
  -- The first day of the month, in Sydney.
  month date not null unique check (extract(day from month) = 1),
  -- The nil UUID for the service key and the nightly comparison.
  started_by uuid not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- [{kind, here: {count, cents}, there: {count, cents}}]
  sums jsonb not null default '[]' check (jsonb_typeof(sums) = 'array'),
  constraint ledger_check_order check (finished_at >= started_at)
);
alter table private.ledger_check enable row level security, force row level security;

-- Where both sides differ. A difference that a later comparison finds again keeps the time of the first one.
create table private.ledger_difference (
  check_id uuid not null references private.ledger_check (id) on delete cascade,
  kind text not null check (kind in ('payment', 'refund', 'dispute')),
  -- The payment, refund or dispute at the provider.
  provider_id text not null check (char_length(provider_id) between 1 and 255),
  name text not null check (name in ('missing_here', 'missing_there', 'other_amount', 'other_currency')),
  booking_id uuid references private.booking (id) on delete set null,
  here_cents bigint,
  there_cents bigint,
  currency text check (char_length(currency) between 1 and 10),
  at timestamptz not null,
  found_at timestamptz not null,
  primary key (check_id, kind, provider_id, name)
);
alter table private.ledger_difference enable row level security, force row level security;
create index ledger_difference_booking on private.ledger_difference (booking_id);

create function private.publish_ledger() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'ledger', 'staff', true);
  return null;
end
$$;
create trigger publish_ledger after insert or update on private.ledger_check for each row execute function private.publish_ledger();
revoke execute on function private.publish_ledger() from public;

-- Begins the comparison of a month, and writes its job; one that is under way stays. Returns the id of the row.
create function private.start_ledger_check(p_month date, p_actor uuid, p_now timestamptz) returns uuid
language plpgsql volatile set search_path = '' as $$
declare
  v_check private.ledger_check;
begin
  insert into private.ledger_check (month, started_by, started_at) values (p_month, p_actor, p_now) on conflict (month) do nothing;
  select * into v_check from private.ledger_check c where c.month = p_month for update;
  if not exists (
    select from private.outbox o
    where o.kind = 'payment.compare-ledger' and o.subject_id = v_check.id and o.done_at is null and o.closed_at is null
  ) then
    update private.ledger_check c set started_by = p_actor, started_at = p_now, finished_at = null where c.id = v_check.id;
    insert into private.outbox (kind, subject_id, dedupe, due_at) values ('payment.compare-ledger', v_check.id, p_now::text, p_now)
    on conflict do nothing;
    perform private.audit(p_actor, 'create', 'ledger_check', v_check.id::text, pg_catalog.jsonb_build_object('month', p_month));
  end if;
  return v_check.id;
end
$$;

-- What our rows say of the payments, refunds and disputes of a time, and of those with these ids. Money that leaves us is negative; a refund that
-- failed, a dispute that we won, and an inquiry of a bank move nothing.
create function private.ledger_items(p_start timestamptz, p_end timestamptz, p_ids text[]) returns table (
  kind text, id text, booking_id uuid, amount_cents bigint, currency text, at timestamptz
)
language sql stable set search_path = '' as $$
  select 'payment', p.payment_intent_id, p.booking_id, p.paid_cents::bigint, p.currency, coalesce(p.paid_at, p.created_at)
  from private.payment p
  where p.kind = 'card' and p.payment_intent_id is not null and p.paid_cents is not null
    and ((p.paid_at >= p_start and p.paid_at < p_end) or p.payment_intent_id = any (p_ids))
  union all
  select 'refund', r.id, p.booking_id, case when r.status in ('failed', 'canceled') then 0 else -r.amount_cents end, p.currency, r.created_at
  from private.refund r join private.payment p on p.id = r.payment_id
  where (r.created_at >= p_start and r.created_at < p_end) or r.id = any (p_ids)
  union all
  select 'dispute', d.id, p.booking_id,
    case when d.status = 'won' or d.provider_status like 'warning\_%' then 0 else -d.amount_cents end, p.currency, d.opened_at
  from private.dispute d join private.payment p on p.id = d.payment_id
  where (d.opened_at >= p_start and d.opened_at < p_end) or d.id = any (p_ids)
$$;

-- Stores what a comparison found, in place of what the one before did.
create function private.finish_ledger_check(p_check uuid, p_sums jsonb, p_differences jsonb, p_now timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  earlier jsonb;
begin
  perform from private.ledger_check c where c.id = p_check for update;
  select pg_catalog.jsonb_agg(pg_catalog.to_jsonb(d)) into earlier from private.ledger_difference d where d.check_id = p_check;
  delete from private.ledger_difference d where d.check_id = p_check;
  insert into private.ledger_difference (check_id, kind, provider_id, name, booking_id, here_cents, there_cents, currency, at, found_at)
  select p_check, n.kind, n.id, n.name, n."bookingId", n."hereCents", n."thereCents", n.currency, n.at,
    coalesce((
      select e.found_at from pg_catalog.jsonb_to_recordset(earlier) e (kind text, provider_id text, name text, found_at timestamptz)
      where e.kind = n.kind and e.provider_id = n.id and e.name = n.name), p_now)
  from pg_catalog.jsonb_to_recordset(p_differences) n (kind text, id text, name text, "bookingId" uuid, "hereCents" bigint, "thereCents" bigint,
    currency text, at timestamptz);
  update private.ledger_check c set finished_at = greatest(p_now, c.started_at), sums = p_sums where c.id = p_check;
end
$$;

-- The newest comparison of a month with its differences; null before the first. For staff with the permission for money.
create function public.ledger_check(month date) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('money');
  return (
    select pg_catalog.jsonb_build_object('startedAt', c.started_at, 'finishedAt', c.finished_at,
      'problem', (
        select o.last_error from private.outbox o
        where o.kind = 'payment.compare-ledger' and o.subject_id = c.id and o.done_at is null and o.closed_at is null limit 1),
      'sums', c.sums,
      'differences', (
        select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', d.kind, 'id', d.provider_id, 'name', d.name,
          'reference', b.reference, 'hereCents', d.here_cents, 'thereCents', d.there_cents, 'currency', d.currency, 'at', d.at,
          'foundAt', d.found_at) order by d.at, d.kind, d.provider_id), '[]')
        from private.ledger_difference d left join private.booking b on b.id = d.booking_id where d.check_id = c.id))
    from private.ledger_check c where c.month = ledger_check.month);
end
$$;
grant execute on function public.ledger_check(date) to authenticated;

-- As before, and 'ledger_difference': for more than a day our payments and the payment provider's ledger have differed.
create or replace function public.staff_alerts(at timestamptz default now(), most integer default 100) returns table (
  kind text, since timestamptz, due timestamptz, job_id uuid, job_kind text, tries integer, problem text, booking_id uuid, reference text,
  studio_name text, start_time timestamptz, customer_name text
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
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
      select b.id, greatest(b.start_time - interval '30 minutes', b.confirmed_at) as since from private.booking b
      where v_bookings and b.status = 'confirmed' and b.notes is distinct from 'test'
        and b.start_time > at - interval '25 hours' and b.start_time <= at + interval '30 minutes' and b.end_time > at
        and b.confirmed_at <= at - interval '5 minutes'
        and (select c.accepted from private.code_times(b.id) c) is null
      order by b.start_time limit least(most, 1000)
    ), locks as (
      select s.name, l.* from private.lock_state l join public.studios s on s.id = l.studio_id where v_bookings and s.active
    ), ledger as (
      select min(d.found_at) as since, count(*) || ' in ' || pg_catalog.to_char(c.month, 'FMMonth YYYY') as problem
      from private.ledger_check c join private.ledger_difference d on d.check_id = c.id
      where v_money and d.found_at <= staff_alerts.at - interval '1 day' group by c.month order by 1 limit least(most, 1000)
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
