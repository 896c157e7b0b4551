-- Lists of bookings for staff and the service key; other callers get no rows. The view public.bookings cannot use an
-- index for its order, because its security barrier keeps the sort outside. So these functions first find the ids and
-- then read those rows of the view. `most` is the length of the list, at most 1000.

-- Returns the bookings and holds that end after `ends_after`, earliest first. A booking and the hold for its
-- extension can run at the same time; both are listed.
create or replace function public.upcoming_bookings(ends_after timestamptz default now(), most integer default 100)
returns setof public.bookings language plpgsql stable security definer set search_path = '' as $$
declare
  v_found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then return; end if;
  with started as (
    select b.id, b.start_time, b.studio_name from private.running_bookings(ends_after) b
  ), later as (
    select o.id, o.start_time, o.studio_name from private.booking o
    where o.status <> 'cancelled' and o.start_time > ends_after
    order by o.start_time, o.studio_name limit least(most, 1000)
  )
  select array(
    select b.id from (select * from started union all select * from later) b
    order by b.start_time, b.studio_name limit least(most, 1000))
  into v_found;
  return query select v.* from public.bookings v where v.id = any (v_found) order by v.start_time, v.studio_name;
end
$$;
grant execute on function public.upcoming_bookings(timestamp with time zone, integer) to authenticated;

-- Returns the bookings that were made last, newest first.
create or replace function public.newest_bookings(most integer default 100) returns setof public.bookings
language plpgsql stable security definer set search_path = '' as $$
declare
  v_found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then return; end if;
  v_found := array(select b.id from private.booking b order by b.created_at desc limit least(most, 1000));
  return query select v.* from public.bookings v where v.id = any (v_found) order by v.created_at desc;
end
$$;
grant execute on function public.newest_bookings(integer) to authenticated;

-- Returns the bookings and holds that run at a time, in one studio or, if `p_studio` is null, in all. Most bookings
-- that began in the 25 hours before have ended, which the inner query sees in the index alone. `offset 0` keeps the
-- planner, which expects far fewer running bookings than there are, from reading the table instead.
create or replace function private.running_bookings(p_at timestamptz, p_studio uuid default null)
returns setof private.booking language sql stable set search_path = '' as $$
  select b.*
  from (
    select o.id from private.booking o
    where o.start_time <= p_at and o.start_time > p_at - interval '25 hours'
      and o.status <> 'cancelled' and o.end_time > p_at offset 0
  ) r
  cross join lateral (select o.* from private.booking o where o.id = r.id offset 0) b
  where p_studio is null or b.studio_id = p_studio
$$;
