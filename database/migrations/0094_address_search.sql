-- A search of the audit log for an address looks for addresses with that beginning first, in an index of its own: a search by the trigrams of
-- profiles_email_search takes longer the more accounts there are.
create index profiles_email_beginning on public.profiles (pg_catalog.lower(email) text_pattern_ops);

-- The people whose address begins with a pattern without its first sign, or contains it if none does; at most 1001. Null: nobody.
create function private.people_of_address(p_pattern text) returns uuid[] language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_custom_plan' as $$
declare
  found uuid[];
begin
  select pg_catalog.array_agg(p.user_id) into found
  from (select p.user_id from public.profiles p where pg_catalog.lower(p.email) like pg_catalog.substr(p_pattern, 2) limit 1001) p;
  if found is null then
    select pg_catalog.array_agg(p.user_id) into found
    from (select p.user_id from public.profiles p where pg_catalog.lower(p.email) like p_pattern limit 1001) p;
  end if;
  return found;
end
$$;

-- As before, but for the people of an address.
create or replace function public.search_audit_logs(words text default '', before_at timestamptz default null, before_id uuid default null)
returns setof public.audit_logs language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  entry constant text := $entry$(lower(a.action || ' ' || a.resource_type || ' ' || coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '') || ' ' || a.details::text))$entry$;
  patterns text[] := '{}';
  conditions text := '';
  source text := 'public.audit_logs';
  before text := '';
  word text;
  pattern text;
  found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('owner')) then return; end if;
  if before_at is not null then
    before := case when before_id is null then ' and a.created_at < $2' else ' and (a.created_at, a.id) < ($2, $3)' end;
  end if;
  for word in
    select distinct w from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200)), '\s+') as w where w <> ''
  loop
    pattern := '%' || pg_catalog.regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%';
    patterns := patterns || pattern;
    if word ~ '[[:alnum:]]{3}' then
      found := private.people_of_address(pattern);
    else
      source := '(select a.* from public.audit_logs a where true' || before || ' order by a.created_at desc, a.id desc limit 10000)';
      found := null;
    end if;
    conditions := conditions || pg_catalog.format(
      case
        when word !~ '[[:alnum:]]{3}' or pg_catalog.cardinality(found) > 1000 then
          ' and (%1$s like ($1)[%2$s] or (select lower(p.email) from public.profiles p where p.user_id = a.actor) like ($1)[%2$s])'
        when found is null then ' and %1$s like ($1)[%2$s]'
        else ' and (%1$s like ($1)[%2$s] or a.actor = any(%3$L::uuid[]))' end,
      entry, pg_catalog.array_length(patterns, 1), found);
  end loop;
  return query execute 'select a.* from ' || source || ' a where true' || before || conditions || ' order by a.created_at desc, a.id desc limit 100'
    using patterns, before_at, before_id;
end
$$;
