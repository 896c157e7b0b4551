-- /realtime/v1: stored messages of private channels, the policies that decide who may use a channel, and the table changes to send.

create schema realtime;
grant usage on schema realtime to anon, authenticated, service_role, backend;
alter default privileges in schema realtime grant all on tables to backend;
alter default privileges in schema realtime grant execute on functions to backend;

-- Its SELECT policies decide who may read a private channel and its INSERT policies who may write to it. A row is a message to send.
create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default (now() at time zone 'utc'),
  inserted_at timestamp not null default (now() at time zone 'utc'),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  -- True for a message that was sent before it was stored.
  skip_broadcast boolean not null default false,
  -- When the message is deleted before its partition is; null: with its partition.
  expires_at timestamptz,
  primary key (id, inserted_at),
  check (payload is null or binary_payload is null)
) partition by range (inserted_at);
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
create index messages_replay on realtime.messages (topic, inserted_at desc) where extension = 'broadcast' and private;

-- Creates the partitions of yesterday to three days ahead, and drops those whose messages are older than 72 hours.
create function realtime.maintain_messages(p_now timestamptz) returns void language plpgsql security definer set search_path = '' as $$
declare
  v_day date;
  v_name text;
begin
  for v_day in select generate_series((p_now at time zone 'utc')::date - 1, (p_now at time zone 'utc')::date + 3, interval '1 day')::date loop
    v_name := 'messages_' || to_char(v_day, 'YYYY_MM_DD');
    if to_regclass('realtime.' || v_name) is null then
      execute format('create table realtime.%I partition of realtime.messages for values from (%L) to (%L)', v_name, v_day, v_day + 1);
    end if;
  end loop;
  for v_name in
    select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass
      -- A condition may run before the join, on every relation: not every name holds a date.
      and case when c.relname ~ '^messages_\d{4}_\d{2}_\d{2}$' then to_date(right(c.relname, 10), 'YYYY_MM_DD') < (p_now at time zone 'utc')::date - 3 end
  loop
    execute format('drop table realtime.%I', v_name);
  end loop;
  delete from realtime.messages where expires_at < p_now;
end
$$;
select realtime.maintain_messages(now());

-- The channel a policy decides about; null outside such a decision.
create function realtime.topic() returns text language sql stable set search_path = '' as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;
grant execute on function realtime.topic() to public;

-- Sends a message to a topic by storing it. Runs with the caller's rights. A message that cannot be sent is a warning, never an error:
-- the caller's transaction continues.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
  language plpgsql set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_payload jsonb := payload;
begin
  if jsonb_typeof(payload) = 'object' and not payload ? 'id' then
    v_payload := payload || jsonb_build_object('id', v_id);
  end if;
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (v_id, v_payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
  language plpgsql set search_path = '' as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
grant execute on function realtime.send(jsonb, text, text, boolean), realtime.send_binary(bytea, text, text, boolean) to public;

-- For triggers: sends what happened to a row to a private topic.
create function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record, level text default 'ROW'
) returns void language plpgsql set search_path = '' as $$
begin
  if level = 'STATEMENT' then
    raise exception 'Failed to process the row: function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Failed to process the row: Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', to_jsonb(old), 'record', to_jsonb(new), 'operation', operation, 'table', table_name, 'schema', table_schema
    ),
    event_name, topic_name
  );
end
$$;
grant execute on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) to public;

