-- The log searched by its parts of words. Reading every entry took seconds at 100,000 of them (docs/performance.md).

create extension if not exists pg_trgm with schema extensions;
create index audit_logs_search on public.audit_logs using gin (
  (lower(action || ' ' || resource_type || ' ' || coalesce(resource_id, '') || ' ' || coalesce(actor::text, '') || ' ' || details::text))
  extensions.gin_trgm_ops
);
create index audit_logs_actor on public.audit_logs (actor);
-- Without figures of its expression the planner takes every word for a rare one.
analyze public.audit_logs;

-- As in 0016: newest first, a hundred rows at a time, those that hold every word of `words` somewhere, in the entry or in its
-- actor's address. Looks for its caller, since a policy's table cannot be searched by a text index (LIKE is not leakproof), and
-- asks first what the policy of audit_logs asks. The statement is put together of places and of ids; what was typed is a value.
create or replace function public.search_audit_logs(words text default '', before_at timestamptz default null, before_id uuid default null)
returns setof public.audit_logs language plpgsql stable security definer set search_path = '' as $$
declare
  entry constant text := $entry$(lower(a.action || ' ' || a.resource_type || ' ' || coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '') || ' ' || a.details::text))$entry$;
  patterns text[] := '{}';
  conditions text := '';
  word text;
  found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then return; end if;
  for word in
    select distinct w from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200)), '\s+') as w where w <> ''
  loop
    patterns := patterns || ('%' || pg_catalog.regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%');
    select pg_catalog.array_agg(p.user_id) into found from public.profiles p where pg_catalog.strpos(pg_catalog.lower(p.email), word) > 0;
    conditions := conditions || pg_catalog.format(
      case when found is null then ' and %1$s like ($1)[%2$s]'
        else ' and (%1$s like ($1)[%2$s] or a.actor = any(%3$L::uuid[]))' end,
      entry, pg_catalog.array_length(patterns, 1), found);
  end loop;
  if before_at is not null then
    conditions := conditions || case when before_id is null then ' and a.created_at < $2' else ' and (a.created_at, a.id) < ($2, $3)' end;
  end if;
  return query execute 'select a.* from public.audit_logs a where true' || conditions || ' order by a.created_at desc, a.id desc limit 100'
    using patterns, before_at, before_id;
end
$$;
