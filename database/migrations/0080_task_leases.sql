-- Which server runs each periodic task when several share the database.

create table private.task_lease (
  name text primary key check (length(name) between 1 and 100),
  -- Host, process and a number that the process draws when it starts.
  holder text not null check (length(holder) between 1 and 300),
  until timestamptz not null
);
comment on table private.task_lease is 'The server that runs a periodic task, and until when nobody else does.';
alter table private.task_lease enable row level security, force row level security;

-- Takes the tasks that nobody holds, renews those that p_holder holds, and returns the names of both. Ordered by name, so that two servers
-- never wait for each other.
create function private.take_task_leases(p_holder text, p_names text[], p_seconds numeric) returns setof text
language sql volatile set search_path = ''
as $$
  insert into private.task_lease as l (name, holder, until)
  select n.name, p_holder, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => p_seconds::double precision)
  from pg_catalog.unnest(p_names) as n (name) order by n.name
  on conflict (name) do update set holder = excluded.holder, until = excluded.until
  where l.holder = excluded.holder or l.until <= pg_catalog.clock_timestamp()
  returning l.name
$$;
revoke execute on function private.take_task_leases(text, text[], numeric) from public;
grant execute on function private.take_task_leases(text, text[], numeric) to backend;