-- The row policies of a table for a role and a command ('r': select, 'a': insert) as one SQL condition over a row of the table, whose alias
-- is the table's name; 'true' where policies do not apply to the role. The empty search_path makes every name in it qualified.
create function realtime.policy_condition(p_table regclass, p_role name, p_command "char") returns text
  language sql stable security definer set search_path = '' as $$
  with policy as (
    select p.polpermissive,
      '(' || coalesce(
        case when p_command = 'a' then pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) end,
        case when p_command <> 'a' or p.polwithcheck is null then pg_catalog.pg_get_expr(p.polqual, p.polrelid) end,
        'true') || ')' as condition
    from pg_catalog.pg_policy p
    where p.polrelid = p_table and p.polcmd in (p_command, '*')
      and exists (
        select from unnest(p.polroles) as granted (role)
        where granted.role = 0 or pg_catalog.pg_has_role(p_role, granted.role, 'usage')
      )
  )
  select case
    when not c.relrowsecurity or r.rolbypassrls or r.rolsuper
      or (not c.relforcerowsecurity and pg_catalog.pg_has_role(p_role, c.relowner, 'usage')) then 'true'
    else coalesce((select '(' || string_agg(condition, ' or ' order by condition) || ')' from policy where polpermissive), 'false')
      || coalesce((select ' and ' || string_agg(condition, ' and ' order by condition) from policy where not polpermissive), '')
  end
  from pg_catalog.pg_class c, pg_catalog.pg_roles r
  where c.oid = p_table and r.rolname = p_role
$$;
revoke execute on function realtime.policy_condition(regclass, name, "char"), realtime.maintain_messages(timestamptz) from public;

-- Notifies the servers which sessions and accounts have ended, so that their channels end too, and whose rights have changed, so that
-- they are checked again.
create function realtime.session_ended() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('realtime_sessions', 'session:' || old.id);
  return null;
end
$$;
create trigger sessions_ended after delete on auth.sessions for each row execute function realtime.session_ended();
-- A ban or a deletion ends all sessions of an account.
create function realtime.account_closed() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('realtime_sessions', 'account:' || new.id);
  return null;
end
$$;
create trigger users_closed after update of banned_until, deleted_at on auth.users
  for each row when (new.banned_until is distinct from old.banned_until or new.deleted_at is distinct from old.deleted_at)
  execute function realtime.account_closed();
-- For triggers of tables that policies of realtime.messages read: the private channels of the account are checked again.
create function realtime.recheck_rights(p_user uuid) returns void language sql security definer set search_path = '' as $$
  select pg_notify('realtime_sessions', 'rights:' || p_user)
$$;
create function realtime.assurance_changed() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.recheck_rights(new.user_id);
  return null;
end
$$;
create trigger sessions_assurance_changed after update of aal on auth.sessions
  for each row when (new.aal is distinct from old.aal) execute function realtime.assurance_changed();

-- Tables of this publication send their changes: `alter publication supabase_realtime add table …`.
create publication supabase_realtime;

-- Changes of tables that at least one process subscribes to. They are kept for five minutes, for clients that connect again. Unlogged: after
-- a crash of the database the tables of this schema are empty, and every channel joins again.
create unlogged table realtime.outbox (
  -- Before the id, so that a change with a higher id is never older than the end of a transaction that a lower one has seen.
  changed_at timestamptz not null default clock_timestamp(),
  id bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  relation oid not null,
  -- 'I' insert, 'U' update, 'D' delete, 'M' a row of realtime.messages.
  operation text not null,
  record jsonb,
  old_record jsonb,
  primary key (xid, id)
);
-- Which transactions had ended at an instant: a client that has seen everything up to then gets the changes of the others.
create unlogged table realtime.outbox_mark (
  at timestamptz primary key,
  snapshot pg_snapshot not null
);
-- Has one row. Another one, or none, shows that the unlogged tables were emptied: changes may be missing.
create unlogged table realtime.outbox_epoch (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid()
);
-- Which process subscribes to the changes of which table. Without a row here a change is not captured.
create unlogged table realtime.table_subscription (
  relation oid not null,
  process uuid not null,
  until timestamptz not null,
  -- Since when all changes of the table are in the outbox.
  since timestamptz not null default clock_timestamp(),
  primary key (relation, process)
);
-- Subscribes a process to the changes of tables.
create function realtime.subscribe_to_tables(p_process uuid, p_relations oid[], p_lifetime interval) returns void language plpgsql as $$
begin
  insert into realtime.table_subscription (relation, process, until, since)
  select wanted.relation, p_process, clock_timestamp() + p_lifetime, coalesce((
    select min(s.since) from realtime.table_subscription s where s.relation = wanted.relation and s.until > clock_timestamp()
  ), clock_timestamp())
  from (select unnest(p_relations) union select 'realtime.messages'::regclass::oid) as wanted (relation)
  order by wanted.relation
  on conflict (relation, process) do update set until = excluded.until, since = excluded.since;
  perform realtime.set_capture_flags();
