-- Writes a change of a published table to the outbox, and notifies the processes unless all of them are reading it
-- anyway. Both decisions depend on timestamps kept in sequences: a writer reads a number instead of running a query,
-- and a change to a sequence is visible to all transactions at once.
create or replace function realtime.capture()
returns trigger language plpgsql volatile security definer set search_path = '' as $$
begin
  if (
    pg_sequence_last_value('realtime.readers_awake') > date_part('epoch', clock_timestamp()) * 1000
  ) is not true then
    -- The flag of the table may be left over from servers that were killed.
    if pg_sequence_last_value(realtime.capture_flag(tg_argv[0]::oid)::regclass)
      < date_part('epoch', clock_timestamp()) then
      return null;
    end if;
    perform pg_notify('realtime_changes', '');
  end if;
  -- PostgreSQL applies the settings of a function at every call, so row_in_utc() is called only where it is needed.
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

-- Returns a row as JSON with its times in UTC.
create or replace function realtime.row_in_utc(p_row anyelement)
returns jsonb language sql stable set search_path = '' set timezone = 'UTC' as $$
  select to_jsonb(p_row)
$$;

-- Writes a reference to a new message to the outbox, from where every subscribed process sends it. A transaction whose
-- isolation level is repeatable read or serializable always writes it, because it might not see a recent subscription.
create or replace function realtime.capture_message()
returns trigger language plpgsql volatile security definer set search_path = '' as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') or exists (
    select from realtime.table_subscription
    where relation = 'realtime.messages'::regclass and until > clock_timestamp()
  ) then
    insert into realtime.outbox (relation, operation, record)
    values (
      'realtime.messages'::regclass, 'M', jsonb_build_object('id', new.id, 'inserted_at', new.inserted_at));
    if (
      pg_sequence_last_value('realtime.readers_awake') > date_part('epoch', clock_timestamp()) * 1000
    ) is not true then
      perform pg_notify('realtime_changes', '');
    end if;
  end if;
  return null;
end
$$;

create trigger messages_sent after insert on realtime.messages
  for each row when (not new.skip_broadcast and new.extension = 'broadcast')
  execute function realtime.capture_message();
