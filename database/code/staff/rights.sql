create policy "people read their own role" on public.user_roles for select to authenticated
  using (user_id = (select auth.uid()));

-- Returns whether an account acts as staff in this session. Every right of staff is decided here: if the account must
-- show a second factor, a session without one has the rights of a customer everywhere, even where no rule requires the
-- factor.
create or replace function private.has_staff_rights(p_user uuid, p_session uuid)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  -- Almost all callers are customers, and for them one read is enough.
  if not private.has_admin_role(p_user) then return false; end if;
  if not exists (select from public.staff_permissions p where p.user_id = p_user) then return false; end if;
  return not private.must_show_factor(p_user) or private.has_second_factor(p_user, p_session);
end
$$;

-- Returns whether an account has the role of staff, with or without a second factor. In PL/pgSQL, a connection keeps
-- the plan of the query; PostgreSQL before 18 plans the query of an SQL function at every call.
create or replace function private.has_admin_role(p_user uuid)
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return p_user is not null and exists (select from public.user_roles r where r.user_id = p_user and r.role = 'admin');
end
$$;

-- Returns whether the caller acts as staff in its session.
create or replace function public.is_staff()
returns boolean language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_staff_rights(auth.uid(), nullif(auth.jwt() ->> 'session_id', '')::uuid);
end
$$;
grant execute on function public.is_staff() to anon, authenticated;

-- Returns whether the caller may use the developer pages: the setting `developer_pages` is on and the caller has the
-- permission for settings. The pages make test PINs, and a test PIN opens a door.
create or replace function public.developer_pages_open()
returns boolean language sql stable security definer set search_path = '' as $$
  select public.has_permission('settings')
    and coalesce((select s.value = 'true' from private.settings s where s.name = 'developer_pages'), false)
$$;
grant execute on function public.developer_pages_open() to anon, authenticated;
