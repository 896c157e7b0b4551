-- What the lock system and the payment provider report, and the alerts about it.

-- What is known of each studio's lock, from the last check that the lock system answered.
create table private.lock_state (
  studio_id uuid primary key references public.studios (id),
  lock_id text not null check (char_length(lock_id) between 1 and 60),
  -- Null: nothing tells, as without a bridge.
  online boolean,
  battery_percent integer check (battery_percent between 0 and 100),
  checked_at timestamptz not null,
  -- When the lock itself last answered or reported something.
  heard_at timestamptz,
  offline_since timestamptz,
  -- Since when the battery needs a person.
  low_since timestamptz,
  constraint lock_state_offline check ((offline_since is not null) = (online is not distinct from false)),
  constraint lock_state_low check (low_since is null or battery_percent is not null)
);
alter table private.lock_state enable row level security, force row level security;

-- Stores what a check found. p_low: from this percentage down a battery needs a person. Another lock of the studio begins anew.
create function private.record_lock_state(p_studio uuid, p_lock text, p_online boolean, p_battery integer, p_low integer, p_now timestamptz)
returns void language plpgsql volatile set search_path = '' as $$
declare
  known private.lock_state;
  v_offline constant boolean := p_online is not distinct from false;
  v_low constant boolean := coalesce(p_battery <= p_low, false);
begin
  select * into known from private.lock_state l where l.studio_id = p_studio and l.lock_id = p_lock for update;
  insert into private.lock_state as l (studio_id, lock_id, online, battery_percent, checked_at, heard_at, offline_since, low_since)
  values (p_studio, p_lock, p_online, p_battery, p_now, case when p_online then p_now else known.heard_at end,
    case when v_offline then coalesce(known.offline_since, p_now) end, case when v_low then coalesce(known.low_since, p_now) end)
  on conflict (studio_id) do update set lock_id = excluded.lock_id, online = excluded.online, battery_percent = excluded.battery_percent,
    checked_at = excluded.checked_at, heard_at = excluded.heard_at, offline_since = excluded.offline_since, low_since = excluded.low_since;
  -- An offline lock raises its alert at the second check in a row.
  if v_offline or (known.offline_since is not null) or v_low is distinct from (known.low_since is not null) then
    perform realtime.send('{}', 'locks', 'staff', true);
  end if;
end
$$;

-- The log of the locks, as they report it. Digits are not stored.
create table private.lock_event (
  id uuid primary key default gen_random_uuid(),
  lock_id text not null check (char_length(lock_id) between 1 and 60),
  kind text not null check (kind in
    ('code', 'wrong_code', 'master_code', 'bluetooth', 'card', 'fingerprint', 'from_inside', 'from_afar', 'locked', 'break_in', 'other')),
  at timestamptz not null,
  -- The code of a booking that was entered.
  code_id uuid references public.booking_access_codes (id) on delete set null,
  -- Who opened it from afar.
  actor uuid,
  created_at timestamptz not null default clock_timestamp(),
  -- A report that comes again is stored once.
  constraint lock_event_once unique nulls not distinct (lock_id, at, kind, code_id, actor)
);
create index lock_event_newest on private.lock_event (lock_id, at desc);
alter table private.lock_event enable row level security, force row level security;

-- The newest entries of the log of some locks (lock id → studio id) within a time, with the booking whose code was entered, otherwise the one at
-- that time. p_booking: only the entries of this booking.
create function private.door_log(p_locks jsonb, p_from timestamptz, p_until timestamptz, p_booking uuid, p_most integer) returns table (
  at timestamptz, kind text, studio_id uuid, studio_name text, reference text, by_code boolean, start_time timestamptz, customer_name text, actor text
)
language sql stable set search_path = '' as $$
  select e.at, e.kind, s.id, s.name, b.reference, c.booking_id is not null, b.start_time, coalesce(p.full_name, b.guest_name), a.full_name
  from pg_catalog.jsonb_each_text(p_locks) l
  join private.lock_event e on e.lock_id = l.key and e.at >= p_from and e.at < p_until
  join public.studios s on s.id = l.value::uuid
  left join public.booking_access_codes c on c.id = e.code_id
  left join lateral (
    select x.* from private.booking x
    where case when c.booking_id is not null then x.id = c.booking_id
      else x.studio_id = s.id and x.status = 'confirmed' and x.start_time <= e.at and x.start_time > e.at - interval '25 hours' and x.end_time > e.at end
    order by x.start_time desc limit 1) b on true
  left join public.profiles p on p.user_id = b.user_id
  left join public.profiles a on a.user_id = e.actor
  where p_booking is null or b.id = p_booking
  order by e.at desc, e.id limit p_most
$$;

-- Every dispute that the payment provider knows of.
create table private.dispute (
  id text primary key,
  payment_id uuid not null references private.payment (id),
  status text not null check (status in ('open', 'won', 'lost')),
  -- As the provider names it, such as needs_response or under_review.
  provider_status text not null check (char_length(provider_status) between 1 and 60),
  needs_response boolean not null,
  reason text check (char_length(reason) between 1 and 60),
  amount_cents integer not null check (amount_cents >= 0),
  -- By when evidence has to reach the bank.
  due_at timestamptz,
  opened_at timestamptz not null,
  updated_at timestamptz not null default clock_timestamp(),
  constraint dispute_open_needs_response check (status = 'open' or not needs_response)
);
create index dispute_by_payment on private.dispute (payment_id);
alter table private.dispute enable row level security, force row level security;
create trigger dispute_updated_at before update on private.dispute for each row execute function private.set_updated_at();
create function private.publish_dispute() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'disputes', 'staff', true);
  return null;
end
$$;
create trigger publish_dispute after insert or update on private.dispute for each row execute function private.publish_dispute();
revoke execute on function private.publish_dispute() from public;

-- Mails that the mail server refused for good.
create index outbox_refused on private.outbox (created_at)
  where done_at is null and closed_at is null and kind like 'mail.%' and last_error ~ '^mail: smtp_5[15]';

-- What needs a person, oldest first, as far as the caller's permissions go. due: by when.
--   id_waiting      an ID waits for a decision
--   refund_failed   the payment provider refused a refund
--   dispute         a customer disputes a payment at the bank, and the bank waits for our answer
--   mail_bounced    the mail server refused a mail for good
--   job_failing     a job has failed so often that the owner is told
--   job_late        a job was closed in the last day because its moment had passed
--   code_missing    a session starts within half an hour, or has started, and the lock has not accepted its code
--   lock_offline    two checks in a row did not reach a lock
--   battery_low     the battery of a lock is low
drop function public.staff_alerts(timestamptz, integer);
create function public.staff_alerts(at timestamptz default now(), most integer default 100) returns table (
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
    ), alerts as (
      select 'id_waiting' as kind, w.since, null::timestamptz as due, null::uuid as job_id, null as job_kind, null::integer as tries, null as problem,
        null::uuid as booking_id, w.full_name, null as studio
      from waiting w
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
    )
    select a.kind, a.since, a.due, a.job_id, a.job_kind, a.tries, a.problem, b.id, b.reference, coalesce(b.studio_name, a.studio), b.start_time,
      coalesce(a.full_name, p.full_name, b.guest_name)
    from alerts a
    left join private.booking b on b.id = a.booking_id
    left join public.profiles p on p.user_id = b.user_id
    order by a.since, a.kind, a.job_id, b.id, a.studio limit least(most, 1000);
end
$$;
grant execute on function public.staff_alerts(timestamptz, integer) to authenticated;
