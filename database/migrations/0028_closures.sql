-- Hours in which a studio cannot be booked. A booking and a closure never overlap.

create table private.closure (
  id uuid primary key default gen_random_uuid(),
  -- null: every studio there was when it was made.
  studio_id uuid references public.studios (id),
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- How many weeks it repeats, at the same time of day in Sydney.
  weeks integer not null default 1 check (weeks between 1 and 104),
  reason text not null check (char_length(reason) between 1 and 200),
  -- Whether customers may read the reason.
  public boolean not null default false,
  created_by uuid,
  created_at timestamptz not null default clock_timestamp(),
  reopened_at timestamptz,
  constraint closure_ends_after_start check (end_time > start_time),
  constraint closure_at_most_a_year check (end_time <= start_time + interval '366 days')
);
-- A closure that is sent twice is made once.
create unique index closure_once on private.closure (coalesce(studio_id, '00000000-0000-0000-0000-000000000000'), start_time, end_time, weeks)
  where reopened_at is null;
alter table private.closure enable row level security, force row level security;

-- The spans of a closure: one for each studio and week. Reopening deletes those that have not ended.
create table private.closed_span (
  closure_id uuid not null references private.closure (id),
  studio_id uuid not null references public.studios (id),
  start_time timestamptz not null,
  end_time timestamptz not null,
  during tstzrange generated always as (tstzrange(start_time, end_time, '[)')) stored,
  primary key (closure_id, studio_id, start_time),
  constraint closed_span_ends_after_start check (end_time > start_time)
);
create index closed_span_during on private.closed_span using gist (studio_id, during);
create index closed_span_upcoming on private.closed_span (end_time, start_time);
alter table private.closed_span enable row level security, force row level security;
grant select on private.closure, private.closed_span to booking_reader;

-- Everybody sees which hours are closed; the reason of a private closure is for staff.
create view public.closed_hours with (security_barrier = true) as
select s.closure_id, s.studio_id, s.start_time, s.end_time, c.public,
  case when c.public or (select public.is_staff()) or (select auth.role()) = 'service_role' then c.reason end as reason,
  c.weeks
from private.closed_span s join private.closure c on c.id = s.closure_id;
alter view public.closed_hours owner to booking_reader;
revoke all on public.closed_hours from service_role;
grant select on public.closed_hours to anon, authenticated, service_role;

-- Bookings and closures of a studio wait for each other here: a booking shares its studio's row, a closure locks it, and each looks for the
-- other only then. In another isolation level than read committed the look would use an older snapshot.
create function private.refuse_closed_hours() returns trigger language plpgsql security definer set search_path = '' as $$
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
-- After the insert, because the column `during` is computed then.
create trigger booking_not_closed after insert on private.booking for each row
  when (new.status <> 'cancelled') execute function private.refuse_closed_hours();

create function private.refuse_booked_hours() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'closures are made in read committed transactions' using errcode = '25001';
  end if;
  perform from public.studios s where s.id = new.studio_id for update;
  if exists (
    select from private.booking b
    where b.studio_id = new.studio_id and b.status in ('pending', 'confirmed') and b.during && new.during
  ) then
    raise exception 'a booking is in the way of the closure' using errcode = '23P01', constraint = 'closure_not_booked';
  end if;
  perform private.publish_hours(new.studio_id, new.start_time, new.end_time, 'closed');
  return null;
end
$$;
create trigger closure_not_booked after insert or update on private.closed_span for each row execute function private.refuse_booked_hours();

create function private.publish_reopened() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_hours(old.studio_id, old.start_time, old.end_time, 'cancelled');
  return null;
end
$$;
create trigger publish_reopened after delete on private.closed_span for each row execute function private.publish_reopened();

create function private.publish_closure() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send(pg_catalog.jsonb_build_object('closure_id', new.id), 'closure', 'staff', true);
  return null;
end
$$;
create trigger publish_closure after insert or update on private.closure for each row execute function private.publish_closure();

