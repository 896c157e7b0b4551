-- Claims up to `p_limit` due jobs of these kinds for `p_seconds`. Jobs with a deadline come first, then the oldest.
-- `p_running` are the jobs that this process is still working on: it never claims them again, even if the clock says
-- that their leases have ended.
create or replace function private.claim_jobs(
  p_kinds text[], p_now timestamptz, p_limit integer, p_seconds numeric, p_running uuid[]
)
returns setof private.outbox language sql volatile set search_path = '' as $$
  update private.outbox o
  set lease_until = p_now + pg_catalog.make_interval(secs => p_seconds::double precision),
    lease_id = pg_catalog.gen_random_uuid(), tries = o.tries + 1
  where o.id in (
    select x.id
    from private.outbox x
    where x.kind = any (p_kinds) and x.done_at is null and x.closed_at is null and x.due_at <= p_now
      and x.lease_until < p_now and x.id <> all (p_running)
    order by x.deadline_at nulls last, x.due_at
    limit p_limit
    for update skip locked
  )
  returning o.*
$$;

-- Makes an open job due now, or reopens a closed one. Returns false if the job does not exist or is done. A refund that
-- was marked as made by hand is pending again. Payment jobs need the permission for money, all others the one for
-- bookings; throws 42501 without it.
create or replace function public.retry_job(job uuid)
returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  v_actor constant uuid := coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000');
  v_open private.outbox;
begin
  perform private.require_permission(coalesce(
    (select 'money' from private.outbox o where o.id = retry_job.job and o.kind like 'payment.%'), 'bookings'));
  update private.outbox o
  set due_at = least(o.due_at, pg_catalog.now()), closed_at = null, closed_by = null, close_reason = null
  where o.id = retry_job.job and o.done_at is null
  returning o.* into v_open;
  if not found then return false; end if;
  if v_open.kind = 'payment.refund' then
    update private.payment p set state = 'refund_pending' where p.id = v_open.subject_id and p.state = 'refund_manual';
  elsif v_open.kind = 'payment.partial-refund' then
    update private.partial_refund x set state = 'pending' where x.id = v_open.subject_id and x.state = 'manual';
  end if;
  perform private.audit(
    v_actor, 'update', 'outbox', job::text,
    pg_catalog.jsonb_build_object('kind', v_open.kind, 'by_hand', 'retry'));
  return true;
end
$$;
grant execute on function public.retry_job(uuid) to authenticated;

-- Closes an open job. The reason, of 3 to 500 characters, stays in the audit log. Returns false if the job does not
-- exist, is done or is already closed. Closing the job of a refund marks the refund as made by hand. Needs the same
-- permissions as retry_job(). Throws 42501 without them and 22023 for a reason of the wrong length. closed_by is the
-- nil UUID for the service key: null would mean that the server gave up, which stays an alert.
create or replace function public.close_job(job uuid, reason text)
returns boolean language plpgsql volatile security definer set search_path = '' as $$
declare
  v_actor constant uuid := coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000');
  v_why constant text := pg_catalog.btrim(coalesce(reason, ''));
  v_closed private.outbox;
begin
  perform private.require_permission(coalesce(
    (select 'money' from private.outbox o where o.id = close_job.job and o.kind like 'payment.%'), 'bookings'));
  if pg_catalog.length(v_why) not between 3 and 500 then
    raise exception 'Enter a reason of 3 to 500 characters.' using errcode = '22023';
  end if;
  update private.outbox o
  set closed_at = pg_catalog.now(), closed_by = v_actor, close_reason = v_why, notified_at = pg_catalog.now()
  where o.id = close_job.job and o.done_at is null and o.closed_at is null
  returning o.* into v_closed;
  if not found then return false; end if;
  if v_closed.kind = 'payment.refund' then
    update private.payment p set state = 'refund_manual'
    where p.id = v_closed.subject_id and p.state in ('refund_pending', 'refund_failed');
  elsif v_closed.kind = 'payment.partial-refund' then
    perform private.refund_by_hand(v_closed.subject_id, v_closed.closed_at);
  end if;
  perform private.audit(
    v_actor, 'update', 'outbox', job::text,
    pg_catalog.jsonb_build_object('kind', v_closed.kind, 'by_hand', 'close', 'reason', v_why));
  return true;
end
$$;
grant execute on function public.close_job(uuid, text) to authenticated;
