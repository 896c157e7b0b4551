-- Returns for each active studio the last opening with an access code, {at, reference, startTime} or null, and the
-- codes that work now, [{reference, startsAt, endsAt}]. The codes of crew are included; their reference is followed
-- by the name of the guest in brackets.
create or replace function private.door_states(p_now timestamptz)
returns table (studio_id uuid, studio_name text, last_opening jsonb, codes jsonb)
language sql stable set search_path = '' as $$
  select s.id, s.name,
    (
      select pg_catalog.jsonb_build_object('at', o.used_at, 'reference', o.reference, 'startTime', o.start_time)
      from (
        (
          select c.used_at, b.reference, b.start_time
          from public.booking_access_codes c join private.booking b on b.id = c.booking_id
          where b.studio_id = s.id and c.used_at is not null
          order by c.used_at desc limit 1
        )
        union all
        (
          select g.used_at, b.reference || ' (' || m.name || ')', b.start_time
          from private.crew_code g
          join private.crew_member m on m.id = g.crew_member_id
          join private.booking b on b.id = m.booking_id
          where b.studio_id = s.id and g.used_at is not null
          order by g.used_at desc limit 1
        )
      ) o
      order by o.used_at desc limit 1
    ),
    (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'reference', v.reference, 'startsAt', v.starts_at, 'endsAt', v.ends_at)
        order by v.ends_at, v.reference), '[]')
      from (
        select b.reference, c.starts_at, c.ends_at
        from public.booking_access_codes c join private.booking b on b.id = c.booking_id
        where b.studio_id = s.id and c.status = 'issued' and c.starts_at <= p_now and c.ends_at > p_now
        union all
        select b.reference || ' (' || m.name || ')', g.starts_at, g.ends_at
        from private.crew_code g
        join private.crew_member m on m.id = g.crew_member_id
        join private.booking b on b.id = m.booking_id
        where b.studio_id = s.id and g.status = 'issued' and g.starts_at <= p_now and g.ends_at > p_now
      ) v
    )
  from public.studios s
  where s.active
  order by s.name
$$;

-- Returns up to `p_most` log entries of locks from `p_from` to before `p_until`, newest first. `p_locks` maps lock
-- ids to studio ids. With `p_booking`, only the entries of that booking are returned.
--
-- If a code of a booking or of its crew was entered, `by_code` is true and the entry belongs to that booking;
-- otherwise it belongs to the confirmed booking at that time, if there is one, unless a staff code was entered.
-- `actor` is the member of staff who opened the door remotely, the name that a staff code was made for, or the guest.
--
-- The newest entries of each lock are found first, and only they are joined; joining first would read every entry of
-- the period. The booking of an entry is found by its key or by its time, each with an index; one condition for both
-- would read every booking for each entry.
create or replace function private.door_log(
  p_locks jsonb, p_from timestamptz, p_until timestamptz, p_booking uuid, p_most integer
) returns table (
  at timestamptz, kind text, studio_id uuid, studio_name text, reference text, by_code boolean, start_time timestamptz,
  customer_name text, actor text
)
language sql stable set search_path = '' as $$
  with entry as materialized (
    select l.value::uuid as studio_id, e.*
    from pg_catalog.jsonb_each_text(p_locks) l
    cross join lateral (
      select x.*
      from private.lock_event x
      where x.lock_id = l.key and x.at >= p_from and x.at < p_until
      order by x.at desc
      limit case when p_booking is null then p_most end) e
    order by e.at desc, e.id
    limit case when p_booking is null then p_most end
  )
  select e.at, e.kind, s.id, s.name, b.reference, c.booking_id is not null, b.start_time,
    coalesce(p.full_name, b.guest_name),
    coalesce((select a.full_name from public.profiles a where a.user_id = e.actor), t.name, c.guest)
  from entry e
  join public.studios s on s.id = e.studio_id
  left join lateral (
    select x.booking_id, null as guest from public.booking_access_codes x where x.id = e.code_id
    union all
    select m.booking_id, m.name || ' (crew)'
    from private.crew_code x
    join private.crew_member m on m.id = x.crew_member_id
    where x.id = e.crew_code_id
    limit 1) c on true
  left join lateral (select x.id, x.name from private.staff_code x where x.id = e.staff_code_id limit 1) t on true
  left join lateral (
    select x.id, x.reference, x.start_time, x.guest_name, x.user_id from private.booking x where x.id = c.booking_id
    union all (
      select x.id, x.reference, x.start_time, x.guest_name, x.user_id
      from private.booking x
      where c.booking_id is null and t.id is null and x.studio_id = s.id and x.status = 'confirmed'
        and x.start_time <= e.at and x.start_time > e.at - interval '25 hours' and x.end_time > e.at
      order by x.start_time desc
      limit 1)) b on true
  left join lateral (select x.full_name from public.profiles x where x.user_id = b.user_id limit 1) p on true
  where p_booking is null or b.id = p_booking
  order by e.at desc, e.id
  limit p_most
$$;
