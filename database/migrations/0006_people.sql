-- Profiles, roles, accepted terms, the mailing list. Roles are never read from anything a user can write.

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

create table public.user_roles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  role text not null check (role in ('admin', 'user')),
  created_at timestamptz not null default clock_timestamp()
);

create table public.terms_acceptances (
  user_id uuid not null references auth.users (id) on delete cascade,
  version text not null check (char_length(version) <= 40),
  accepted_at timestamptz not null default clock_timestamp(),
  primary key (user_id, version)
);

create table public.mailing_list (
  id uuid primary key default gen_random_uuid(),
  email text not null check (char_length(email) between 3 and 255 and email like '%_@_%'),
  consented_at timestamptz not null default clock_timestamp(),
  unsubscribed_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create unique index mailing_list_email on public.mailing_list (lower(btrim(email)));

-- Asked at every call, so a removed role ends at once (promises G21).
create function private.has_admin_role(p_user uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles r where r.user_id = p_user and r.role = 'admin')
$$;
create function public.is_staff() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles r where r.user_id = auth.uid() and r.role = 'admin')
$$;
revoke all on function public.is_staff() from public;
grant execute on function public.is_staff() to anon, authenticated;

alter table public.profiles enable row level security;
alter table public.profiles force row level security;
alter table public.user_roles enable row level security;
alter table public.user_roles force row level security;
alter table public.terms_acceptances enable row level security;
alter table public.terms_acceptances force row level security;
alter table public.mailing_list enable row level security;
alter table public.mailing_list force row level security;

create policy "people read their own profile" on public.profiles for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_staff()));
create policy "people change their own profile" on public.profiles for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "people read their own role" on public.user_roles for select to authenticated
  using (user_id = (select auth.uid()));
create policy "people read what they accepted" on public.terms_acceptances for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_staff()));
create policy "anybody joins the mailing list" on public.mailing_list for insert to anon, authenticated
  with check (true);
create policy "staff read the audit log" on public.audit_logs for select to authenticated
  using ((select public.is_staff()));

grant select on public.profiles, public.user_roles, public.terms_acceptances to authenticated;
grant update (full_name, email, phone, dj_name, address, date_of_birth) on public.profiles to authenticated;
grant insert (email) on public.mailing_list to anon, authenticated;

create trigger profiles_updated_at before update on public.profiles for each row execute function private.set_updated_at();

-- Stored trimmed and lower-cased (spec section 3).
create function private.normalise_mailing_list_email() returns trigger language plpgsql set search_path = '' as $$
begin
  new.email := pg_catalog.lower(pg_catalog.btrim(new.email));
  return new;
end
$$;
create trigger mailing_list_normalise before insert or update on public.mailing_list
  for each row execute function private.normalise_mailing_list_email();

-- The account's e-mail belongs to the auth door; what a profile form sends is ignored, not refused (decisions T-74).
create function private.set_profile_email() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  select u.email into new.email from auth.users u where u.id = new.user_id;
  return new;
end
$$;
create trigger profiles_email before insert or update on public.profiles
  for each row execute function private.set_profile_email();

-- A date out of user metadata, or null when it is not one: metadata is the user's word and must never stop a sign-up.
create function private.date_or_null(p_text text) returns date language plpgsql immutable set search_path = '' as $$
begin
  if p_text !~ '^\d{4}-\d{2}-\d{2}$' then return null; end if;
  if p_text::date not between date '1900-01-01' and date '2100-01-01' then return null; end if;
  return p_text::date;
exception when others then
  return null; -- '2026-02-31' matches the pattern and is still no date
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

-- The first admins: accounts named in ADMIN_EMAILS, once they have confirmed the address (decisions T-75).
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