end
$$;
-- Ends the subscriptions that have expired.
create function realtime.end_table_subscriptions() returns void language plpgsql as $$
begin
  delete from realtime.table_subscription where until < clock_timestamp();
  perform realtime.set_capture_flags();
end
$$;
-- Each published table has a flag, which its trigger reads without a query: a write costs next to nothing while nobody listens. The flag is
-- a sequence that has a value while a process subscribes to the table; like any sequence, all transactions see it change at once.
create function realtime.capture_flag(p_relation oid) returns text language sql immutable set search_path = '' as $$
  select 'realtime.capture_' || p_relation
$$;
create function realtime.set_capture_flags() returns void language plpgsql security definer set search_path = '' as $$
declare
  v_table record;
begin
  -- One call at a time, until its commit: none clears a flag because it does not see a subscription yet.
  perform pg_advisory_xact_lock(hashtext('realtime.table_subscription'));
  for v_table in
    select to_regclass(realtime.capture_flag(p.relation)) as flag,
      exists (select from realtime.table_subscription s where s.relation = p.relation) as wanted
    from realtime.published_table p
  loop
    if v_table.wanted <> (pg_sequence_last_value(v_table.flag) is not null) then
      perform setval(v_table.flag, 1, v_table.wanted);
    end if;
  end loop;
end
$$;

-- Until when a process reads the outbox by itself. Writers notify only while one is asleep: a transaction with NOTIFY holds a lock of the
-- whole database while it commits.
create unlogged table realtime.reader (
  process uuid primary key,
  awake_until timestamptz not null,
  seen_at timestamptz not null
);

-- The trigger of published tables; its argument is the published table, which differs from the own table in a partition. It runs
-- only while the table's flag is set.
create function realtime.capture() returns trigger language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
begin
  -- The flag of a table outlives servers that were killed. A transaction of another isolation level may not see newer subscriptions.
  if current_setting('transaction_isolation') not in ('repeatable read', 'serializable') and not exists (
    select from realtime.table_subscription where relation = tg_argv[0]::oid and until > clock_timestamp()
  ) then
    return null;
  end if;
  insert into realtime.outbox (relation, operation, record, old_record) values (
    tg_argv[0]::oid, left(tg_op, 1),
    case when tg_op <> 'DELETE' then to_jsonb(new) end,
    case when tg_op <> 'INSERT' then to_jsonb(old) end
  );
  if exists (select from realtime.reader where awake_until < clock_timestamp()) then
    perform pg_notify('realtime_changes', '');
  end if;
  return null;
end
$$;

create function realtime.capture_message() returns trigger language plpgsql volatile security definer set search_path = '' as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') or exists (
    select from realtime.table_subscription where relation = 'realtime.messages'::regclass and until > clock_timestamp()
  ) then
    insert into realtime.outbox (relation, operation, record)
    values ('realtime.messages'::regclass, 'M', jsonb_build_object('id', new.id, 'inserted_at', new.inserted_at));
    if exists (select from realtime.reader where awake_until < clock_timestamp()) then
      perform pg_notify('realtime_changes', '');
    end if;
  end if;
  return null;
end
$$;
create trigger messages_sent after insert on realtime.messages for each row
  when (not new.skip_broadcast and new.extension = 'broadcast') execute function realtime.capture_message();

-- The tables of the publication, with what it sends of them.
create view realtime.published_table as
  select c.oid as relation, n.nspname::text as schema, c.relname::text as name,
    p.pubinsert as inserts, p.pubupdate as updates, p.pubdelete as deletes, t.attnames::text[] as columns, t.rowfilter as row_filter,
    exists (
      select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and g.tgname = 'realtime_capture'
        -- After a dump was restored, the trigger names the table's former oid.
        and (g.tgparentid <> 0 or g.tgargs = convert_to(c.oid::text, 'UTF8') || '\x00'::bytea)
    ) as captured
  from pg_catalog.pg_publication p
  join pg_catalog.pg_publication_tables t on t.pubname = p.pubname
  join pg_catalog.pg_namespace n on n.nspname = t.schemaname
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
  where p.pubname = 'supabase_realtime' and n.nspname <> 'realtime';

