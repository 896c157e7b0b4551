-- Announces that a process reads the outbox without being notified for the next `p_awake`. With null, the process waits
-- for notifications.
create or replace function realtime.announce_reader(p_process uuid, p_awake interval)
returns void language plpgsql as $$
begin
  insert into realtime.reader (process, awake_until, seen_at)
  values (p_process, coalesce(clock_timestamp() + p_awake, '-infinity'), clock_timestamp())
  on conflict (process) do update set awake_until = excluded.awake_until, seen_at = excluded.seen_at;
  perform realtime.set_readers_awake();
end
$$;

-- Removes a process that stops, and all processes that have been silent for a minute.
create or replace function realtime.remove_readers(p_process uuid)
returns void language plpgsql as $$
begin
  delete from realtime.reader where process = p_process or seen_at < clock_timestamp() - interval '1 minute';
  if found then
    perform realtime.set_readers_awake();
  end if;
end
$$;

-- Sets the sequence realtime.readers_awake to the time until which every process reads the outbox without being
-- notified, in milliseconds since 1970. Without processes it is far in the future, and writers do not notify.
create or replace function realtime.set_readers_awake()
returns void language sql security definer set search_path = '' as $$
  -- One call at a time, so that each call sees the rows of the one before.
  select pg_advisory_xact_lock(hashtext('realtime.reader'));
  select setval(
    'realtime.readers_awake',
    case when count(*) = 0 then 9e15 else greatest(1, extract(epoch from min(awake_until)) * 1000) end::bigint)
  from realtime.reader
$$;
