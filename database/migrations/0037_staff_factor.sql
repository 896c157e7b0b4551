-- Staff rights count only in a session that has proven a second factor, where the operator says so (ADMIN_REQUIRES_MFA). Asked of the
-- session itself at every call: a token from before a factor was given up says too much.

create function private.has_staff_rights(p_user uuid, p_session uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.has_admin_role(p_user) and (
    not coalesce((select s.value = 'true'::jsonb from private.settings s where s.name = 'admin_requires_mfa'), false)
    or exists (select from auth.sessions s where s.id = p_session and s.user_id = p_user and s.aal <> 'aal1')
  )
$$;
revoke all on function private.has_staff_rights(uuid, uuid) from public;
grant execute on function private.has_staff_rights(uuid, uuid) to backend;

create or replace function public.is_staff() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.has_staff_rights(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid)
$$;