-- A closure as the audit log keeps it.
create function private.closure_json(c private.closure) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('studioId', c.studio_id, 'startTime', c.start_time, 'endTime', c.end_time, 'weeks', c.weeks,
    'reason', c.reason, 'public', c.public)
$$;

-- Closes hours: {closureId}, or {bookings} when bookings are in the way. Sent again it returns the same closure.
create function private.close_hours(p jsonb, p_actor uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_start constant timestamptz := (p ->> 'startTime')::timestamptz;
  v_end constant timestamptz := (p ->> 'endTime')::timestamptz;
  v_weeks constant integer := (p ->> 'weeks')::integer;
  made private.closure;
  spans jsonb;
  in_the_way jsonb;
begin
  perform from public.studios s where v_studio is null or s.id = v_studio order by s.id for update;
  if not found then return '{"outcome": "no_studio"}'; end if;
  select * into made from private.closure c
  where c.studio_id is not distinct from v_studio and (c.start_time, c.end_time, c.weeks) = (v_start, v_end, v_weeks) and c.reopened_at is null;
  if found then return pg_catalog.jsonb_build_object('outcome', 'closed', 'closureId', made.id); end if;

  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('studio_id', s.id,
    'start_time', private.weeks_later(v_start, n), 'end_time', private.weeks_later(v_end, n)))
  into spans
  from public.studios s cross join pg_catalog.generate_series(0, v_weeks - 1) n
  where (v_studio is null or s.id = v_studio) and private.weeks_later(v_end, n) > p_now;

  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status) order by b.start_time, b.studio_name)
  into in_the_way
  from (
    select distinct b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status
    from pg_catalog.jsonb_to_recordset(spans) as s (studio_id uuid, start_time timestamptz, end_time timestamptz)
    join private.booking b on b.studio_id = s.studio_id and b.status in ('pending', 'confirmed')
      and b.during && pg_catalog.tstzrange(s.start_time, s.end_time, '[)')
    order by b.start_time limit 100) b;
  if in_the_way is not null then return pg_catalog.jsonb_build_object('outcome', 'booked', 'bookings', in_the_way); end if;

  insert into private.closure (studio_id, start_time, end_time, weeks, reason, public, created_by)
  values (v_studio, v_start, v_end, v_weeks, p ->> 'reason', (p ->> 'public')::boolean, p_actor) returning * into made;
  insert into private.closed_span (closure_id, studio_id, start_time, end_time)
  select made.id, s.studio_id, s.start_time, s.end_time
  from pg_catalog.jsonb_to_recordset(spans) as s (studio_id uuid, start_time timestamptz, end_time timestamptz);
  perform private.audit(p_actor, 'create', 'closure', made.id::text, pg_catalog.jsonb_build_object('after', private.closure_json(made)));
  return pg_catalog.jsonb_build_object('outcome', 'closed', 'closureId', made.id);
end
$$;

-- The same time of day in Sydney, so many weeks later.
create function private.weeks_later(at timestamptz, weeks integer) returns timestamptz language sql stable set search_path = '' as $$
  select ((at at time zone 'Australia/Sydney') + weeks * interval '7 days') at time zone 'Australia/Sydney'
$$;

-- Opens what is left of a closure. Returns false when there is no such closure; opening it again changes nothing.
create function private.reopen_hours(p_closure uuid, p_actor uuid, p_now timestamptz) returns boolean language plpgsql volatile set search_path = '' as $$
declare
  closed private.closure;
begin
  select * into closed from private.closure c where c.id = p_closure for update;
  if not found then return false; end if;
  if closed.reopened_at is not null then return true; end if;
  update private.closure c set reopened_at = p_now where c.id = p_closure;
  delete from private.closed_span s where s.closure_id = p_closure and s.end_time > p_now;
  perform private.audit(p_actor, 'delete', 'closure', p_closure::text, pg_catalog.jsonb_build_object('before', private.closure_json(closed)));
  return true;
end
$$;
revoke execute on function private.refuse_closed_hours(), private.refuse_booked_hours(), private.publish_reopened(), private.publish_closure() from public;
