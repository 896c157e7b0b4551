-- Profiles, created and updated with their account, and the terms that people accepted.

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  user_id uuid not null unique references auth.users (id) on delete cascade,
  full_name text check (char_length(full_name) <= 100),
  email text check (char_length(email) <= 255),
  phone text check (char_length(phone) <= 20),
  dj_name text check (char_length(dj_name) <= 100),
  address text check (char_length(address) <= 500),
  date_of_birth date check (date_of_birth between '1900-01-01' and '2100-01-01'),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint profiles_one_id check (id = user_id)
);
alter table public.profiles enable row level security, force row level security;
create policy "people read their own profile" on public.profiles for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_staff()));
create policy "people change their own profile" on public.profiles for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant select on public.profiles to authenticated;
grant update (full_name, email, phone, dj_name, address, date_of_birth) on public.profiles to authenticated;
create trigger profiles_updated_at before update on public.profiles for each row execute function private.set_updated_at();

-- The address is the account's. One that a profile form sends is ignored, not refused.
create function private.set_profile_email() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  select u.email into new.email from auth.users u where u.id = new.user_id;
  return new;
end
$$;
create trigger profiles_email before insert or update on public.profiles
  for each row execute function private.set_profile_email();

-- Returns the date in a text, or null when it is none. Account metadata is what the user typed, and must never stop a sign-up.
create function private.date_or_null(p_text text) returns date language plpgsql immutable set search_path = '' as $$
begin
  if p_text !~ '^\d{4}-\d{2}-\d{2}$' then return null; end if;
  if p_text::date not between date '1900-01-01' and date '2100-01-01' then return null; end if;
  return p_text::date;
exception when others then
  return null; -- '2026-02-31' matches the pattern but is not a date
end
$$;

create function private.create_profile() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.profiles (id, user_id, full_name, email, phone, dj_name, date_of_birth)
  values (
    new.id,
    new.id,
    nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'full_name'), 100), ''),
    new.email,
    nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'phone'), 20), ''),
    nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'dj_name'), 100), ''),
    private.date_or_null(new.raw_user_meta_data ->> 'date_of_birth')
  );
  return new;
end
$$;
create trigger users_create_profile after insert on auth.users for each row execute function private.create_profile();

-- Somebody who signs up again before confirming has filled in the form again: the profile has what was typed last.
create function private.update_profile_from_sign_up() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set
    full_name = nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'full_name'), 100), ''),
    phone = nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'phone'), 20), ''),
    dj_name = nullif(pg_catalog.left(pg_catalog.btrim(new.raw_user_meta_data ->> 'dj_name'), 100), ''),
    date_of_birth = private.date_or_null(new.raw_user_meta_data ->> 'date_of_birth')
  where user_id = new.id;
  return new;
end
$$;
create trigger users_update_profile after update of raw_user_meta_data on auth.users for each row
  when (new.email_confirmed_at is null and old.raw_user_meta_data is distinct from new.raw_user_meta_data)
  execute function private.update_profile_from_sign_up();

-- The first admins are the accounts named in ADMIN_EMAILS, once they have confirmed their address.
create function private.copy_email_and_grant_admin() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set email = new.email where user_id = new.id and email is distinct from new.email;
  if new.email_confirmed_at is not null and exists (
    select from private.settings s where s.name = 'admin_emails' and s.value ? pg_catalog.lower(new.email)
  ) then
    insert into public.user_roles (user_id, role) values (new.id, 'admin') on conflict (user_id) do update set role = 'admin';
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

create table public.terms_acceptances (
  user_id uuid not null references auth.users (id) on delete cascade,
  version text not null check (char_length(version) <= 40),
  accepted_at timestamptz not null default clock_timestamp(),
  primary key (user_id, version)
);
alter table public.terms_acceptances enable row level security, force row level security;
create policy "people read what they accepted" on public.terms_acceptances for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_staff()));
grant select on public.terms_acceptances to authenticated;