-- Gives every published table its trigger and removes it from the others. A table that somebody else has locked is left for the next call:
-- waiting for the lock makes all later writers wait too.
create function realtime.sync_publication() returns void language plpgsql security definer
  set search_path = '' set lock_timeout = '200ms' as $$
declare
  v_table record;
  v_flag text;
  v_created boolean := false;
begin
  if not pg_try_advisory_xact_lock(7204003) then
    return; -- another process does it
  end if;
  for v_table in
    select p.relation, p.schema, p.name, p.published from (
      select relation, schema, name, true as published from realtime.published_table where not captured
      union all
      select c.oid, n.nspname, c.relname, false from pg_catalog.pg_trigger t
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
  -- Also the flags of tables that were dropped.
  for v_flag in
    select c.oid::regclass::text from pg_catalog.pg_class c
    where c.relnamespace = 'realtime'::regnamespace and c.relkind = 'S' and c.relname ~ '^capture_\d+$'
      and not exists (select from realtime.published_table p where realtime.capture_flag(p.relation) = 'realtime.' || c.relname)
      and not exists (
        select from pg_catalog.pg_trigger t where t.tgname = 'realtime_capture' and 'capture_' || t.tgrelid = c.relname
      )
  loop
    execute format('drop sequence %s', v_flag);
  end loop;
  if v_created then
    perform realtime.set_capture_flags();
  end if;
end
$$;

-- A table as its subscribers need it: columns in order, primary key, the columns of its replica identity, and whether row policies apply.
create function realtime.describe_table(p_relation oid) returns jsonb language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'schema', n.nspname, 'name', c.relname, 'security', c.relrowsecurity,
    'columns', (
      select jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname, 'number', a.attnum, 'isDomain', t.typtype = 'd') order by a.attnum)
      from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ),
    'key', coalesce((
      select jsonb_agg(a.attname order by a.attnum) from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
      where i.indrelid = c.oid and i.indisprimary
    ), '[]'),
    'identity', case c.relreplident
      when 'f' then (select jsonb_agg(a.attname) from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
      when 'n' then '[]'
      else coalesce((
        select jsonb_agg(a.attname) from pg_catalog.pg_index i
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and case c.relreplident when 'i' then i.indisreplident else i.indisprimary end
      ), '[]')
    end
  )
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = p_relation
$$;

-- Which rows match the row filter of the publication: a list of booleans. Row filters contain only built-in, immutable functions.
create function realtime.matches_row_filter(p_relation oid, p_rows jsonb) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
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

-- Whether a text contains a name as a whole word.
create function realtime.names(p_text text, p_name text) returns boolean language sql immutable set search_path = '' as $$
  select strpos(p_text, p_name) > 0
    and p_text ~ ('(^|[^a-zA-Z0-9_$])' || regexp_replace(p_name, '([^a-zA-Z0-9_])', '\\\1', 'g') || '($|[^a-zA-Z0-9_$])')
$$;

