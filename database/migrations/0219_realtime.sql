-- Messages to send. The SELECT policies of the table decide who can read a private channel, and its INSERT policies who
-- can write to it.
create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone default (now() AT TIME ZONE 'utc') not null,
  inserted_at timestamp without time zone default (now() AT TIME ZONE 'utc') not null,
  id uuid default gen_random_uuid() not null,
  binary_payload bytea,
  -- Whether the message was sent before it was stored.
  skip_broadcast boolean default false not null,
  -- When the message is deleted, if that is before its partition is dropped.
  expires_at timestamptz,
  constraint messages_pkey primary key (id, inserted_at),
  constraint messages_check check ((payload is null) or (binary_payload is null))
) partition by RANGE (inserted_at);
create index messages_replay on ONLY realtime.messages (topic, inserted_at desc)
  where ((extension = 'broadcast') and private);
alter table realtime.messages enable row level security;
grant insert, select, update on realtime.messages to anon, authenticated, service_role;

-- Changes of tables to which at least one process subscribes. They are kept for five minutes, for clients that
-- reconnect. All tables of this schema except realtime.messages are unlogged: after a crash of the database they are
-- empty, and all channels join again.
create unlogged table realtime.outbox (
  -- Stands before `id`, so that a change with a higher ID is never older than the end of a transaction that a change
  -- with a lower ID has seen.
  changed_at timestamptz default clock_timestamp() not null,
  id bigint generated always as identity not null,
  xid xid8 default pg_current_xact_id() not null,
  relation oid not null,
  -- 'I': insert. 'U': update. 'D': delete. 'M': a row of realtime.messages.
  operation text not null,
  record jsonb,
  old_record jsonb,
  constraint outbox_pkey primary key (xid, id)
);
-- PostgreSQL 15 leaves a sequence without a log unreadable on a standby that becomes the primary.
alter sequence realtime.outbox_id_seq set logged;

-- Which transactions had ended at an instant. A client that has seen all changes up to then gets the changes of the
-- other transactions.
create unlogged table realtime.outbox_mark (
  at timestamptz not null,
  snapshot pg_snapshot not null,
  constraint outbox_mark_pkey primary key (at)
);

-- Contains one row. If the row is missing or has another ID, the unlogged tables were emptied, and changes may be
-- missing.
create unlogged table realtime.outbox_epoch (
  one boolean default true not null,
  id uuid default gen_random_uuid() not null,
  constraint outbox_epoch_pkey primary key (one),
  constraint outbox_epoch_one_check check (one)
);

-- Which process subscribes to the changes of which table. Changes of a table without a row here are not captured.
create unlogged table realtime.table_subscription (
  relation oid not null,
  process uuid not null,
  until timestamptz not null,
  -- From when on all changes of the table are in the outbox.
  since timestamptz default clock_timestamp() not null,
  constraint table_subscription_pkey primary key (relation, process)
);

-- Until when each process reads the outbox without being notified. Writers notify only while a process is asleep,
-- because a transaction with NOTIFY takes a lock on the whole database while it commits.
create unlogged table realtime.reader (
  process uuid not null,
  awake_until timestamptz not null,
  seen_at timestamptz not null,
  constraint reader_pkey primary key (process)
);

-- The processes of an installation that serve sockets. A process that has been silent for REALTIME_LEASE_SECONDS is
-- considered to have ended.
create unlogged table realtime.process (
  id uuid not null,
  seen_at timestamptz not null,
  constraint process_pkey primary key (id)
);

-- The presence of the members at all processes. A process reads it when its first member joins a topic.
create unlogged table realtime.presence (
  process uuid not null,
  topic text not null,
  private boolean not null,
  key text not null,
  ref text not null,
  payload text not null,
  constraint presence_pkey primary key (process, ref)
);
create index presence_topic on realtime.presence (topic, private);

-- Messages between processes that are too long for a notification.
create unlogged table realtime.long_message (
  id bigint generated always as identity not null,
  body text not null,
  sent_at timestamptz default clock_timestamp() not null,
  constraint long_message_pkey primary key (id)
);
-- PostgreSQL 15 leaves a sequence without a log unreadable on a standby that becomes the primary.
alter sequence realtime.long_message_id_seq set logged;

-- Until when all processes read the outbox without being notified, in milliseconds since 1970. Writers notify if the
-- sequence has no value.
create sequence realtime.readers_awake;

-- The tables that send their changes. To add one: `alter publication supabase_realtime add table …`.
create publication supabase_realtime;

-- The first partitions, for messages of the first days. The server makes those of later days.
select realtime.maintain_messages(pg_catalog.clock_timestamp());
