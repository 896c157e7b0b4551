-- Jobs: work that must happen later, from refunds to account mails. A row is written in the transaction of its cause and claimed by any worker.
-- A job is retried until it is done, until its moment has passed for good, or until a person closes it with a reason. The code in an account
-- message is derived from the id of its row, so a repeated message has the same code.

create table private.outbox (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  subject_id uuid not null,
  -- Tells several jobs of one kind and subject apart.
  dedupe text not null default '',
  -- Whom the job writes to, as an address or the digits of a phone number; null: looked up when it runs.
  recipient text check (char_length(recipient) between 1 and 320),
  payload jsonb not null default '{}',
  due_at timestamptz not null,
  deadline_at timestamptz,
  tries integer not null default 0,
  last_error text,
  lease_until timestamptz not null default '-infinity',
  -- New at every claim, so that a worker whose lease has ended cannot postpone a job that another worker has taken over.
  lease_id uuid,
  -- When the job had failed so often that the owner has to know; written to the audit log once.
  alerted_at timestamptz,
  -- When the owner was last mailed about it.
  notified_at timestamptz,
  done_at timestamptz,
  closed_at timestamptz,
  -- Null when the job was closed because its moment had passed.
  closed_by uuid,
  close_reason text,
  created_at timestamptz not null default clock_timestamp(),
  unique (kind, subject_id, dedupe),
  constraint outbox_closed_with_reason check ((closed_at is null) = (close_reason is null))
);
create index outbox_open on private.outbox (kind, due_at) where done_at is null and closed_at is null;
create index outbox_recipient on private.outbox (recipient) where recipient is not null and done_at is null;
create index outbox_to_notify on private.outbox (notified_at) where (alerted_at is not null or closed_at is not null) and done_at is null;
alter table private.outbox enable row level security, force row level security;

-- Claims up to p_limit due jobs of these kinds for p_seconds, those with a deadline first. p_running: jobs that this process still works on and
-- never claims twice, whatever the clock says.
create function private.claim_jobs(p_kinds text[], p_now timestamptz, p_limit integer, p_seconds numeric, p_running uuid[])
returns setof private.outbox language sql volatile set search_path = '' as $$
  update private.outbox o
  set lease_until = p_now + pg_catalog.make_interval(secs => p_seconds::double precision), lease_id = pg_catalog.gen_random_uuid(), tries = o.tries + 1
  where o.id in (
    select x.id from private.outbox x
    where x.kind = any (p_kinds) and x.done_at is null and x.closed_at is null and x.due_at <= p_now and x.lease_until < p_now
      and x.id <> all (p_running)
    order by x.deadline_at nulls last, x.due_at limit p_limit for update skip locked
  )
  returning o.*
$$;

-- Tries an open job now, or opens a closed one again. Returns false when there is no such job or it is done.
create function public.retry_job(job uuid) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  open private.outbox;
begin
  perform private.require_staff();
  update private.outbox o set due_at = least(o.due_at, pg_catalog.now()), closed_at = null, closed_by = null, close_reason = null
  where o.id = retry_job.job and o.done_at is null
  returning o.* into open;
  if not found then return false; end if;
  if open.kind = 'payment.refund' then
    update private.payment p set state = 'refund_pending' where p.id = open.subject_id and p.state = 'refund_manual';
  end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text, pg_catalog.jsonb_build_object('kind', open.kind, 'by_hand', 'retry'));
  return true;
end
$$;

-- Closes an open job with a reason, which stays in the audit log. Returns false when there is no such job, or it is done or closed.
create function public.close_job(job uuid, reason text) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  why constant text := pg_catalog.btrim(coalesce(reason, ''));
  closed private.outbox;
begin
  perform private.require_staff();
  if pg_catalog.length(why) not between 3 and 500 then
    raise exception 'a reason of 3 to 500 characters is needed' using errcode = '22023';
  end if;
  update private.outbox o set closed_at = pg_catalog.now(), closed_by = auth.uid(), close_reason = why, notified_at = pg_catalog.now()
  where o.id = close_job.job and o.done_at is null and o.closed_at is null
  returning o.* into closed;
  if not found then return false; end if;
  if closed.kind = 'payment.refund' then
    update private.payment p set state = 'refund_manual' where p.id = closed.subject_id and p.state in ('refund_pending', 'refund_failed');
  end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text,
    pg_catalog.jsonb_build_object('kind', closed.kind, 'by_hand', 'close', 'reason', why));
  return true;
end
$$;
grant execute on function public.retry_job(uuid), public.close_job(uuid, text) to authenticated;

-- Periodic tasks that one process at a time runs.
create table private.lease (
  name text primary key,
  until timestamptz not null,
  last_run_at timestamptz
);
alter table private.lease enable row level security, force row level security;

-- Returns true to the one process that may run the task now.
create function private.take_lease(p_name text, p_now timestamptz, p_every interval) returns boolean language sql volatile set search_path = '' as $$
  with taken as (
    insert into private.lease as l (name, until, last_run_at) values (p_name, p_now + p_every, p_now)
    on conflict (name) do update set until = excluded.until, last_run_at = excluded.last_run_at where l.until <= p_now
    returning 1
  )
  select exists (select from taken)
$$;
