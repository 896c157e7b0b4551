-- Jobs are retried until they succeed, until their moment has passed for good, or until a person closes them with a reason. Nothing is
-- given up by itself any more: jobs that were parked after twelve failures come back with this migration.

drop function private.claim_outbox(timestamptz, integer);
drop index private.outbox_due;

alter table private.outbox
  -- Who holds the job: made anew at every claim, so that a worker whose lease ran out cannot put off what another one has taken over.
  add column lease_id uuid,
  -- Since when somebody has to know: the third failure, written to the audit log once.
  add column alerted_at timestamptz,
  -- When the owner was last mailed about it.
  add column notified_at timestamptz,
  add column closed_at timestamptz,
  -- Null: its moment had passed.
  add column closed_by uuid,
  add column close_reason text;
update private.outbox set lease_until = '-infinity', due_at = least(due_at, parked_at)
where parked_at is not null and done_at is null;
alter table private.outbox drop column parked_at;
alter table private.outbox add constraint outbox_closed_with_reason check ((closed_at is null) = (close_reason is null));
create index outbox_open on private.outbox (kind, due_at) where done_at is null and closed_at is null;
create index outbox_to_notify on private.outbox (notified_at) where (alerted_at is not null or closed_at is not null) and done_at is null;

-- The access mail is worth sending until the session ends.
update private.outbox o set deadline_at = b.end_time from private.booking b
where o.kind = 'mail.access-code' and b.id = o.subject_id and o.done_at is null;

create or replace function private.schedule_mail() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  ends timestamptz;
begin
  select u.email, b.end_time into new.recipient_email, ends from private.booking b join auth.users u on u.id = b.user_id where b.id = new.booking_id;
  if new.recipient_email is null then
    raise exception 'there is nobody to write to for this booking' using errcode = '23514';
  end if;
  if new.status in ('pending', 'pending_immediate') then
    insert into private.outbox (kind, subject_id, dedupe, due_at, deadline_at)
    values ('mail.access-code', new.booking_id, new.id::text, new.scheduled_for, ends) on conflict do nothing;
  end if;
  return new;
end
$$;

-- Takes up to p_limit due jobs of the given kinds for p_seconds, those with a deadline first. p_running: jobs this process still works on,
-- which it never takes twice, whatever the clock says.
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
revoke all on function private.claim_jobs(text[], timestamptz, integer, numeric, uuid[]) from public;

-- Only staff and the service key may move jobs by hand.
create function private.require_staff() returns void language plpgsql stable set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
end
$$;
revoke all on function private.require_staff() from public;

-- Tries an open job now, or opens a closed one again and tries it. False when there is no such job or it is done.
create function public.retry_job(job uuid) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  told jsonb;
begin
  perform private.require_staff();
  update private.outbox o set due_at = least(o.due_at, pg_catalog.now()), closed_at = null, closed_by = null, close_reason = null
  where o.id = retry_job.job and o.done_at is null
  returning pg_catalog.jsonb_build_object('kind', o.kind, 'by_hand', 'retry') into told;
  if told is null then return false; end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text, told);
  return true;
end
$$;

-- Gives an open job up, with a reason that stays in the audit log. False when there is no such job, or it is done or closed.
create function public.close_job(job uuid, reason text) returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  why constant text := pg_catalog.btrim(coalesce(reason, ''));
  told jsonb;
begin
  perform private.require_staff();
  if pg_catalog.length(why) not between 3 and 500 then
    raise exception 'a reason of 3 to 500 characters is needed' using errcode = '22023';
  end if;
  update private.outbox o set closed_at = pg_catalog.now(), closed_by = auth.uid(), close_reason = why, notified_at = pg_catalog.now()
  where o.id = close_job.job and o.done_at is null and o.closed_at is null
  returning pg_catalog.jsonb_build_object('kind', o.kind, 'by_hand', 'close', 'reason', why) into told;
  if told is null then return false; end if;
  perform private.audit(auth.uid(), 'update', 'outbox', job::text, told);
  return true;
end
$$;
revoke all on function public.retry_job(uuid), public.close_job(uuid, text) from public;
grant execute on function public.retry_job(uuid), public.close_job(uuid, text) to authenticated, service_role, backend;

-- A payment to try again with, after the provider was found to have no session of the one before: a number, key and expiry of its own.
-- Null when the booking is not waiting for payment any more; the attempt that is under way already when there is one.
create function private.next_payment_attempt(p_payment uuid, p_now timestamptz, p_expires timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  held private.booking;
  before private.payment;
  next private.payment;
begin
  select b.* into held from private.booking b join private.payment x on x.booking_id = b.id where x.id = p_payment for update of b;
  if held.id is null or held.status <> 'pending' then return null; end if;
  select * into before from private.payment x where x.booking_id = held.id order by x.attempt desc limit 1 for update;
  if before.id <> p_payment or before.state <> 'intent' then
    return case when before.state in ('intent', 'open') then private.payment_json(before) end;
  end if;
  update private.payment set state = 'expired' where id = before.id;
  insert into private.payment (booking_id, attempt, kind, key, amount_cents, session_expires_at, created_at)
  values (held.id, before.attempt + 1, before.kind, 'create:' || held.id || ':' || (before.attempt + 1), before.amount_cents, p_expires, p_now)
  returning * into next;
  return private.payment_json(next);
end
$$;
revoke all on function private.next_payment_attempt(uuid, timestamptz, timestamptz) from public;
