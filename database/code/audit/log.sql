-- Returns whether the caller may read the audit log. Only owners and the service key may. The policy on its table, the
-- search and the history in a booking's panel call this function.
create or replace function private.may_read_audit_log() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(auth.role() = 'service_role', false) or public.has_permission('owner')
$$;
grant execute on function private.may_read_audit_log() to authenticated;

create policy "staff read the audit log" on public.audit_logs for select to authenticated
  using ((select private.may_read_audit_log()));

-- Adds an entry to the audit log. All entries are written by this function.
create or replace function private.audit(
  p_actor uuid, p_action text, p_resource_type text, p_resource_id text, p_details jsonb default '{}'
)
returns void language sql security definer set search_path = '' as $$
  insert into public.audit_logs (actor, action, resource_type, resource_id, details)
  values (p_actor, p_action, p_resource_type, p_resource_id, coalesce(p_details, '{}'))
$$;

-- Makes both logs append-only: raises 42501 for any change of a row. The one exception is private.erase_audit_words,
-- which erases words and addresses about a deleted account; who did what and when stays.
create or replace function private.refuse_audit_change() returns trigger language plpgsql set search_path = '' as $$
declare
  v_was constant jsonb := pg_catalog.to_jsonb(old);
  v_personal constant text[] :=
    case tg_table_name when 'audit_logs' then '{details}' else '{payload,ip_address}' end::text[];
begin
  if tg_op = 'UPDATE' and pg_catalog.current_setting('private.erasing', true) = 'on'
    and pg_catalog.to_jsonb(new) - v_personal = v_was - v_personal
    and (pg_catalog.to_jsonb(new) ->> 'details' = '{"erased": true}'
      or (pg_catalog.to_jsonb(new) ->> 'ip_address' = ''
        and pg_catalog.to_jsonb(new) -> 'payload' = private.erased_event(v_was -> 'payload'))) then
    return new;
  end if;
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
