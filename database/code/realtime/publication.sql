-- The tables of the publication supabase_realtime, with the operations, columns and rows that it sends. `captured` is
-- whether the table has its trigger.
create or replace view realtime.published_table as
  select c.oid as relation, n.nspname::text as schema, c.relname::text as name,
    p.pubinsert as inserts, p.pubupdate as updates, p.pubdelete as deletes, t.attnames::text[] as columns,
    t.rowfilter as row_filter,
    exists (
      select from pg_catalog.pg_trigger g
      where g.tgrelid = c.oid and g.tgname = 'realtime_capture'
        -- After a dump has been restored, the trigger's argument is the table's former oid.
        and (g.tgparentid <> 0 or g.tgargs = convert_to(c.oid::text, 'UTF8') || '\x00'::bytea)
    ) as captured
  from pg_catalog.pg_publication p
  join pg_catalog.pg_publication_tables t on t.pubname = p.pubname
  join pg_catalog.pg_namespace n on n.nspname = t.schemaname
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
  where p.pubname = 'supabase_realtime' and n.nspname <> 'realtime';

-- Gives each published table its trigger and its flag, and removes them from all other tables. Idempotent. Skips a
-- table that another transaction has locked until the next call, because waiting for the lock would make all later
-- writers wait too.
create or replace function realtime.sync_publication()
returns void language plpgsql security definer set search_path = '' set lock_timeout = '200ms' as $$
declare
  v_table record;
  v_flag text;
  v_created boolean := false;
begin
  if not pg_try_advisory_xact_lock(7204003) then
    return; -- Another process is doing this.
  end if;
  for v_table in
    select p.relation, p.schema, p.name, p.published
    from (
      select relation, schema, name, true as published from realtime.published_table where not captured
      union all
      select c.oid, n.nspname, c.relname, false
      from pg_catalog.pg_trigger t
      join pg_catalog.pg_class c on c.oid = t.tgrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where t.tgname = 'realtime_capture' and t.tgparentid = 0
        and not exists (select from realtime.published_table o where o.relation = c.oid)
    ) p
  loop
    begin
      if v_table.published then
        v_flag := realtime.capture_flag(v_table.relation);
        execute format('create sequence if not exists %s', v_flag);
        execute format('grant usage on sequence %s to public', v_flag);
        execute format(
          'create or replace trigger realtime_capture after insert or update or delete on %I.%I for each row
           when (pg_catalog.pg_sequence_last_value(%L::regclass) is not null) execute function realtime.capture(%L)',
          v_table.schema, v_table.name, v_flag, v_table.relation
        );
        execute format('alter table %I.%I enable always trigger realtime_capture', v_table.schema, v_table.name);
        v_created := true;
      else
        execute format('drop trigger realtime_capture on %I.%I', v_table.schema, v_table.name);
      end if;
    exception when lock_not_available or deadlock_detected or insufficient_privilege or undefined_table then
      raise log 'the realtime trigger of % could not be changed: %', v_table.relation, sqlerrm;
    end;
  end loop;
  -- This also finds the flags of tables that were dropped.
  for v_flag in
    select c.oid::regclass::text
    from pg_catalog.pg_class c
    where c.relnamespace = 'realtime'::regnamespace and c.relkind = 'S' and c.relname ~ '^capture_\d+$'
      and not exists (
        select from realtime.published_table p where realtime.capture_flag(p.relation) = 'realtime.' || c.relname)
      and not exists (
        select from pg_catalog.pg_trigger t
        where t.tgname = 'realtime_capture' and 'capture_' || t.tgrelid = c.relname
      )
  loop
    execute format('drop sequence %s', v_flag);
  end loop;
  if v_created then
    perform realtime.set_capture_flags();
  end if;
end
$$;

-- Describes a table for its subscribers: its columns in order, its primary key, the columns of its replica identity
-- (`identity`), and whether it has row policies (`security`). Null if the table does not exist.
create or replace function realtime.describe_table(p_relation oid)
returns jsonb language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'schema', n.nspname, 'name', c.relname, 'security', c.relrowsecurity,
    'columns', (
      select jsonb_agg(
        jsonb_build_object('name', a.attname, 'type', t.typname, 'number', a.attnum, 'isDomain', t.typtype = 'd')
        order by a.attnum)
      from pg_catalog.pg_attribute a
      join pg_catalog.pg_type t on t.oid = a.atttypid
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ),
    'key', coalesce((
      select jsonb_agg(a.attname order by a.attnum)
      from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
      where i.indrelid = c.oid and i.indisprimary
    ), '[]'),
    'identity', case c.relreplident
      when 'f' then (
        select jsonb_agg(a.attname)
        from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
      when 'n' then '[]'
      else coalesce((
        select jsonb_agg(a.attname)
        from pg_catalog.pg_index i
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and case c.relreplident when 'i' then i.indisreplident else i.indisprimary end
      ), '[]')
    end
  )
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = p_relation
$$;

-- Returns which rows match the publication's row filter for a table: a JSON array with a boolean for each row of the
-- JSON array `p_rows`. Row filters contain only immutable built-in functions.
create or replace function realtime.matches_row_filter(p_relation oid, p_rows jsonb)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
declare
  v_table record;
  v_result jsonb;
begin
  select p.schema, p.name, p.row_filter into v_table from realtime.published_table p where p.relation = p_relation;
  execute format(
    'select coalesce(jsonb_agg(coalesce(%s, false) order by realtime_row_number), ''[]'')
     from jsonb_array_elements($1) with ordinality as realtime_rows (realtime_row, realtime_row_number),
       lateral jsonb_populate_record(null::%I.%I, realtime_row) as %I',
    coalesce(v_table.row_filter, 'true'), v_table.schema, v_table.name, v_table.name
  ) into v_result using p_rows;
  return v_result;
end
$$;