-- Whether the read policies of a table for a role reach the table itself through functions, views or policies of other tables. Such a
-- policy sees the table as it is now, without a row that was deleted. Functions are searched for names, so this may answer true too often.
create function realtime.policies_read_own_table(p_table regclass, p_role name) returns boolean
  language sql stable security definer set search_path = '' as $$
  with recursive used (class, object) as (
    select d.refclassid, d.refobjid
    from pg_catalog.pg_policy p
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
    where p.polrelid = p_table and p.polcmd in ('r', '*') and d.refobjid <> p_table
      and exists (
        select from unnest(p.polroles) as granted (role)
        where granted.role = 0 or pg_catalog.pg_has_role(p_role, granted.role, 'usage')
      )
    union
    select found.class, found.object
    from used u, lateral (
      select d.refclassid, d.refobjid from pg_catalog.pg_rewrite w
      join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
      where u.class = 'pg_catalog.pg_class'::regclass and w.ev_class = u.object
      union all
      select d.refclassid, d.refobjid from pg_catalog.pg_policy w
      join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = w.oid
      where u.class = 'pg_catalog.pg_class'::regclass and w.polrelid = u.object
      union all
      select d.refclassid, d.refobjid from pg_catalog.pg_depend d
      where u.class = 'pg_catalog.pg_proc'::regclass and d.classid = u.class and d.objid = u.object
      union all
      select 'pg_catalog.pg_class'::regclass, c.oid from pg_catalog.pg_proc f, pg_catalog.pg_class c
      where u.class = 'pg_catalog.pg_proc'::regclass and f.oid = u.object and c.relkind in ('r', 'p', 'v', 'm')
        and c.relnamespace <> 'pg_catalog'::regnamespace and realtime.names(f.prosrc, c.relname)
      union all
      select 'pg_catalog.pg_proc'::regclass, g.oid from pg_catalog.pg_proc f, pg_catalog.pg_proc g
      where u.class = 'pg_catalog.pg_proc'::regclass and f.oid = u.object and g.oid <> f.oid
        and g.pronamespace <> 'pg_catalog'::regnamespace and realtime.names(f.prosrc, g.proname)
    ) as found (class, object)
  )
  select exists (select from used where class = 'pg_catalog.pg_class'::regclass and object = p_table)
$$;
revoke execute on function realtime.names(text, text), realtime.matches_row_filter(oid, jsonb), realtime.policies_read_own_table(regclass, name) from public;

-- Which rows each principal may see: for every principal a text of one 1 or 0 per row, or a ! and the error that its policies end with.
-- p_statement selects that text for the rows in the setting realtime.rows, a JSON list. It is prepared once per connection, as p_name.
-- Runs as the login that may become any caller, which is why no caller may execute it.
create function realtime.visible_rows(p_name text, p_statement text, p_role text, p_claims text[], p_subjects text[], p_rows text)
  returns text[] language plpgsql as $$
declare
  v_execute text := format('execute %I', p_name);
  v_visible text;
  v_result text[] := '{}';
begin
  perform set_config('role', p_role, true), set_config('realtime.rows', p_rows, true);
  for v_at in 1 .. cardinality(p_claims) loop
    perform set_config('request.jwt.claims', p_claims[v_at], true), set_config('request.jwt.claim.sub', p_subjects[v_at], true);
    begin
      execute v_execute into v_visible;
    exception
      when invalid_sql_statement_name then
        execute format('prepare %I as %s', p_name, p_statement);
        execute v_execute into v_visible;
      when others then
        v_visible := '!' || sqlstate || ' ' || sqlerrm;
    end;
    v_result := v_result || v_visible;
  end loop;
  perform set_config('role', 'none', true);
  return v_result;
end
$$;
-- Processes that serve sockets of one installation. One that is silent for REALTIME_LEASE_SECONDS has ended.
create unlogged table realtime.process (
  id uuid primary key,
  seen_at timestamptz not null
);
-- Presence of the members at all processes, for a process whose first member joins a topic.
create unlogged table realtime.presence (
  process uuid not null,
  topic text not null,
  private boolean not null,
  key text not null,
  ref text not null,
  payload text not null,
  primary key (process, ref)
);
create index presence_topic on realtime.presence (topic, private);
-- Messages between processes that are too long for a notification.
create unlogged table realtime.long_message (
  id bigint generated always as identity primary key,
  body text not null,
  sent_at timestamptz not null default clock_timestamp()
);

grant usage on schema realtime to authenticator;
grant execute on function realtime.visible_rows(text, text, text, text[], text[], text) to authenticator;
revoke execute on function realtime.subscribe_to_tables(uuid, oid[], interval), realtime.end_table_subscriptions(),
  realtime.capture_flag(oid), realtime.set_capture_flags(), realtime.capture(), realtime.capture_message(), realtime.sync_publication(),
  realtime.describe_table(oid), realtime.session_ended(), realtime.account_closed(), realtime.recheck_rights(uuid), realtime.assurance_changed()
  from public;
