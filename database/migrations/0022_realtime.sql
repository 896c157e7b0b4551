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
      and to_date(right(c.relname, 10), 'YYYY_MM_DD') < (p_now at time zone 'utc')::date - 3
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
-- the caller's transaction goes on.
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

-- Tells the server at once which sessions have ended, so that their channels end too.
create function realtime.session_ended() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('realtime_sessions', old.id::text);
  return null;
end
$$;
create trigger sessions_ended after delete on auth.sessions for each row execute function realtime.session_ended();
-- A ban or a deletion ends all sessions of an account; '' makes the server look at every channel.
create function realtime.account_closed() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('realtime_sessions', '');
  return null;
end
$$;
create trigger users_closed after update of banned_until, deleted_at on auth.users
  for each row when (new.banned_until is distinct from old.banned_until or new.deleted_at is distinct from old.deleted_at)
  execute function realtime.account_closed();

-- Tables of this publication send their changes: `alter publication supabase_realtime add table …`.
create publication supabase_realtime;

-- Changes that at least one process wants, until every process has read them. Unlogged: a crash of the database drops every socket anyway.
create unlogged table realtime.outbox (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  relation oid not null,
  -- 'I' insert, 'U' update, 'D' delete, 'M' a row of realtime.messages.
  operation text not null,
  record jsonb,
  old_record jsonb,
  changed_at timestamptz not null default clock_timestamp()
);
create index outbox_xid on realtime.outbox (xid);
create index outbox_changed_at on realtime.outbox (changed_at);
-- Which process wants the changes of which table. Without a row here a write costs one index lookup.
create unlogged table realtime.interest (
  relation oid not null,
  process uuid not null,
  until timestamptz not null,
  primary key (relation, process)
);
-- Until when a process reads the outbox by itself. Writers notify only while one is asleep: a transaction with NOTIFY holds a lock of the
-- whole database while it commits.
create unlogged table realtime.reader (
  process uuid primary key,
  awake_until timestamptz not null,
  seen_at timestamptz not null
);

create function realtime.wake_readers() returns void language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from realtime.reader where awake_until < clock_timestamp()) then
    perform pg_notify('realtime_changes', '');
  end if;
end
$$;

-- The trigger of published tables; its argument is the published table, which differs from the own table in a partition. Volatile, so that
-- it sees interest that was registered after its transaction began.
create function realtime.capture() returns trigger language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
begin
  if not exists (select from realtime.interest where relation = tg_argv[0]::oid) then
    return null;
  end if;
  insert into realtime.outbox (relation, operation, record, old_record) values (
    tg_argv[0]::oid, left(tg_op, 1),
    case when tg_op <> 'DELETE' then to_jsonb(new) end,
    case when tg_op <> 'INSERT' then to_jsonb(old) end
  );
  perform realtime.wake_readers();
  return null;
end
$$;

create function realtime.capture_message() returns trigger language plpgsql volatile security definer set search_path = '' as $$
begin
  if exists (select from realtime.interest where relation = 'realtime.messages'::regclass) then
    insert into realtime.outbox (relation, operation, record)
    values ('realtime.messages'::regclass, 'M', jsonb_build_object('id', new.id, 'inserted_at', new.inserted_at));
    perform realtime.wake_readers();
  end if;
  return null;
end
$$;
create trigger messages_sent after insert on realtime.messages for each row
  when (not new.skip_broadcast and new.extension = 'broadcast') execute function realtime.capture_message();

-- The tables of the publication, with what it sends of them.
create view realtime.published_table as
  select c.oid as relation, n.nspname::text as schema, c.relname::text as name,
    p.pubinsert as inserts, p.pubupdate as updates, p.pubdelete as deletes, t.attnames::text[] as columns
  from pg_catalog.pg_publication p
  join pg_catalog.pg_publication_tables t on t.pubname = p.pubname
  join pg_catalog.pg_namespace n on n.nspname = t.schemaname
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
  where p.pubname = 'supabase_realtime' and n.nspname <> 'realtime';

-- Gives every published table its trigger and removes it from the others. Returns how many tables changed.
create function realtime.sync_publication() returns integer language plpgsql security definer set search_path = '' as $$
declare
  v_table record;
  v_count integer := 0;
begin
  for v_table in
    select p.relation, p.schema, p.name from realtime.published_table p
    where not exists (select from pg_catalog.pg_trigger t where t.tgrelid = p.relation and t.tgname = 'realtime_capture')
  loop
    execute format(
      'create trigger realtime_capture after insert or update or delete on %I.%I for each row execute function realtime.capture(%L)',
      v_table.schema, v_table.name, v_table.relation
    );
    execute format('alter table %I.%I enable always trigger realtime_capture', v_table.schema, v_table.name);
    v_count := v_count + 1;
  end loop;
  for v_table in
    select n.nspname as schema, c.relname as name from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where t.tgname = 'realtime_capture' and t.tgparentid = 0
      and not exists (select from realtime.published_table p where p.relation = c.oid)
  loop
    execute format('drop trigger realtime_capture on %I.%I', v_table.schema, v_table.name);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

-- A table as its subscribers need it: columns in order, primary key, the columns of its replica identity, and whether row policies apply.
create function realtime.describe_table(p_relation oid) returns jsonb language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'schema', n.nspname, 'name', c.relname, 'security', c.relrowsecurity,
    'columns', (
      select jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname, 'number', a.attnum) order by a.attnum)
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

-- Which rows each principal may see: for every principal a list of booleans, one per row. p_statement selects that list for the rows $1.
-- Runs as the login that may become any caller, which is why no caller may execute it.
create function realtime.judge(p_statement text, p_role text, p_claims jsonb, p_rows jsonb) returns jsonb language plpgsql as $$
declare
  v_claims jsonb;
  v_visible jsonb;
  v_result jsonb := '[]';
begin
  perform set_config('role', p_role, true);
  for v_claims in select value from jsonb_array_elements(p_claims) loop
    perform set_config('request.jwt.claims', v_claims::text, true),
      set_config('request.jwt.claim.sub', coalesce(v_claims ->> 'sub', ''), true);
    execute p_statement into v_visible using p_rows;
    v_result := v_result || jsonb_build_array(v_visible);
  end loop;
  perform set_config('role', 'none', true);
  return v_result;
end
$$;
-- Processes that serve sockets of one installation. One that is silent for 15 seconds has ended.
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
grant execute on function realtime.judge(text, text, jsonb, jsonb) to authenticator;
revoke execute on function realtime.wake_readers(), realtime.capture(), realtime.capture_message(), realtime.sync_publication(),
  realtime.describe_table(oid), realtime.session_ended(), realtime.account_closed() from public;
