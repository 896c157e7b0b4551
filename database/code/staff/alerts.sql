-- Returns what needs a member of staff at `at`, oldest first: at most `most` rows, and never more than 1,000. Throws
-- 42501 unless the caller is staff or the service key; a caller gets only the alerts that its permissions cover.
--
-- Kinds, with the permissions that see them:
--   id_waiting (identity): an ID waits for a decision.
--   id_missing (identity or bookings): the customer of a confirmed booking has lost the ID check, and staff have not
--     decided to keep the booking.
--   refund_failed (money): a refund failed. `job_id` is its open job, if there is one.
--   code_held (money or bookings): a dispute withholds the door code of a confirmed booking. `due` is 15 minutes before
--     the start; only money sees the reason in `problem`.
--   dispute (money): a dispute needs an answer. `due` is the deadline for evidence.
--   job_failing, job_late (money for payments, otherwise bookings): a job keeps failing, or was closed within the last
--     day because it was too late.
--   mail_bounced (bookings): the mail server rejected a mail permanently.
--   code_missing (bookings): the lock has not accepted a code for a session that runs or starts within 30 minutes.
--   lock_offline (bookings), lock_unknown (bookings or settings), battery_low (bookings): the lock of an open room is
--     offline, is not listed by the lock service, or has a low battery. An unknown lock is not reported as offline too.
--   door_closed, reported (bookings): a customer cannot get in, or reported a problem or lost property.
--   blocked_booking (bookings): a blocked customer has a confirmed booking that staff have not decided to keep.
--   ledger_difference (money): the ledger check found a difference at least a day ago.
--   secret_stays (owner): a person who lost a permission knows a code that the lock cannot revoke. `due` is its end.
--
-- `studio_name` is the current name of the room that the alert is about, by which the form of the room is found. For a
-- code that cannot be removed, it is the room whose lock has the code, because the booking may have moved to another
-- room.
create or replace function public.staff_alerts(at timestamptz default now(), most integer default 100) returns table (
  kind text, since timestamptz, due timestamptz, job_id uuid, job_kind text, tries integer, problem text,
  booking_id uuid, reference text, studio_name text, start_time timestamptz, customer_name text
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  v_service constant boolean := coalesce(auth.role() = 'service_role', false);
  v_bookings constant boolean := v_service or public.has_permission('bookings');
  v_identity constant boolean := v_service or public.has_permission('identity');
  v_money constant boolean := v_service or public.has_permission('money');
  v_settings constant boolean := v_service or public.has_permission('settings');
  v_owner constant boolean := v_service or public.has_permission('owner');
begin
  if not (v_service or public.is_staff()) then
    raise exception 'Only staff can do this.' using errcode = '42501';
  end if;
  return query
    with waiting as (
      select v.created_at as since, p.full_name
      from public.id_verifications v
      join public.profiles p on p.user_id = v.user_id
      where v_identity and v.verification_status = 'review'
      order by v.created_at
      limit least(most, 1000)
    ), missing as (
      select m.raised_at as since, m.booking_id
      from private.missing_id m
      join private.booking b on b.id = m.booking_id and b.status = 'confirmed' and b.end_time > at
      join private.lost_verification l on l.user_id = b.user_id
      where (v_identity or v_bookings) and m.kept_at is null
      order by m.raised_at
      limit least(most, 1000)
    ), refunds as (
      select x.updated_at as since, x.id, x.booking_id
      from private.payment x
      where v_money and x.state = 'refund_failed'
      order by x.updated_at
      limit least(most, 1000)
    ), held as (
      select distinct b.id, b.start_time, h.reason, h.since
      from private.payment x
      join private.booking b on b.id = x.booking_id and b.status = 'confirmed' and b.end_time > at
      cross join lateral private.code_hold(b.id) h
      where (v_money or v_bookings) and x.dispute_status in ('open', 'lost')
      order by b.start_time
      limit least(most, 1000)
    ), disputes as (
      select coalesce(d.opened_at, x.updated_at) as since, d.due_at, d.reason, x.booking_id
      from private.payment x
      left join private.dispute d on d.id = x.dispute_id
      where v_money and x.state = 'disputed' and coalesce(d.needs_response, true)
        and not exists (select from held h where h.id = x.booking_id)
      order by 1
      limit least(most, 1000)
    ), jobs as (
      select case when o.closed_at is null then 'job_failing' else 'job_late' end as kind,
        coalesce(o.closed_at, o.alerted_at) as since, o.id, o.kind as job_kind, o.subject_id, o.payload, o.tries,
        coalesce(o.close_reason, o.last_error) as problem
      from private.outbox o
      where (o.alerted_at is not null or o.closed_at is not null) and o.done_at is null and o.closed_by is null
        and (o.closed_at is null or o.closed_at > at - interval '1 day')
        and (
          o.closed_at is not null or o.kind not like 'mail.%'
          or coalesce(o.last_error, '') !~ '^mail: smtp_5[15]')
        and case when o.kind like 'payment.%' then v_money else v_bookings end
      order by coalesce(o.closed_at, o.alerted_at)
      limit least(most, 1000)
    ), refused as (
      select o.created_at as since, o.id, o.kind as job_kind, o.subject_id, o.tries, o.last_error
      from private.outbox o
      where v_bookings and o.done_at is null and o.closed_at is null
        and o.kind like 'mail.%' and o.last_error ~ '^mail: smtp_5[15]'
        and o.kind not in ('mail.job-alert', 'mail.review-waiting')
      order by o.created_at
      limit least(most, 1000)
    ), starting as (
      select b.id, greatest(b.start_time - interval '30 minutes', b.confirmed_at) as since
      from (
        select * from private.running_bookings(at)
        union all
        select * from private.booking s where s.start_time > at and s.start_time <= at + interval '30 minutes'
      ) b
      where v_bookings and b.status = 'confirmed' and b.notes is distinct from 'test'
        and b.confirmed_at <= at - interval '5 minutes'
        and (select c.accepted from private.code_times(b.id) c) is null
        and not exists (select from private.code_hold(b.id))
      order by b.start_time
      limit least(most, 1000)
    ), locks as (
      select s.name, l.*
      from private.lock_state l
      join public.studios s on s.id = l.studio_id
      where (v_bookings or v_settings) and s.active
    ), blocked as (
      select c.blocked_at as since, b.id as booking_id
      from private.customer_block c
      join private.booking b on b.user_id = c.user_id and b.status = 'confirmed' and b.end_time > at
        and b.notes is distinct from 'test'
      where v_bookings and (c.until is null or c.until > at) and b.kept_in_block is distinct from c.blocked_at
      order by b.start_time
      limit least(most, 1000)
    ), ledger as (
      select min(d.found_at) as since, count(*) || ' in ' || pg_catalog.to_char(c.month, 'FMMonth YYYY') as problem
      from private.ledger_check c
      join private.ledger_difference d on d.check_id = c.id
      where v_money and d.found_at <= staff_alerts.at - interval '1 day'
      group by c.month
      order by 1
      limit least(most, 1000)
    ), waiting_at_doors as (
      select i.created_at as since, i.booking_id
      from private.incident i
      where v_bookings and i.kind = 'door' and i.state = 'open'
      order by i.created_at
      limit least(most, 1000)
    ), reports as (
      select i.created_at as since, i.booking_id, i.kind, coalesce(i.category, 'lost') as what
      from private.incident i
      where v_bookings and i.kind in ('problem', 'lost') and i.state = 'open'
      order by i.created_at
      limit least(most, 1000)
    ), secrets as (
      select s.lost_at as since, s.ends_at, s.kind, coalesce(f.full_name, f.email, 'A deleted account') as person,
        r.name as studio, k.booking_id
      from private.shown_secret s
      join public.studios r on r.id = s.studio_id
      left join public.profiles f on f.user_id = s.shown_to
      left join public.booking_access_codes k on s.kind = 'booking-code' and k.id = s.subject_id
      where v_owner and s.lost_at is not null and s.ended_at is null and s.ends_at > at
        and not exists (
          select from private.outbox o
          where o.kind = 'access.end-secret' and o.subject_id = s.id and o.done_at is null)
      order by s.ends_at
      limit least(most, 1000)
    ), alerts as (
      select 'id_waiting' as kind, w.since, null::timestamptz as due, null::uuid as job_id, null as job_kind,
        null::integer as tries, null as problem, null::uuid as booking_id, w.full_name, null as studio
      from waiting w
      union all
      select 'id_missing', m.since, null, null, null, null, null, m.booking_id, null, null
      from missing m
      union all
      select 'refund_failed', m.since, null, j.id, j.kind, j.tries, j.last_error, m.booking_id, null, null
      from refunds m
      left join lateral (
        select o.id, o.kind, o.tries, o.last_error
        from private.outbox o
        where o.kind = 'payment.refund' and o.subject_id = m.id and o.done_at is null and o.closed_at is null
        limit 1) j on true
      union all
      select 'code_held', h.since, h.start_time - interval '15 minutes', null, null, null,
        case when v_money then h.reason end, h.id, null, null
      from held h
      union all
      select 'dispute', d.since, d.due_at, null, null, null, d.reason, d.booking_id, null, null
      from disputes d
      union all
      select j.kind, j.since, null, j.id, j.job_kind, j.tries, j.problem, coalesce(x.booking_id, j.subject_id),
        null, k.name
      from jobs j
      left join private.partial_refund r on j.job_kind = 'payment.partial-refund' and r.id = j.subject_id
      left join private.payment x
        on x.id = case j.job_kind when 'payment.refund' then j.subject_id else r.payment_id end
      left join public.studios k on k.id = private.room_of_job(j.job_kind, j.subject_id, j.payload)
      where x.state is distinct from 'refund_failed' or j.job_kind <> 'payment.refund'
      union all
      select 'mail_bounced', f.since, null, f.id, f.job_kind, f.tries, f.last_error, f.subject_id, null, null
      from refused f
      union all
      select 'code_missing', s.since, null, null, null, null, null, s.id, null, null
      from starting s
      union all
      -- An offline lock raises its alert at the second check in a row.
      select 'lock_offline', l.offline_since, null, null, null, null, null, null, null, l.name
      from locks l
      where v_bookings and l.offline_since is not null and l.unknown_since is null
        and l.checked_at > l.offline_since
      union all
      select 'lock_unknown', l.unknown_since, null, null, null, null, null, null, null, l.name
      from locks l
      where l.unknown_since is not null
      union all
      select 'battery_low', l.low_since, null, null, null, null, l.battery_percent || ' %', null, null, l.name
      from locks l
      where v_bookings and l.low_since is not null
      union all
      select 'door_closed', w.since, null, null, null, null, null, w.booking_id, null, null
      from waiting_at_doors w
      union all
      select 'reported', x.since, null, null, null, null, x.what, x.booking_id, null, null
      from reports x
      union all
      select 'blocked_booking', x.since, null, null, null, null, null, x.booking_id, null, null
      from blocked x
      union all
      select 'ledger_difference', g.since, null, null, null, null, g.problem, null, null, null
      from ledger g
      union all
      select 'secret_stays', s.since, s.ends_at, null, null, null, s.kind, s.booking_id, s.person, s.studio
      from secrets s
    )
    select a.kind, a.since, a.due, a.job_id, a.job_kind, a.tries, a.problem,
      b.id, b.reference, coalesce(a.studio, s.name), b.start_time,
      coalesce(a.full_name, p.full_name, b.guest_name)
    from alerts a
    left join private.booking b on b.id = a.booking_id
    left join public.studios s on s.id = b.studio_id
    left join public.profiles p on p.user_id = b.user_id
    order by a.since, a.kind, a.job_id, b.id, a.studio
    limit least(most, 1000);
end
$$;
grant execute on function public.staff_alerts(timestamp with time zone, integer) to authenticated;

-- Returns the room of a job about a code, where its booking does not tell it: the code of staff has no booking, and a
-- booking may have moved from the room whose lock has the code. Null for other jobs, and if no room has the lock.
create or replace function private.room_of_job(p_kind text, p_subject uuid, p_payload jsonb) returns uuid
language sql stable set search_path = '' as $$
  select case p_kind
    when 'access.revoke-staff' then (select c.studio_id from private.staff_code c where c.id = p_subject)
    when 'access.end-secret' then (select x.studio_id from private.shown_secret x where x.id = p_subject)
    when 'access.revoke' then (
      select private.room_of_lock(c.lock_id) from private.access_secret c
      where c.code_id = (p_payload ->> 'codeId')::uuid)
    when 'access.revoke-crew' then (
      select private.room_of_lock(c.lock_id) from private.crew_code c where c.id = (p_payload ->> 'codeId')::uuid)
    end
$$;

-- Returns the room to which staff have given a lock, preferably an active one. Null if there is none.
create or replace function private.room_of_lock(p_lock text) returns uuid
language sql stable set search_path = '' as $$
  select s.id
  from private.studio_lock l
  join public.studios s on s.id = l.studio_id
  where l.lock_id = p_lock
  order by s.active desc, s.id
  limit 1
$$;
