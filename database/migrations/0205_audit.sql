-- The append-only log of what happened to the studio's data; auth.audit_log_entries is the log of accounts. An entry is
-- written in the transaction that it records. It never contains a password, PIN, code, token or number of an identity
-- document.
create table public.audit_logs (
  id uuid default gen_random_uuid() not null,
  created_at timestamptz default clock_timestamp() not null,
  actor uuid,
  action text not null,
  resource_type text not null,
  resource_id text,
  details jsonb default '{}'::jsonb not null,
  constraint audit_logs_pkey primary key (id),
  constraint audit_logs_action_check check (action <> ''),
  constraint audit_logs_resource_type_check check (resource_type <> '')
);
create index audit_logs_actor on public.audit_logs (actor);
create index audit_logs_ids on public.audit_logs using gin (
  private.ids_in(
    ((((coalesce(resource_id, '') || ' ') || coalesce((actor)::text, '')) || ' ') || (details)::text)
  )
);
create index audit_logs_newest on public.audit_logs (created_at desc);
create index audit_logs_resource on public.audit_logs (resource_type, resource_id);
-- For search_audit_logs(), which uses the same expression. Without the index, a search reads every entry, which takes
-- seconds with 100,000 entries (docs/performance.md).
create index audit_logs_search on public.audit_logs using gin (
  lower(
    ((((((((action || ' ') || resource_type) || ' ') || coalesce(resource_id, '')) || ' ')
      || coalesce((actor)::text, '')) || ' ') || (details)::text)
  ) extensions.gin_trgm_ops
);
alter table public.audit_logs enable row level security, force row level security;
revoke delete, insert, truncate, update on public.audit_logs from service_role;
grant select on public.audit_logs to authenticated;
