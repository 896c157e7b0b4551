-- ID checks that are lost after a booking was paid for.

-- Accounts that had a verified ID and have none now. The row ends with the next verified ID.
create table private.lost_verification (
  user_id uuid primary key references auth.users (id) on delete cascade,
  lost_at timestamptz not null
);
alter table private.lost_verification enable row level security, force row level security;

create function private.follow_verification() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.verification_status = 'verified' then
    delete from private.lost_verification l where l.user_id = new.user_id;
  elsif not exists (select from public.id_verifications v where v.user_id = new.user_id and v.verification_status = 'verified') then
    insert into private.lost_verification (user_id, lost_at) values (new.user_id, pg_catalog.now()) on conflict do nothing;
  end if;
  return null;
end
$$;
revoke execute on function private.follow_verification() from public;
create trigger id_verifications_verified after insert or update of verification_status on public.id_verifications for each row
  when (new.verification_status = 'verified') execute function private.follow_verification();
create trigger id_verifications_lost after update of verification_status on public.id_verifications for each row
  when (old.verification_status = 'verified' and new.verification_status <> 'verified') execute function private.follow_verification();
insert into private.lost_verification (user_id, lost_at)
  select distinct v.user_id, pg_catalog.now() from public.id_verifications v
  where v.verified_at is not null and v.verification_status <> 'verified'
    and not exists (select from public.id_verifications w where w.user_id = v.user_id and w.verification_status = 'verified');

-- Verified IDs that staff withdrew.
create table private.id_withdrawal (
  verification_id uuid primary key references public.id_verifications (id) on delete cascade,
  -- What the customer is told.
  reason text not null check (char_length(reason) between 1 and 500),
  -- The nil UUID for the service key.
  withdrawn_by uuid not null,
  withdrawn_at timestamptz not null
);
alter table private.id_withdrawal enable row level security, force row level security;

-- Bookings whose customer has lost the ID check and whose start is near: staff have been told.
create table private.missing_id (
  booking_id uuid primary key references private.booking (id),
  raised_at timestamptz not null,
  -- Staff let the session take place all the same.
  kept_at timestamptz,
  kept_by uuid,
  kept_reason text check (char_length(kept_reason) between 1 and 500),
  constraint missing_id_kept check (pg_catalog.num_nulls(kept_at, kept_by, kept_reason) in (0, 3))
);
alter table private.missing_id enable row level security, force row level security;

-- Raises the confirmed bookings that start within p_before and whose customer has lost the ID check: an alert, a mail to the staff who can decide, and one
-- to the customer. Each is raised once. Bookings that staff made need no ID.
create function private.raise_missing_ids(p_now timestamptz, p_before interval) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  v_booking uuid;
  raised integer := 0;
begin
  for v_booking in
    insert into private.missing_id (booking_id, raised_at)
    select b.id, p_now from private.lost_verification l
    join private.booking b on b.user_id = l.user_id and b.status = 'confirmed' and b.made_by is null and b.notes is distinct from 'test'
    where b.start_time > p_now and b.start_time <= p_now + p_before
      -- Locked, so that an ID that is verified now ends the loss before or after, not meanwhile.
      and not exists (select from private.missing_id m where m.booking_id = b.id)
    for update of l
    on conflict do nothing
    returning booking_id
  loop
    raised := raised + 1;
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
    select 'mail.id-missing', v_booking, p.user_id::text, pg_catalog.jsonb_build_object('staff', p.user_id), p_now
    from public.staff_permissions p where p.permission in ('identity', 'bookings', 'owner') group by p.user_id
    on conflict do nothing;
    insert into private.outbox (kind, subject_id, due_at) values ('mail.id-needed', v_booking, p_now) on conflict do nothing;
    perform private.audit(null, 'alert', 'booking', v_booking::text, '{"reason": "the customer has lost the ID check"}');
  end loop;
  if raised > 0 then perform realtime.send('{}', 'missing-ids', 'staff', true); end if;
  return raised;
end
$$;

-- The raised bookings that nobody has decided about and that are to be cancelled now: p_before their start, but p_notice after they were raised, and
-- never once the session has begun.
create function private.missing_ids_due(p_now timestamptz, p_before interval, p_notice interval) returns setof uuid
language sql stable set search_path = '' as $$
  select m.booking_id from private.missing_id m
  join private.booking b on b.id = m.booking_id and b.status = 'confirmed' and b.start_time > p_now and b.start_time <= p_now + p_before
  join private.lost_verification l on l.user_id = b.user_id
  where m.kept_at is null and m.raised_at <= p_now - p_notice
  order by b.start_time
$$;

-- What needs a person, oldest first, as far as the caller's permissions go. due: by when.
--   id_waiting      an ID waits for a decision
--   id_missing      a session nears whose customer has lost the ID check, and nobody has decided; a session that began stays until it is over
--   refund_failed   the payment provider refused a refund
--   dispute         a customer disputes a payment at the bank, and the bank waits for our answer
--   mail_bounced    the mail server refused a mail for good
--   job_failing     a job has failed so often that the owner is told
--   job_late        a job was closed in the last day because its moment had passed
--   code_missing    a session starts within half an hour, or has started, and the lock has not accepted its code
--   lock_offline    two checks in a row did not reach a lock
--   battery_low     the battery of a lock is low
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
    )
    select a.kind, a.since, a.due, a.job_id, a.job_kind, a.tries, a.problem, b.id, b.reference, coalesce(b.studio_name, a.studio), b.start_time,
      coalesce(a.full_name, p.full_name, b.guest_name)
    from alerts a
    left join private.booking b on b.id = a.booking_id
    left join public.profiles p on p.user_id = b.user_id
    order by a.since, a.kind, a.job_id, b.id, a.studio limit least(most, 1000);
end
$$;
