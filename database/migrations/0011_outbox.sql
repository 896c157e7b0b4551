-- What must happen: written in the transaction of its cause, claimed by any worker, never twice at once, never forgotten.

create table private.outbox (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  subject_id uuid not null,
  dedupe text not null default '',
  payload jsonb not null default '{}',
  due_at timestamptz not null,
  deadline_at timestamptz,
  lease_until timestamptz not null default '-infinity',
  tries integer not null default 0,
  done_at timestamptz,
  parked_at timestamptz,
  last_error text,
  created_at timestamptz not null default clock_timestamp(),
  unique (kind, subject_id, dedupe)
);
create index outbox_due on private.outbox (due_at) where done_at is null and parked_at is null;
alter table private.outbox enable row level security;
alter table private.outbox force row level security;

-- A job that is itself a lease: one process at a time runs a named sweep.
create table private.lease (
  name text primary key,
  until timestamptz not null,
  last_run_at timestamptz
);
alter table private.lease enable row level security;
alter table private.lease force row level security;

-- Takes up to p_limit due jobs for thirty seconds.
create function private.claim_outbox(p_now timestamptz, p_limit integer) returns setof private.outbox language sql volatile set search_path = '' as $$
  update private.outbox o set lease_until = p_now + interval '30 seconds', tries = o.tries + 1
  where o.id in (
    select x.id from private.outbox x
    where x.done_at is null and x.parked_at is null and x.due_at <= p_now and x.lease_until < p_now
    order by x.due_at limit p_limit for update skip locked
  )
  returning o.*
$$;

-- True for the one process that may run the sweep now.
create function private.take_lease(p_name text, p_now timestamptz, p_every interval) returns boolean language sql volatile set search_path = '' as $$
  with taken as (
    insert into private.lease as l (name, until, last_run_at) values (p_name, p_now + p_every, p_now)
    on conflict (name) do update set until = excluded.until, last_run_at = excluded.last_run_at where l.until <= p_now
    returning 1
  )
  select exists (select from taken)
$$;
revoke all on function private.claim_outbox(timestamptz, integer), private.take_lease(text, timestamptz, interval) from public;
