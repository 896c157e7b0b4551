-- Returns the bookings and holds that run when a day in Sydney begins or start on it, each with its customer and the
-- progress of its access code. The times of the code are null until they have happened; `code_due_at` is when the
-- code will be requested from the lock, and null afterwards. After a move, only the code of the new hours counts. The
-- hold of a waiting move has the reference and customer of the booking that moves. Requires the permission for
-- bookings.
create or replace function public.bookings_of_day(day date)
returns table (
  id uuid, reference text, user_id uuid, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz,
  status text, is_test boolean, customer_name text, customer_email text, phone text, code_due_at timestamptz,
  code_requested_at timestamptz, code_accepted_at timestamptz, code_mailed_at timestamptz, code_seen_at timestamptz,
  code_used_at timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  v_start constant timestamptz := day::timestamp at time zone 'Australia/Sydney';
  v_end constant timestamptz := (day + 1)::timestamp at time zone 'Australia/Sydney';
begin
  perform private.require_permission('bookings');
  return query
    with starting as (
      select b.* from private.booking b
      where b.status <> 'cancelled' and b.start_time > v_start and b.start_time < v_end
      order by b.start_time limit 1000
    ), found as (
      select * from (select * from private.running_bookings(v_start) union all select * from starting) b
      order by b.start_time limit 1000
    )
    select f.id, coalesce(o.reference, f.reference), coalesce(f.user_id, o.user_id), f.studio_id, f.studio_name,
      f.start_time, f.end_time, f.status, f.notes is not distinct from 'test',
      coalesce(p.full_name, f.guest_name, o.guest_name), coalesce(p.email, f.guest_email, o.guest_email),
      coalesce(f.contact_phone, o.contact_phone, p.phone),
      c.due, c.requested, c.accepted, c.mailed, c.seen, c.used
    from found f
    left join private.booking o on o.id = f.moves_booking
    left join public.profiles p on p.user_id = coalesce(f.user_id, o.user_id)
    left join lateral private.code_times(f.id) c on true
    order by f.start_time, f.studio_name, f.id;
end
$$;
grant execute on function public.bookings_of_day(date) to authenticated;
