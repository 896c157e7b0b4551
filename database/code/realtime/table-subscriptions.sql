-- Subscribes a process to the changes of tables for `p_lifetime`, or renews its subscriptions. Always includes
-- realtime.messages.
create or replace function realtime.subscribe_to_tables(p_process uuid, p_relations oid[], p_lifetime interval)
returns void language plpgsql as $$
begin
  insert into realtime.table_subscription (relation, process, until, since)
  select wanted.relation, p_process, clock_timestamp() + p_lifetime, coalesce((
    select min(s.since)
    from realtime.table_subscription s
    where s.relation = wanted.relation and s.until > clock_timestamp()
  ), clock_timestamp())
  from (select unnest(p_relations) union select 'realtime.messages'::regclass::oid) as wanted (relation)
  order by wanted.relation
  on conflict (relation, process) do update set until = excluded.until, since = excluded.since;
  perform realtime.set_capture_flags();
end
$$;

-- Deletes the subscriptions that have expired.
create or replace function realtime.end_table_subscriptions()
returns void language plpgsql as $$
begin
  delete from realtime.table_subscription where until < clock_timestamp();
  perform realtime.set_capture_flags();
end
$$;

-- Sets the flag of each published table to the time until which its changes are captured, in seconds since 1970, or
-- clears it if no process subscribes to the table.
create or replace function realtime.set_capture_flags()
returns void language plpgsql security definer set search_path = '' as $$
declare
  v_table record;
begin
  -- One call at a time, until its commit, so that no call clears a flag because it does not see a subscription yet.
  perform pg_advisory_xact_lock(hashtext('realtime.table_subscription'));
  for v_table in
    select to_regclass(realtime.capture_flag(p.relation)) as flag, (
      select ceil(extract(epoch from max(s.until)))::bigint
      from realtime.table_subscription s
      where s.relation = p.relation
    ) as until
    from realtime.published_table p
  loop
    if v_table.until is distinct from pg_sequence_last_value(v_table.flag) then
      perform setval(v_table.flag, coalesce(v_table.until, 1), v_table.until is not null);
    end if;
  end loop;
end
$$;

-- Returns the name of a published table's flag: a sequence that has a value while a process subscribes to the table.
-- The table's trigger reads it without a query, so a write costs next to nothing when there are no subscribers. A
-- change to a sequence is visible to all transactions at once.
create or replace function realtime.capture_flag(p_relation oid)
returns text language sql immutable set search_path = '' as $$
  select 'realtime.capture_' || p_relation
$$;
