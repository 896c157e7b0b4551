-- Returns the dispute because of which the access code of a booking is held; no row if the code is not held. A dispute
-- holds the code if it is open or lost, was opened before the session began, and staff have not decided to keep the
-- booking. Everything that shows, mails or makes a code of the booking or of its guests must call this function. If
-- several disputes hold the code, the row is the oldest one.
create or replace function private.code_hold(p_booking uuid) returns table (
  dispute_id text, status text, reason text, since timestamptz
)
language sql stable set search_path = '' as $$
  select x.dispute_id, x.dispute_status, d.reason, coalesce(d.opened_at, x.updated_at)
  from private.payment x
  join private.booking b on b.id = x.booking_id
  left join private.dispute d on d.id = x.dispute_id
  where x.booking_id = p_booking
    and x.dispute_status in ('open', 'lost')
    and coalesce(d.opened_at, '-infinity') < b.start_time
    and not exists (
      select from private.kept_dispute k where k.booking_id = x.booking_id and k.dispute_id = x.dispute_id)
  order by 4
  limit 1
$$;

-- Notifies the pages of the customer, the guests and staff that the code of a booking has become held or free.
create or replace function private.publish_code_hold(p_booking uuid) returns void
language sql volatile set search_path = '' as $$
  select
    private.publish_to_account(b.user_id, 'access', pg_catalog.jsonb_build_object('booking_id', b.id)),
    realtime.send('{}', 'disputes', 'staff', true)
  from private.booking b
  where b.id = p_booking
$$;

-- Queues the mail that tells customers with a held code whom to call, for confirmed sessions that have begun or start
-- within p_before. Each dispute and start time is mailed once, so the function may be called repeatedly. Returns the
-- number of queued mails.
create or replace function private.tell_held_codes(p_now timestamptz, p_before interval) returns integer
language sql volatile set search_path = '' as $$
  with told as (
    insert into private.outbox (kind, subject_id, dedupe, due_at, deadline_at)
    select 'mail.code-held', b.id, h.dispute_id || ' ' || extract(epoch from b.start_time)::bigint, p_now, b.end_time
    from (
      select r.id, r.start_time, r.end_time, r.status from private.running_bookings(p_now) r
      union all
      select s.id, s.start_time, s.end_time, s.status
      from private.booking s
      where s.start_time > p_now and s.start_time <= p_now + p_before
    ) b
    cross join lateral private.code_hold(b.id) h
    where b.status = 'confirmed'
    on conflict do nothing
    returning 1
  )
  select count(*)::integer from told
$$;

-- Queues a mail about a held code to each member of staff who may decide about disputes, once per dispute. Runs in the
-- transaction that makes the code held.
create or replace function private.tell_staff_of_held_code(p_booking uuid, p_dispute text, p_now timestamptz)
returns void language sql volatile set search_path = '' as $$
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
  select 'mail.code-held-staff', p_booking, p_dispute || ' ' || p.user_id,
    pg_catalog.jsonb_build_object('staff', p.user_id), p_now
  from public.staff_permissions p
  where p.permission in ('money', 'owner')
  group by p.user_id
  on conflict do nothing
$$;
