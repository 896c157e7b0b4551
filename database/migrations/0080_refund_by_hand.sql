-- A closed refund is settled by hand: the payment says so instead of staying "on its way back". A retry takes it back to the provider.
create or replace function private.payment_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.state <> new.state and (old.state, new.state) not in (
    ('intent', 'open'), ('intent', 'processing'), ('intent', 'failed'), ('intent', 'expired'), ('intent', 'paid'), ('intent', 'refund_pending'),
    ('open', 'processing'), ('open', 'failed'), ('open', 'expired'), ('open', 'paid'), ('open', 'refund_pending'),
    ('processing', 'paid'), ('processing', 'failed'), ('processing', 'refund_pending'),
    -- A session we gave up on that turns out to be paid after all is refunded, never forgotten.
    ('expired', 'processing'), ('expired', 'failed'), ('expired', 'refund_pending'), ('failed', 'refund_pending'),
    ('paid', 'refund_pending'), ('paid', 'refunded'), ('paid', 'disputed'), ('paid', 'dispute_lost'),
    ('disputed', 'paid'), ('disputed', 'dispute_lost'), ('disputed', 'refund_pending'), ('disputed', 'refunded'),
    ('dispute_lost', 'paid'), ('dispute_lost', 'disputed'), ('dispute_lost', 'refund_pending'),
    ('refund_pending', 'refunded'), ('refund_pending', 'refund_failed'), ('refund_pending', 'dispute_lost'),
    ('refunded', 'refund_failed'),
    ('refund_failed', 'refund_pending'), ('refund_failed', 'refund_manual'), ('refund_failed', 'refunded'), ('refund_failed', 'dispute_lost'),
    ('refund_pending', 'refund_manual'), ('refund_manual', 'refund_pending')) then
    raise exception 'a payment cannot go from % to %', old.state, new.state using errcode = '23514', constraint = 'payment_transition';
  end if;
  if (new.booking_id, new.amount_cents, new.currency, new.kind, new.key) is distinct from (old.booking_id, old.amount_cents, old.currency, old.kind, old.key) then
    raise exception 'what a payment is for is frozen' using errcode = '23514', constraint = 'payment_frozen';
  end if;
  return new;
end
$$;

create or replace function public.retry_job(job uuid) returns boolean language plpgsql volatile security definer set search_path = '' as $$
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

create or replace function public.close_job(job uuid, reason text) returns boolean language plpgsql volatile security definer set search_path = '' as $$
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
