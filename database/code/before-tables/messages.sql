-- Creates the daily partitions of realtime.messages from yesterday to three days ahead, and drops those whose messages
-- are all older than 72 hours. Also deletes the messages that expire before their partition does. Days are in UTC.
-- Idempotent.
create or replace function realtime.maintain_messages(p_now timestamptz)
returns void language plpgsql security definer set search_path = '' as $$
declare
  v_day date;
  v_name text;
begin
  for v_day in
    select generate_series(
      (p_now at time zone 'utc')::date - 1, (p_now at time zone 'utc')::date + 3, interval '1 day')::date
  loop
    v_name := 'messages_' || to_char(v_day, 'YYYY_MM_DD');
    if to_regclass('realtime.' || v_name) is null then
      execute format(
        'create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        v_name, v_day, v_day + 1);
    end if;
  end loop;
  for v_name in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass
      -- PostgreSQL may check this for every relation, before the join, and not every name contains a date.
      and case
        when c.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
          then to_date(right(c.relname, 10), 'YYYY_MM_DD') < (p_now at time zone 'utc')::date - 3 end
  loop
    execute format('drop table realtime.%I', v_name);
  end loop;
  delete from realtime.messages where expires_at < p_now;
end
$$;
