-- A writer of a table that somebody listens to reads one number instead of running two queries: until when all servers read the outbox by
-- themselves. It and the flags of tables are values of sequences, which all transactions see at once.

-- The flag of a table holds the time until which its changes are captured, in seconds since 1970.
create or replace function realtime.set_capture_flags() returns void language plpgsql security definer set search_path = '' as $$
declare
  v_table record;
begin
  -- One call at a time, until its commit: none clears a flag because it does not see a subscription yet.
  perform pg_advisory_xact_lock(hashtext('realtime.table_subscription'));
  for v_table in
    select to_regclass(realtime.capture_flag(p.relation)) as flag, (
      select ceil(extract(epoch from max(s.until)))::bigint from realtime.table_subscription s where s.relation = p.relation
    ) as until
    from realtime.published_table p
  loop
    if v_table.until is distinct from pg_sequence_last_value(v_table.flag) then
      perform setval(v_table.flag, coalesce(v_table.until, 1), v_table.until is not null);
    end if;
  end loop;
end
$$;

-- Until when every process reads the outbox by itself, in milliseconds since 1970. Without a value writers notify.
create sequence realtime.readers_awake;
create function realtime.set_readers_awake() returns void language sql security definer set search_path = '' as $$
  -- One call at a time, so that each sees the rows of the one before.
  select pg_advisory_xact_lock(hashtext('realtime.reader'));
  select setval('realtime.readers_awake', case when count(*) = 0 then 9e15 else greatest(1, extract(epoch from min(awake_until)) * 1000) end::bigint)
  from realtime.reader
$$;
-- Tells writers until when a process reads the outbox by itself; null: it waits for notifications.
create function realtime.announce_reader(p_process uuid, p_awake interval) returns void language plpgsql as $$
begin
  insert into realtime.reader (process, awake_until, seen_at)
  values (p_process, coalesce(clock_timestamp() + p_awake, '-infinity'), clock_timestamp())
  on conflict (process) do update set awake_until = excluded.awake_until, seen_at = excluded.seen_at;
  perform realtime.set_readers_awake();
end
$$;
-- Removes a process that stops, and those that have been silent for a minute.
create function realtime.remove_readers(p_process uuid) returns void language plpgsql as $$
begin
  delete from realtime.reader where process = p_process or seen_at < clock_timestamp() - interval '1 minute';
  if found then
    perform realtime.set_readers_awake();
  end if;
end
$$;

-- A row as JSON, whose times are in UTC.
create function realtime.row_in_utc(p_row anyelement) returns jsonb
  language sql stable set search_path = '' set timezone = 'UTC' as $$ select to_jsonb(p_row) $$;

-- Settings of a function are set at each call, so the time zone is set only for a writer with another one.
create or replace function realtime.capture() returns trigger language plpgsql volatile security definer set search_path = '' as $$
begin
  if (pg_sequence_last_value('realtime.readers_awake') > date_part('epoch', clock_timestamp()) * 1000) is not true then
    -- The flag of a table outlives servers that were killed.
    if pg_sequence_last_value(realtime.capture_flag(tg_argv[0]::oid)::regclass) < date_part('epoch', clock_timestamp()) then
      return null;
    end if;
    perform pg_notify('realtime_changes', '');
  end if;
  if current_setting('timezone') in ('UTC', 'Etc/UTC') then
    insert into realtime.outbox (relation, operation, record, old_record)
    values (tg_argv[0]::oid, left(tg_op, 1), to_jsonb(new), to_jsonb(old));
  else
    insert into realtime.outbox (relation, operation, record, old_record)
    values (tg_argv[0]::oid, left(tg_op, 1), realtime.row_in_utc(new), realtime.row_in_utc(old));
  end if;
  return null;
end
$$;
alter function realtime.capture() reset timezone;

create or replace function realtime.capture_message() returns trigger language plpgsql volatile security definer set search_path = '' as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') or exists (
    select from realtime.table_subscription where relation = 'realtime.messages'::regclass and until > clock_timestamp()
  ) then
    insert into realtime.outbox (relation, operation, record)
    values ('realtime.messages'::regclass, 'M', jsonb_build_object('id', new.id, 'inserted_at', new.inserted_at));
    if (pg_sequence_last_value('realtime.readers_awake') > date_part('epoch', clock_timestamp()) * 1000) is not true then
      perform pg_notify('realtime_changes', '');
    end if;
  end if;
  return null;
end
$$;

revoke execute on function realtime.set_readers_awake(), realtime.announce_reader(uuid, interval), realtime.remove_readers(uuid),
  realtime.row_in_utc(anyelement) from public;
select realtime.set_capture_flags();
