-- Returns the newest 100 audit entries that contain every one of the words, in the entry or in its actor's address,
-- newest first. With before_at and before_id, returns only entries older than the one that these name. Returns no rows
-- to a caller who cannot read the audit log. Only the first 200 characters of words are used.
--
-- The function runs with its owner's rights, because PostgreSQL does not use a text index on a table with a policy
-- (LIKE is not leakproof). It therefore checks first what the policy checks. The statement is built from fixed text and
-- ids; the words are passed as parameters.
--
-- The time of a search is bounded:
-- - A word that may be an id is looked up as a whole word.
-- - For other words, people whose address contains the word are looked up first. A word that is in more than 1,000
--   addresses is so common that it is compared entry by entry, with the actor's address looked up by its key.
-- - A word without three letters or digits in a row has no trigram that the index could find. A search with such a word
--   reads only the newest 10,000 entries.
-- - Each search is planned for its own words, so no plan reads every account.
create or replace function public.search_audit_logs(
  words text default '', before_at timestamptz default null, before_id uuid default null
)
returns setof public.audit_logs
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  -- The expression must be the same as in the index audit_logs_search.
  v_entry constant text := $entry$(lower(
    a.action || ' ' || a.resource_type || ' ' || coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '')
    || ' ' || a.details::text))$entry$;
  v_patterns text[] := '{}';
  v_conditions text := '';
  v_source text := 'public.audit_logs';
  v_before text := '';
  v_word text;
  v_pattern text;
  v_entries uuid[];
  v_found uuid[];
begin
  if not private.may_read_audit_log() then return; end if;
  if before_at is not null then
    v_before := case
      when before_id is null then ' and a.created_at < $2'
      else ' and (a.created_at, a.id) < ($2, $3)' end;
  end if;
  for v_word in
    select distinct w
    from pg_catalog.regexp_split_to_table(
      pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200)), '\s+') as w
    where w <> ''
  loop
    v_entries := private.entries_of_id(v_word);
    if v_entries is not null then
      v_conditions := v_conditions || pg_catalog.format(' and a.id = any(%L::uuid[])', v_entries);
      continue;
    end if;
    v_pattern := '%' || pg_catalog.regexp_replace(v_word, '([\\%_])', '\\\1', 'g') || '%';
    v_patterns := v_patterns || v_pattern;
    if v_word ~ '[[:alnum:]]{3}' then
      v_found := private.people_of_address(v_pattern);
    else
      v_source := '(select a.* from public.audit_logs a where true' || v_before
        || ' order by a.created_at desc, a.id desc limit 10000)';
      v_found := null;
    end if;
    v_conditions := v_conditions || pg_catalog.format(
      case
        when v_word !~ '[[:alnum:]]{3}' or pg_catalog.cardinality(v_found) > 1000 then
          ' and (%1$s like ($1)[%2$s] or (select lower(p.email) from public.profiles p where p.user_id = a.actor) like ($1)[%2$s])'
        when v_found is null then ' and %1$s like ($1)[%2$s]'
        else ' and (%1$s like ($1)[%2$s] or a.actor = any(%3$L::uuid[]))' end,
      v_entry, pg_catalog.array_length(v_patterns, 1), v_found);
  end loop;
  return query execute 'select a.* from ' || v_source || ' a where true' || v_before || v_conditions
    || ' order by a.created_at desc, a.id desc limit 100'
    using v_patterns, before_at, before_id;
end
$$;
grant execute on function public.search_audit_logs(text, timestamp with time zone, uuid) to authenticated;

-- Returns the ids of the entries that contain a word which may be an id or a reference. Null if the word cannot be one,
-- if no entry contains it, or if more than 200 do. gin_fuzzy_search_limit makes PostgreSQL read only part of a long
-- list, which is enough to tell that the list is long.
create or replace function private.entries_of_id(p_word text) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan'
set enable_seqscan = off set gin_fuzzy_search_limit = 5000 as $$
declare
  v_found uuid[];
begin
  if private.ids_in(p_word) is distinct from array[p_word] then return null; end if;
  select pg_catalog.array_agg(e.id) into v_found
  from (
    select a.id from public.audit_logs a
    where private.ids_in(
      coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '') || ' ' || a.details::text) @> array[p_word]
    limit 201) e;
  return case when pg_catalog.cardinality(v_found) <= 200 then v_found end;
end
$$;

-- Returns the users whose address begins with the word of the LIKE pattern '%word%', or, if there are none, whose
-- address contains it; at most 1,001 users. Null if there are none. Beginnings are looked up first, because the search
-- for parts takes longer the more accounts there are.
create or replace function private.people_of_address(p_pattern text) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_found uuid[];
begin
  select pg_catalog.array_agg(p.user_id) into v_found
  from (
    select p.user_id from public.profiles p
    where pg_catalog.lower(p.email) like pg_catalog.substr(p_pattern, 2)
    limit 1001) p;
  if v_found is null then
    select pg_catalog.array_agg(p.user_id) into v_found
    from (
      select p.user_id from public.profiles p
      where pg_catalog.lower(p.email) like p_pattern
      limit 1001) p;
  end if;
  return v_found;
end
$$;
