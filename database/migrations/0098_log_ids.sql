-- A search of the audit log for an id or a reference looks for it as a whole word first, in an index of its own: a search by the trigrams of
-- audit_logs_search takes longer the more entries there are.

-- The words of a text that may be ids or references: with a digit, and with a letter, a hyphen or an underscore, so that amounts of money are left out.
create function private.ids_in(p_text text) returns text[] language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select w.w from pg_catalog.regexp_split_to_table(pg_catalog.lower(p_text), '[^a-z0-9_-]+') w (w)
    where pg_catalog.length(w.w) between 6 and 100 and w.w ~ '[0-9]' and w.w ~ '[a-z_-]');
end
$$;
create index audit_logs_ids on public.audit_logs using gin (
  private.ids_in(coalesce(resource_id, '') || ' ' || coalesce(actor::text, '') || ' ' || details::text));

-- The entries that hold a word which is an id; null: it is none, or none of them holds it, or more than 200 do. Of a long list gin_fuzzy_search_limit
-- reads a part, which is enough to know that it is long.
create function private.entries_of_id(p_word text) returns uuid[] language plpgsql stable set search_path = ''
set plan_cache_mode = 'force_custom_plan' set enable_seqscan = off set gin_fuzzy_search_limit = 5000 as $$
declare
  found uuid[];
begin
  if private.ids_in(p_word) is distinct from array[p_word] then return null; end if;
  select pg_catalog.array_agg(e.id) into found
  from (
    select a.id from public.audit_logs a
    where private.ids_in(coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '') || ' ' || a.details::text) @> array[p_word]
    limit 201) e;
  return case when pg_catalog.cardinality(found) <= 200 then found end;
end
$$;

-- As before, but for the entries of an id.
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
  entries uuid[];
  found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('owner')) then return; end if;
  if before_at is not null then
    before := case when before_id is null then ' and a.created_at < $2' else ' and (a.created_at, a.id) < ($2, $3)' end;
  end if;
  for word in
    select distinct w from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200)), '\s+') as w where w <> ''
  loop
    entries := private.entries_of_id(word);
    if entries is not null then
      conditions := conditions || pg_catalog.format(' and a.id = any(%L::uuid[])', entries);
      continue;
    end if;
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
