-- What the payment provider took and paid out in a month, beside the comparison with its ledger.

alter table private.ledger_check add column fees_and_payouts jsonb;
comment on column private.ledger_check.fees_and_payouts is '{feeCents, payouts: [{id, cents, at, arrivesAt, returned}]}. Null for a comparison by a server before this migration.';

-- This replaces the function of 0065. It also stores the fees and payouts.
drop function private.finish_ledger_check(uuid, jsonb, jsonb, timestamptz);
create function private.finish_ledger_check(p_check uuid, p_sums jsonb, p_differences jsonb, p_now timestamptz, p_fees_and_payouts jsonb default null)
returns void
language plpgsql volatile set search_path = '' as $$
declare
  earlier jsonb;
begin
  perform from private.ledger_check c where c.id = p_check for update;
  select pg_catalog.jsonb_agg(pg_catalog.to_jsonb(d)) into earlier from private.ledger_difference d where d.check_id = p_check;
  delete from private.ledger_difference d where d.check_id = p_check;
  insert into private.ledger_difference (check_id, kind, provider_id, name, booking_id, here_cents, there_cents, currency, at, found_at)
  select p_check, n.kind, n.id, n.name, n."bookingId", n."hereCents", n."thereCents", n.currency, n.at,
    coalesce((
      select e.found_at from pg_catalog.jsonb_to_recordset(earlier) e (kind text, provider_id text, name text, found_at timestamptz)
      where e.kind = n.kind and e.provider_id = n.id and e.name = n.name), p_now)
  from pg_catalog.jsonb_to_recordset(p_differences) n (kind text, id text, name text, "bookingId" uuid, "hereCents" bigint, "thereCents" bigint,
    currency text, at timestamptz);
  update private.ledger_check c set finished_at = greatest(p_now, c.started_at), sums = p_sums, fees_and_payouts = p_fees_and_payouts where c.id = p_check;
end
$$;

-- This replaces the function of 0099. It also returns the fees and payouts.
create or replace function public.ledger_check(month date) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('money');
  return (
    select pg_catalog.jsonb_build_object('startedAt', c.started_at, 'finishedAt', c.finished_at,
      'problem', (
        select o.last_error from private.outbox o
        where o.kind = 'payment.compare-ledger' and o.subject_id = c.id and o.done_at is null and o.closed_at is null limit 1),
      'sums', c.sums, 'feesAndPayouts', c.fees_and_payouts,
      'differenceCount', (select count(*) from private.ledger_difference d where d.check_id = c.id),
      'differences', (
        select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', d.kind, 'id', d.provider_id, 'name', d.name,
          'reference', b.reference, 'hereCents', d.here_cents, 'thereCents', d.there_cents, 'currency', d.currency, 'at', d.at,
          'foundAt', d.found_at) order by d.at, d.kind, d.provider_id), '[]')
        from (
          select * from private.ledger_difference f where f.check_id = c.id order by f.at, f.kind, f.provider_id limit 200
        ) d left join private.booking b on b.id = d.booking_id))
    from private.ledger_check c where c.month = ledger_check.month);
end
$$;
