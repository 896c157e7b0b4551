-- The page shows 200 differences of a month: a comparison with a ledger that could not be read whole can find as many as there are payments.
create index ledger_difference_by_time on private.ledger_difference (check_id, at, kind, provider_id);

-- The newest comparison of a month with its first 200 differences and how many there are; null before the first. For staff with the permission
-- for money.
create or replace function public.ledger_check(month date) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('money');
  return (
    select pg_catalog.jsonb_build_object('startedAt', c.started_at, 'finishedAt', c.finished_at,
      'problem', (
        select o.last_error from private.outbox o
        where o.kind = 'payment.compare-ledger' and o.subject_id = c.id and o.done_at is null and o.closed_at is null limit 1),
      'sums', c.sums,
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
