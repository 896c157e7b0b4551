-- Roles of accounts, and who counts as staff. Roles are never read from anything that an account can write itself.

create table public.user_roles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  role text not null check (role in ('admin', 'user')),
  created_at timestamptz not null default clock_timestamp()
);
alter table public.user_roles enable row level security, force row level security;
create policy "people read their own role" on public.user_roles for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.user_roles to authenticated;

-- Read at every call, so that a removed role ends at once.
create function private.has_admin_role(p_user uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles r where r.user_id = p_user and r.role = 'admin')
$$;

-- Where ADMIN_REQUIRES_MFA is set, staff rights need a session that has proven a second factor. The session itself is read: a token from
-- before a factor was removed claims too much.
create function private.has_staff_rights(p_user uuid, p_session uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.has_admin_role(p_user) and (
    not coalesce((select s.value = 'true'::jsonb from private.settings s where s.name = 'admin_requires_mfa'), false)
    or exists (select from auth.sessions s where s.id = p_session and s.user_id = p_user and s.aal <> 'aal1')
  )
$$;

create function public.is_staff() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.has_staff_rights(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid)
$$;
grant execute on function public.is_staff() to anon, authenticated;

-- Throws unless the caller is staff or has the service key.
create function private.require_staff() returns void language plpgsql stable set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.is_staff()) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
end
$$;

-- Whether the developer pages are on for this caller. False for everybody but staff, so nobody else learns of them.
create function public.developer_pages_open() returns boolean
language sql stable security definer set search_path = '' as $$
  select public.is_staff() and coalesce((select s.value = 'true' from private.settings s where s.name = 'developer_pages'), false)
$$;
grant execute on function public.developer_pages_open() to anon, authenticated;
