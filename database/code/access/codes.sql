create policy "staff read the access codes" on public.booking_access_codes for select to authenticated
  using ((select public.has_permission('bookings')));

-- Returns one row with the time of each step for the access code of a booking; null for a step that has not happened.
-- Failed codes are left out, and so are codes and mails from before the booking's last move. due: when the code will be
-- requested from the lock; null once the request is done. accepted: when the lock issued the code.
create or replace function private.code_times(p_booking uuid) returns table (
  due timestamptz, requested timestamptz, accepted timestamptz, mailed timestamptz, seen timestamptz, used timestamptz
)
language sql stable set search_path = '' as $$
  select
    (select min(o.due_at) from private.outbox o
      where o.kind = 'access.request' and o.subject_id = p_booking and o.done_at is null and o.closed_at is null),
    c.created_at, c.issued_at,
    (select max(m.sent_at) from public.scheduled_emails m
      where m.booking_id = p_booking and m.status = 'sent' and m.sent_at >= coalesce(v.moved_at, '-infinity')),
    c.seen_at, c.used_at
  from (
    select max(m.last_code) as last_code, max(m.created_at) as moved_at
    from private.booking_move m
    where m.booking_id = p_booking) v
  left join lateral (
    select x.* from public.booking_access_codes x
    where x.booking_id = p_booking and x.status <> 'failed' and x.attempt > coalesce(v.last_code, 0)
    order by x.attempt desc limit 1) c on true
$$;

-- Returns how many codes of bookings, staff and guests a lock may hold at p_now.
create or replace function private.codes_in_lock(p_lock text, p_now timestamptz) returns integer
language sql stable set search_path = '' as $$
  select (
    (select count(*) from private.access_secret s
      where s.lock_id = p_lock and s.live and s.ends_at > p_now)
    + (select count(*) from private.staff_code c
      where c.lock_id = p_lock and c.status <> 'revoked' and c.ends_at > p_now)
    + (select count(*) from private.crew_code g
      where g.lock_id = p_lock and g.status <> 'revoked' and g.ends_at > p_now)
  )::integer
$$;
