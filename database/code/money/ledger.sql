-- Begins to compare a month with the provider's ledger and queues the job; `p_month` is the first day of the month.
-- Returns the id of the comparison. Idempotent while its job is under way; a finished comparison starts again.
create or replace function private.start_ledger_check(p_month date, p_actor uuid, p_now timestamptz)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_check private.ledger_check;
begin
  insert into private.ledger_check (month, started_by, started_at) values (p_month, p_actor, p_now)
  on conflict (month) do nothing;
  select * into v_check from private.ledger_check c where c.month = p_month for update;
  if not exists (
    select from private.outbox o
    where o.kind = 'payment.compare-ledger' and o.subject_id = v_check.id and o.done_at is null and o.closed_at is null
  ) then
    update private.ledger_check c set started_by = p_actor, started_at = p_now, finished_at = null
    where c.id = v_check.id;
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    values ('payment.compare-ledger', v_check.id, p_now::text, p_now)
    on conflict do nothing;
    perform private.audit(p_actor, 'create', 'ledger_check', v_check.id::text,
      pg_catalog.jsonb_build_object('month', p_month));
  end if;
  return v_check.id;
end
$$;

-- Returns our payments, refunds and disputes from `p_start` to before `p_end`, and those with the provider's ids
-- `p_ids`, in the form in which the ledger has them. Money that leaves us is negative; a failed refund, a dispute
-- that we won and an inquiry of a bank are 0. The shares of an order are one payment at the provider, and their
-- refunds can be one refund, so rows with the same id are added up and named by the first booking of the order.
create or replace function private.ledger_items(p_start timestamptz, p_end timestamptz, p_ids text[])
returns table (kind text, id text, booking_id uuid, amount_cents bigint, currency text, at timestamptz)
language sql stable set search_path = '' as $$
  select 'payment', p.payment_intent_id,
    (pg_catalog.array_agg(p.booking_id order by p.share_of is distinct from p.id, p.id))[1],
    sum(p.paid_cents)::bigint, min(p.currency), min(coalesce(p.paid_at, p.created_at))
  from private.payment p
  where p.kind = 'card' and p.payment_intent_id is not null and p.paid_cents is not null
    and ((p.paid_at >= p_start and p.paid_at < p_end) or p.payment_intent_id = any (p_ids))
  group by p.payment_intent_id
  union all
  select 'refund', r.id, (pg_catalog.array_agg(p.booking_id order by p.share_of is distinct from p.id, p.id))[1],
    sum(case when r.status in ('failed', 'canceled') then 0 else -r.amount_cents end)::bigint, min(p.currency),
    min(r.created_at)
  from private.refund r
  join private.payment p on p.id = r.payment_id
  where (r.created_at >= p_start and r.created_at < p_end) or r.id = any (p_ids)
  group by r.id
  union all
  select 'dispute', d.id, p.booking_id,
    case when d.status = 'won' or d.provider_status like 'warning\_%' then 0 else -d.amount_cents end,
    p.currency, d.opened_at
  from private.dispute d
  join private.payment p on p.id = d.payment_id
  where (d.opened_at >= p_start and d.opened_at < p_end) or d.id = any (p_ids)
$$;

-- Stores the result of a comparison in place of the previous one. A difference that was found before keeps the time
-- at which it was first found.
create or replace function private.finish_ledger_check(
  p_check uuid, p_sums jsonb, p_differences jsonb, p_now timestamptz, p_fees_and_payouts jsonb default null
)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_earlier jsonb;
begin
  perform from private.ledger_check c where c.id = p_check for update;
  select pg_catalog.jsonb_agg(pg_catalog.to_jsonb(d)) into v_earlier
  from private.ledger_difference d where d.check_id = p_check;
  delete from private.ledger_difference d where d.check_id = p_check;
  insert into private.ledger_difference (
    check_id, kind, provider_id, name, booking_id, here_cents, there_cents, currency, at, found_at)
  select p_check, n.kind, n.id, n.name, n."bookingId", n."hereCents", n."thereCents", n.currency, n.at,
    coalesce((
      select e.found_at
      from pg_catalog.jsonb_to_recordset(v_earlier) e (kind text, provider_id text, name text, found_at timestamptz)
      where e.kind = n.kind and e.provider_id = n.id and e.name = n.name), p_now)
  from pg_catalog.jsonb_to_recordset(p_differences) n (
    kind text, id text, name text, "bookingId" uuid, "hereCents" bigint, "thereCents" bigint, currency text,
    at timestamptz);
  update private.ledger_check c
  set finished_at = greatest(p_now, c.started_at), sums = p_sums, fees_and_payouts = p_fees_and_payouts
  where c.id = p_check;
end
$$;

-- Returns the newest comparison of a month, with its fees and payouts, its first 200 differences and how many there
-- are; null if the month was never compared. `problem` is why the job could not finish yet. Requires the permission
-- `money`.
create or replace function public.ledger_check(month date)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('money');
  return (
    select pg_catalog.jsonb_build_object(
      'startedAt', c.started_at, 'finishedAt', c.finished_at,
      'problem', (
        select o.last_error from private.outbox o
        where o.kind = 'payment.compare-ledger' and o.subject_id = c.id and o.done_at is null and o.closed_at is null
        limit 1),
      'sums', c.sums, 'feesAndPayouts', c.fees_and_payouts,
      'differenceCount', (select count(*) from private.ledger_difference d where d.check_id = c.id),
      'differences', (
        select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
          'kind', d.kind, 'id', d.provider_id, 'name', d.name, 'reference', b.reference, 'hereCents', d.here_cents,
          'thereCents', d.there_cents, 'currency', d.currency, 'at', d.at, 'foundAt', d.found_at)
          order by d.at, d.kind, d.provider_id), '[]')
        from (
          select * from private.ledger_difference f
          where f.check_id = c.id
          order by f.at, f.kind, f.provider_id limit 200
        ) d
        left join private.booking b on b.id = d.booking_id))
    from private.ledger_check c
    where c.month = ledger_check.month);
end
$$;
grant execute on function public.ledger_check(date) to authenticated;

-- Publishes the event `ledger` to staff when a comparison starts or finishes.
create or replace function private.publish_ledger()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'ledger', 'staff', true);
  return null;
end
$$;

create trigger publish_ledger after insert or update on private.ledger_check
  for each row execute function private.publish_ledger();
