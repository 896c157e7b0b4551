-- The hours that are closed, and the rule that a booking and a closure never overlap.

-- The closed hours of all studios. Customers read the reason only of a public closure; staff and the service key read
-- every reason.
create or replace view public.closed_hours with (security_barrier = true) as
select s.closure_id, s.studio_id, s.start_time, s.end_time, c.public,
  case when c.public or (select public.is_staff()) or (select auth.role()) = 'service_role' then c.reason end as reason,
  c.weeks, c.endless
from private.closed_span s
cross join lateral (
  select x.public, x.reason, x.weeks, x.endless from private.closure x where x.id = s.closure_id offset 0) c;
alter view public.closed_hours owner to booking_reader;
revoke all on public.closed_hours from service_role;
grant select on public.closed_hours to service_role;
grant select on public.closed_hours to anon, authenticated;

-- Refuses a booking of closed hours with 23P01. Bookings and closures of a studio wait for each other: a booking
-- takes a shared lock on the studio's row, a closure an exclusive one, and each looks for the other only while it has
-- the lock. This works only at the isolation level read committed, because a transaction at another level would look
-- at an older snapshot.
create or replace function private.refuse_closed_hours() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'bookings are made in read committed transactions' using errcode = '25001';
  end if;
  perform from public.studios s where s.id = new.studio_id for key share;
  if exists (select from private.closed_span c where c.studio_id = new.studio_id and c.during && new.during) then
    raise exception 'the studio is closed at that time' using errcode = '23P01', constraint = 'booking_not_closed';
  end if;
  return null;
end
$$;

-- The trigger runs after the insert, because the generated column `during` has no value before it.
create trigger booking_not_closed after insert on private.booking for each row
  when (new.status <> 'cancelled') execute function private.refuse_closed_hours();

create trigger booking_move_not_closed after update on private.booking for each row
  when ((new.studio_id, new.start_time, new.end_time) is distinct from (old.studio_id, old.start_time, old.end_time))
  execute function private.refuse_closed_hours();

-- Refuses with 23P01 to close hours that are booked or held, as the counterpart of private.refuse_closed_hours().
-- Publishes the closed hours to all pages.
create or replace function private.refuse_booked_hours() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'closures are made in read committed transactions' using errcode = '25001';
  end if;
  perform from public.studios s where s.id = new.studio_id for update;
  if exists (
    select from private.booking b
    where b.studio_id = new.studio_id and b.status in ('pending', 'confirmed') and b.during && new.during
  ) then
    raise exception 'a booking is in the way of the closure'
      using errcode = '23P01', constraint = 'closure_not_booked';
  end if;
  perform private.publish_hours(new.studio_id, new.start_time, new.end_time, 'closed');
  return null;
end
$$;

create trigger closure_not_booked after insert or update on private.closed_span for each row
  execute function private.refuse_booked_hours();

-- Publishes reopened hours to all pages.
create or replace function private.publish_reopened() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_hours(old.studio_id, old.start_time, old.end_time, 'cancelled');
  return null;
end
$$;

create trigger publish_reopened after delete on private.closed_span for each row
  execute function private.publish_reopened();
