-- What staff see of the doors includes the codes of guests.

create index crew_code_used on private.crew_code (used_at desc) where used_at is not null;
create index crew_code_valid on private.crew_code (ends_at) where status = 'issued';

-- As before, with the codes of guests: their reference names the guest.
create or replace function private.door_states(p_now timestamptz) returns table (studio_id uuid, studio_name text, last_opening jsonb, codes jsonb)
language sql stable set search_path = '' as $$
  select s.id, s.name,
    (select pg_catalog.jsonb_build_object('at', o.used_at, 'reference', o.reference, 'startTime', o.start_time)
     from (
       (select c.used_at, b.reference, b.start_time
        from public.booking_access_codes c join private.booking b on b.id = c.booking_id
        where b.studio_id = s.id and c.used_at is not null order by c.used_at desc limit 1)
       union all
       (select g.used_at, b.reference || ' (' || m.name || ')', b.start_time
        from private.crew_code g join private.crew_member m on m.id = g.crew_member_id join private.booking b on b.id = m.booking_id
        where b.studio_id = s.id and g.used_at is not null order by g.used_at desc limit 1)) o
     order by o.used_at desc limit 1),
    (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('reference', v.reference, 'startsAt', v.starts_at, 'endsAt', v.ends_at)
       order by v.ends_at, v.reference), '[]')
     from (
       select b.reference, c.starts_at, c.ends_at
       from public.booking_access_codes c join private.booking b on b.id = c.booking_id
       where b.studio_id = s.id and c.status = 'issued' and c.starts_at <= p_now and c.ends_at > p_now
       union all
       select b.reference || ' (' || m.name || ')', g.starts_at, g.ends_at
       from private.crew_code g join private.crew_member m on m.id = g.crew_member_id join private.booking b on b.id = m.booking_id
       where b.studio_id = s.id and g.status = 'issued' and g.starts_at <= p_now and g.ends_at > p_now) v)
  from public.studios s where s.active order by s.name
$$;
