create trigger users_updated_at before update on auth.users for each row execute function private.set_updated_at();

-- Copies an account's address to its profile and makes accounts that are named in ADMIN_EMAILS admins, once they have
-- confirmed their address.
create or replace function private.copy_email_and_grant_admin() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set email = new.email where user_id = new.id and email is distinct from new.email;
  if new.email_confirmed_at is not null and exists (
    select from private.settings s where s.name = 'admin_emails' and s.value ? pg_catalog.lower(new.email)
  ) then
    insert into public.user_roles (user_id, role) values (new.id, 'admin')
    on conflict (user_id) do update set role = 'admin';
    perform private.audit(new.id, 'create', 'user_role', new.id::text, '{"role": "admin", "source": "ADMIN_EMAILS"}');
  end if;
  return new;
end
$$;

create trigger users_email_changed after update of email, email_confirmed_at on auth.users for each row
  when (old.email is distinct from new.email or old.email_confirmed_at is distinct from new.email_confirmed_at)
  execute function private.copy_email_and_grant_admin();

create trigger users_inserted_confirmed after insert on auth.users for each row
  when (new.email_confirmed_at is not null) execute function private.copy_email_and_grant_admin();
