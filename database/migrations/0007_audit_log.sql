-- Two append-only logs: what happened to the studio's data, and what happened to accounts. Entries are written in the transaction of what
-- they record, and never hold a password, PIN, code, token or number of an identity document.

create table public.audit_logs (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default clock_timestamp(),
  actor uuid,
  action text not null check (action <> ''),
  resource_type text not null check (resource_type <> ''),
  resource_id text,
  details jsonb not null default '{}'
);
create index audit_logs_newest on public.audit_logs (created_at desc);
create index audit_logs_resource on public.audit_logs (resource_type, resource_id);
create index audit_logs_actor on public.audit_logs (actor);
create extension if not exists pg_trgm with schema extensions;
-- The same expression as in search_audit_logs. Reading every entry takes seconds at 100,000 of them (docs/performance.md).
create index audit_logs_search on public.audit_logs using gin (
  (lower(action || ' ' || resource_type || ' ' || coalesce(resource_id, '') || ' ' || coalesce(actor::text, '') || ' ' || details::text))
  extensions.gin_trgm_ops
);
-- Without statistics of its expression the planner takes every word for a rare one.
analyze public.audit_logs;
alter table public.audit_logs enable row level security, force row level security;
create policy "staff read the audit log" on public.audit_logs for select to authenticated
  using ((select public.is_staff()));
revoke insert, update, delete, truncate on public.audit_logs from service_role;
grant select on public.audit_logs to authenticated;

create table auth.audit_log_entries (
  id uuid primary key default gen_random_uuid(),
  payload jsonb not null check (payload ? 'action'),
  ip_address text not null default '',
  created_at timestamptz not null
);
create index audit_log_entries_newest on auth.audit_log_entries (created_at desc);
create index audit_log_entries_actor on auth.audit_log_entries ((payload ->> 'actor_id'), created_at desc);
alter table auth.audit_log_entries enable row level security, force row level security;

create function private.refuse_audit_change() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'audit rows are never changed or removed' using errcode = '42501';
end
$$;
create trigger audit_logs_append_only before update or delete on public.audit_logs
  for each row execute function private.refuse_audit_change();
create trigger audit_logs_no_truncate before truncate on public.audit_logs
  for each statement execute function private.refuse_audit_change();
create trigger audit_log_entries_append_only before update or delete on auth.audit_log_entries
  for each row execute function private.refuse_audit_change();
create trigger audit_log_entries_no_truncate before truncate on auth.audit_log_entries
  for each statement execute function private.refuse_audit_change();

-- Adds an entry; nothing else does.
create function private.audit(p_actor uuid, p_action text, p_resource_type text, p_resource_id text, p_details jsonb default '{}')
returns void language sql security definer set search_path = '' as $$
  insert into public.audit_logs (actor, action, resource_type, resource_id, details)
  values (p_actor, p_action, p_resource_type, p_resource_id, coalesce(p_details, '{}'))
$$;

-- Returns the newest hundred entries that contain every one of the words, in the entry or in its actor's address, and are older than the entry
-- given by before_at and before_id. It runs with its owner's rights, because a table with a policy cannot be searched by a text index (LIKE is
-- not leakproof); so it checks first what the policy checks. The statement is built from fixed text and ids; what was typed is a parameter.
create function public.search_audit_logs(words text default '', before_at timestamptz default null, before_id uuid default null)
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
grant execute on function public.search_audit_logs(text, timestamptz, uuid) to authenticated;
