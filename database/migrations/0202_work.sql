-- Rate limits, which are exact across processes and restarts. Each row is a leaky bucket for one limit and one key.
-- The table is logged, because an unlogged one would be empty after a crash of PostgreSQL.
create table private.rate_bucket (
  name text not null,
  key text not null,
  -- When the whole limit will be available again if there are no further calls.
  full_at timestamptz not null,
  constraint rate_bucket_pkey primary key (name, key)
);
create index rate_bucket_old on private.rate_bucket (full_at);
alter table private.rate_bucket enable row level security, force row level security;

-- Jobs: work that must happen later, from refunds to account emails. A row is written in the transaction of its cause,
-- and any worker can claim it. A job is retried until it is done, until it is too late for it, or until a person closes
-- it with a reason. The code in an account message is derived from the ID of the job, so a repeated message contains
-- the same code.
create table private.outbox (
  id uuid default gen_random_uuid() not null,
  kind text not null,
  subject_id uuid not null,
  -- Distinguishes several jobs of the same kind and subject.
  dedupe text default '' not null,
  -- An email address or the digits of a phone number. Null: the recipient is looked up when the job runs.
  recipient text,
  payload jsonb default '{}'::jsonb not null,
  due_at timestamptz not null,
  -- When it is too late to run the job. Retries become more frequent as this time approaches.
  deadline_at timestamptz,
  tries integer default 0 not null,
  last_error text,
  lease_until timestamptz default '-infinity'::timestamptz not null,
  -- Changes with every claim, so that a worker whose lease has ended cannot postpone a job that another worker has
  -- taken over.
  lease_id uuid,
  -- When the job had failed often enough for the owner to be told. The alert is written to the audit log once.
  alerted_at timestamptz,
  -- When the owner was last emailed about the job.
  notified_at timestamptz,
  done_at timestamptz,
  closed_at timestamptz,
  -- Null if the job was closed because it was too late to run it.
  closed_by uuid,
  close_reason text,
  created_at timestamptz default clock_timestamp() not null,
  -- The request that caused the job. The server sets `request.id` in each transaction of a request, so jobs that
  -- triggers write have it too.
  request_id text default NULLIF(current_setting('request.id', true), ''),
  constraint outbox_pkey primary key (id),
  constraint outbox_kind_subject_id_dedupe_key unique (kind, subject_id, dedupe),
  constraint outbox_closed_with_reason check ((closed_at is null) = (close_reason is null)),
  constraint outbox_recipient_check check (char_length(recipient) between 1 and 320),
  constraint outbox_request_id_is_short check (char_length(request_id) <= 64)
);
create index outbox_mails_by_subject on private.outbox (subject_id) where kind ~~ 'mail.%';
create index outbox_open on private.outbox (kind, due_at) where ((done_at is null) and (closed_at is null));
create index outbox_recipient on private.outbox (recipient) where ((recipient is not null) and (done_at is null));
-- Emails that the mail server has rejected permanently.
create index outbox_refused on private.outbox (created_at)
  where (
    (done_at is null) and (closed_at is null) and (kind ~~ 'mail.%') and (last_error ~ '^mail: smtp_5[15]')
  );
create index outbox_to_notify on private.outbox (created_at)
  where (((alerted_at is not null) or (closed_at is not null)) and (done_at is null));
alter table private.outbox enable row level security, force row level security;

-- When each periodic task last ran and may run again. The process that takes the lease runs the task.
create table private.lease (
  name text not null,
  until timestamptz not null,
  last_run_at timestamptz,
  constraint lease_pkey primary key (name)
);
alter table private.lease enable row level security, force row level security;

-- Which server runs each periodic task if several servers share the database.
create table private.task_lease (
  name text not null,
  -- The host, the process ID and a random number that the process draws when it starts.
  holder text not null,
  until timestamptz not null,
  constraint task_lease_pkey primary key (name),
  constraint task_lease_holder_check check (length(holder) between 1 and 300),
  constraint task_lease_name_check check (length(name) between 1 and 100)
);
alter table private.task_lease enable row level security, force row level security;
