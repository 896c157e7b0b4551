-- What staff see of the doors, and the lights that follow the sessions.

create index access_code_used on public.booking_access_codes (used_at desc) where used_at is not null;
create index access_code_valid on public.booking_access_codes (ends_at) where status = 'issued';

-- Of each active studio the last opening with a code, and the codes that work now.
create function private.door_states(p_now timestamptz) returns table (studio_id uuid, studio_name text, last_opening jsonb, codes jsonb)
language sql stable set search_path = '' as $$
  select s.id, s.name,
    (select pg_catalog.jsonb_build_object('at', c.used_at, 'reference', b.reference, 'startTime', b.start_time)
     from public.booking_access_codes c join private.booking b on b.id = c.booking_id
     where b.studio_id = s.id and c.used_at is not null order by c.used_at desc limit 1),
    (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('reference', b.reference, 'startsAt', c.starts_at, 'endsAt', c.ends_at) order by c.ends_at), '[]')
     from public.booking_access_codes c join private.booking b on b.id = c.booking_id
     where b.studio_id = s.id and c.status = 'issued' and c.starts_at <= p_now and c.ends_at > p_now)
  from public.studios s where s.active order by s.name
$$;

-- Whether sessions want the lights on. Absent until it is known for the first time.
create table private.light_state (
  singleton boolean primary key default true check (singleton),
  wanted boolean not null,
  changed_at timestamptz not null
);
alter table private.light_state enable row level security, force row level security;

-- Compares what the sessions want with what they wanted before, and queues a job for a change. Lights that staff switch by hand stay as they are
-- until the next change. A first "off" switches nothing: nobody knows who put the lights on.
create function private.follow_sessions(p_now timestamptz, p_before interval, p_after interval) returns boolean
language plpgsql set search_path = '' as $$
declare
  wants constant boolean := exists (
    select from private.booking b
    where b.status = 'confirmed' and b.notes is distinct from 'test'
      and b.start_time <= p_now + p_before and b.start_time > p_now - interval '25 hours' - p_after and b.end_time > p_now - p_after);
  had boolean;
begin
  select l.wanted into had from private.light_state l for update;
  if had is not distinct from wants then return false; end if;
  insert into private.light_state (wanted, changed_at) values (wants, p_now)
  on conflict (singleton) do update set wanted = excluded.wanted, changed_at = excluded.changed_at where light_state.wanted <> excluded.wanted;
  if not found or (had is null and not wants) then return false; end if;
  insert into private.outbox (kind, subject_id, dedupe, due_at) values ('power.follow', '00000000-0000-0000-0000-000000000000', p_now::text, p_now)
  on conflict do nothing;
  return true;
end
$$;
