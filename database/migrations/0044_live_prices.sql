-- Prices as pages read them: staff see a change at once, and a visitor whose clock is wrong still finds a price.

-- As before, with the lists that were valid in the last seven days: which day it is comes from the clock of the visitor.
create or replace view public.current_price_lists with (security_invoker = true) as
select p.studio_id, p.valid_from, p.hour_cents, p.volume_percents
from public.price_lists p
where not exists (
  select from public.price_lists later
  where later.studio_id = p.studio_id and later.valid_from > p.valid_from
    and later.valid_from <= (pg_catalog.now() at time zone 'Australia/Sydney')::date - 7);

-- As before, and it tells staff.
create or replace function private.audit_prices(p_actor uuid, p_type text, p_studio uuid, p_before jsonb, p_after jsonb) returns void
language sql volatile set search_path = '' as $$
  select realtime.send(pg_catalog.jsonb_build_object('studio_id', p_studio), 'prices', 'staff', true);
  select private.audit(p_actor, case when p_before is null then 'create' when p_after is null then 'delete' else 'update' end, p_type,
    p_studio::text, pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('before', p_before, 'after', p_after)))
$$;
