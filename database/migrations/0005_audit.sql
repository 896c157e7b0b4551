-- What happened, by whom: append-only, written in the same transaction as what it tells of (promises G39).

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
alter table public.audit_logs enable row level security;
alter table public.audit_logs force row level security;
revoke insert, update, delete, truncate on public.audit_logs from service_role;
grant select on public.audit_logs to authenticated;

create function private.refuse_audit_change() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'audit rows are never changed or removed' using errcode = '42501';
end
$$;
create trigger audit_logs_append_only before update or delete on public.audit_logs
  for each row execute function private.refuse_audit_change();
create trigger audit_logs_no_truncate before truncate on public.audit_logs
  for each statement execute function private.refuse_audit_change();

-- The only way in. Details never hold a PIN, token, password or number of an identity document.
create function private.audit(p_actor uuid, p_action text, p_resource_type text, p_resource_id text, p_details jsonb default '{}')
returns void language sql security definer set search_path = '' as $$
  insert into public.audit_logs (actor, action, resource_type, resource_id, details)
  values (p_actor, p_action, p_resource_type, p_resource_id, coalesce(p_details, '{}'))
$$;
revoke all on function private.audit(uuid, text, text, text, jsonb) from public;
