-- Returns what the lock of a booking reports, for a customer who is at the door: {online, hasCode, wrongAt, openedAt}.
-- online: whether the lock is reachable, null if unknown. hasCode: whether the booking has an issued code. wrongAt and
-- openedAt: when a wrong code was last entered and the door was last opened, between p_from, shortly before the code
-- starts to work, and p_now.
create or replace function private.door_answer(p_booking uuid, p_lock text, p_from timestamptz, p_now timestamptz)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'online', (
      select l.online from private.lock_state l where l.studio_id = b.studio_id and l.lock_id = p_lock),
    'hasCode', exists (
      select from public.booking_access_codes c where c.booking_id = b.id and c.status = 'issued'),
    'wrongAt', (
      select pg_catalog.max(e.at) from private.lock_event e
      where e.lock_id = p_lock and e.kind = 'wrong_code' and e.at between p_from and p_now),
    'openedAt', (
      select pg_catalog.max(e.at) from private.lock_event e
      where e.lock_id = p_lock and private.is_opening(e.kind) and e.at between p_from and p_now))
  from private.booking b
  where b.id = p_booking
$$;

-- Returns for how many minutes of the session, rounded up, the door stayed closed after a call for help. Counts from
-- the call, or from the start of the session if that is later, until the lock reported an opening; if it has not, until
-- staff finished the incident, and for an unfinished incident until p_now. Stops counting at the end of the session.
create or replace function private.closed_minutes(i private.incident, p_lock text, p_now timestamptz) returns integer
language sql stable set search_path = '' as $$
  select greatest(0, pg_catalog.ceil(extract(epoch from
    least(b.end_time, coalesce(
      (select pg_catalog.min(e.at) from private.lock_event e
        where e.lock_id = p_lock and private.is_opening(e.kind) and e.at > i.created_at),
      case i.state when 'done' then i.changed_at end,
      p_now))
    - greatest(b.start_time, i.created_at)) / 60))::integer
  from private.booking b
  where b.id = i.booking_id
$$;

-- Whether a kind of lock event means that the door was opened.
create or replace function private.is_opening(p_kind text) returns boolean
language sql immutable set search_path = '' as $$
  select p_kind in ('code', 'master_code', 'bluetooth', 'card', 'fingerprint', 'from_inside', 'from_afar')
$$;
