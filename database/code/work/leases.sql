-- Takes a lease on each task that has none, renews those of `p_holder`, and returns the names of both. The lease lasts
-- `p_seconds`. The names are locked in alphabetical order, so that two servers never deadlock.
create or replace function private.take_task_leases(p_holder text, p_names text[], p_seconds numeric)
returns setof text language sql volatile set search_path = '' as $$
  insert into private.task_lease as l (name, holder, until)
  select n.name, p_holder,
    pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => p_seconds::double precision)
  from pg_catalog.unnest(p_names) as n (name)
  order by n.name
  on conflict (name) do update set holder = excluded.holder, until = excluded.until
  where l.holder = excluded.holder or l.until <= pg_catalog.clock_timestamp()
  returning l.name
$$;

-- Returns whether the caller may run the task now. One process gets true in each period of `p_every`.
create or replace function private.take_lease(p_name text, p_now timestamptz, p_every interval)
returns boolean language sql volatile set search_path = '' as $$
  with taken as (
    insert into private.lease as l (name, until, last_run_at) values (p_name, p_now + p_every, p_now)
    on conflict (name) do update set until = excluded.until, last_run_at = excluded.last_run_at where l.until <= p_now
    returning 1
  )
  select exists (select from taken)
$$;
