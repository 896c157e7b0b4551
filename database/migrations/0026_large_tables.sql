-- Queries that stay as fast when there are millions of bookings, accounts and log entries (docs/scale.md).

create index booking_by_start on private.booking (start_time);
create index booking_newest on private.booking (created_at desc);
create index profiles_email_search on public.profiles using gin (lower(email) extensions.gin_trgm_ops);
analyze public.profiles;

-- The live bookings that end after `ends_after`, earliest first, for staff. The view public.bookings cannot use an index for an order: its
-- barrier keeps the order out, so these two functions find the rows first. Hours of a studio never overlap, so only the last booking that has
-- started can still run.
create function public.upcoming_bookings(ends_after timestamptz default now(), most integer default 100) returns setof public.bookings
language plpgsql stable security definer set search_path = '' as $$
declare
  found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then return; end if;
  with started as (
    select b.id, b.start_time, b.studio_name from public.studios s cross join lateral (
      select o.id, o.start_time, o.end_time, o.studio_name from private.booking o
      where o.studio_id = s.id and o.status <> 'cancelled' and o.start_time <= ends_after and o.start_time > ends_after - interval '25 hours'
      order by o.start_time desc limit 1) b
    where b.end_time > ends_after
  ), later as (
    select o.id, o.start_time, o.studio_name from private.booking o where o.status <> 'cancelled' and o.start_time > ends_after
    order by o.start_time, o.studio_name limit least(most, 1000)
  )
  select array(select b.id from (select * from started union all select * from later) b order by b.start_time, b.studio_name limit least(most, 1000))
  into found;
  return query select v.* from public.bookings v where v.id = any (found) order by v.start_time, v.studio_name;
end
$$;
grant execute on function public.upcoming_bookings(timestamptz, integer) to authenticated;

-- The bookings made last, for staff.
create function public.newest_bookings(most integer default 100) returns setof public.bookings
language plpgsql stable security definer set search_path = '' as $$
declare
  found uuid[];
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then return; end if;
  found := array(select b.id from private.booking b order by b.created_at desc limit least(most, 1000));
  return query select v.* from public.bookings v where v.id = any (found) order by v.created_at desc;
end
$$;
grant execute on function public.newest_bookings(integer) to authenticated;

-- The search of the audit log, bounded. A word without three letters or digits in a row has nothing that the index could find, so a search with
-- one reads the newest ten thousand entries only. A word of more than a thousand addresses is so common that it is compared entry by entry, with
-- the address of the actor, which is looked up by its key. Each search is planned for its own words: no plan reads every account.
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
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then return; end if;
  if before_at is not null then
    before := case when before_id is null then ' and a.created_at < $2' else ' and (a.created_at, a.id) < ($2, $3)' end;
  end if;
  for word in
    select distinct w from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200)), '\s+') as w where w <> ''
  loop
    pattern := '%' || pg_catalog.regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%';
    patterns := patterns || pattern;
    if word ~ '[[:alnum:]]{3}' then
      select pg_catalog.array_agg(p.user_id) into found
      from (select p.user_id from public.profiles p where pg_catalog.lower(p.email) like pattern limit 1001) p;
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
