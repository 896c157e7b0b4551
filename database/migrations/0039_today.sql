-- What staff see of a day, and what needs a person.

-- When the customer first saw the code on a page.
alter table public.booking_access_codes add column seen_at timestamptz;

-- The live bookings of a day in Sydney, with the customer and how far the access code has come. Each time is null until it has happened;
-- code_due_at is when the code is requested from the lock, until then.
create function public.bookings_of_day(day date) returns table (
  id uuid, reference text, user_id uuid, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, is_test boolean,
  customer_name text, customer_email text, phone text,
  code_due_at timestamptz, code_requested_at timestamptz, code_accepted_at timestamptz, code_mailed_at timestamptz, code_seen_at timestamptz,
  code_used_at timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_start constant timestamptz := day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (day + 1)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  return query
    with found as (
      select b.* from private.booking b
      where b.status <> 'cancelled' and b.start_time > v_start - interval '25 hours' and b.start_time < v_end and b.end_time > v_start
      order by b.start_time limit 1000
    )
    select f.id, f.reference, f.user_id, f.studio_id, f.studio_name, f.start_time, f.end_time, f.status, f.notes is not distinct from 'test',
      p.full_name, coalesce(p.email, f.guest_email), coalesce(f.contact_phone, p.phone),
      (select min(o.due_at) from private.outbox o
        where o.kind = 'access.request' and o.subject_id = f.id and o.done_at is null and o.closed_at is null),
      c.created_at, c.issued_at,
      (select max(m.sent_at) from public.scheduled_emails m where m.booking_id = f.id and m.status = 'sent'),
      c.seen_at, c.used_at
    from found f
    left join public.profiles p on p.user_id = f.user_id
    left join lateral (
      select x.created_at, x.issued_at, x.seen_at, x.used_at from public.booking_access_codes x
      where x.booking_id = f.id and x.status <> 'failed'
      order by x.attempt desc limit 1) c on true
    order by f.start_time, f.studio_name, f.id;
end
$$;
grant execute on function public.bookings_of_day(date) to authenticated;

-- What needs a person, oldest first, as far as the caller's permissions go:
--   id_waiting      an ID waits for a decision
--   refund_failed   the payment provider refused a refund
--   dispute         a customer disputes a payment at the bank
--   job_failing     a job has failed so often that the owner is told
--   job_late        a job was closed in the last day because its moment had passed
--   code_missing    a session starts within half an hour, or has started, and the lock has not accepted its code
create function public.staff_alerts(at timestamptz default now(), most integer default 100) returns table (
  kind text, since timestamptz, job_id uuid, job_kind text, tries integer, problem text, booking_id uuid, reference text, studio_name text,
  start_time timestamptz, customer_name text
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
    ), money as (
      select case x.state when 'disputed' then 'dispute' else 'refund_failed' end as kind, x.updated_at as since, x.id, x.booking_id
      from private.payment x where v_money and x.state in ('refund_failed', 'disputed') order by x.updated_at limit least(most, 1000)
    ), jobs as (
      select case when o.closed_at is null then 'job_failing' else 'job_late' end as kind, coalesce(o.closed_at, o.alerted_at) as since,
        o.id, o.kind as job_kind, o.subject_id, o.tries, coalesce(o.close_reason, o.last_error) as problem
      from private.outbox o
      where (o.alerted_at is not null or o.closed_at is not null) and o.done_at is null and o.closed_by is null
        and (o.closed_at is null or o.closed_at > at - interval '1 day')
        and case when o.kind like 'payment.%' then v_money else v_bookings end
      order by coalesce(o.closed_at, o.alerted_at) limit least(most, 1000)
    ), starting as (
      select b.id, greatest(b.start_time - interval '30 minutes', b.confirmed_at) as since from private.booking b
      where v_bookings and b.status = 'confirmed' and b.notes is distinct from 'test'
        and b.start_time > at - interval '25 hours' and b.start_time <= at + interval '30 minutes' and b.end_time > at
        and b.confirmed_at <= at - interval '5 minutes'
        and (select x.issued_at from public.booking_access_codes x where x.booking_id = b.id and x.status <> 'failed'
          order by x.attempt desc limit 1) is null
      order by b.start_time limit least(most, 1000)
    ), alerts as (
      select 'id_waiting' as kind, w.since, null::uuid as job_id, null as job_kind, null::integer as tries, null as problem, null::uuid as booking_id,
        w.full_name
      from waiting w
      union all
      select m.kind, m.since, j.id, j.kind, j.tries, j.last_error, m.booking_id, null
      from money m left join lateral (
        select o.id, o.kind, o.tries, o.last_error from private.outbox o
        where m.kind = 'refund_failed' and o.kind = 'payment.refund' and o.subject_id = m.id and o.done_at is null and o.closed_at is null
        limit 1) j on true
      union all
      select j.kind, j.since, j.id, j.job_kind, j.tries, j.problem, coalesce(x.booking_id, j.subject_id), null
      from jobs j
      left join private.partial_refund r on j.job_kind = 'payment.partial-refund' and r.id = j.subject_id
      left join private.payment x on x.id = case j.job_kind when 'payment.refund' then j.subject_id else r.payment_id end
      where x.state is distinct from 'refund_failed' or j.job_kind <> 'payment.refund'
      union all
      select 'code_missing', s.since, null, null, null, null, s.id, null from starting s
    )
    select a.kind, a.since, a.job_id, a.job_kind, a.tries, a.problem, b.id, b.reference, b.studio_name, b.start_time,
      coalesce(a.full_name, p.full_name)
    from alerts a
    left join private.booking b on b.id = a.booking_id
    left join public.profiles p on p.user_id = b.user_id
    order by a.since, a.kind, a.job_id, b.id limit least(most, 1000);
end
$$;
grant execute on function public.staff_alerts(timestamptz, integer) to authenticated;

-- The pages of staff show how far a code has come.
create or replace function private.publish_access_code() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(b.user_id, 'access', jsonb_build_object('booking_id', b.id))
  from private.booking b where b.id = new.booking_id;
  perform realtime.send(jsonb_build_object('booking_id', new.booking_id), 'access', 'staff', true);
  return null;
end
$$;
