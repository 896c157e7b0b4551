create policy "people read their own profile" on public.profiles for select to authenticated
  using (user_id = (select auth.uid()));

create policy "people change their own profile" on public.profiles for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create trigger profiles_updated_at before update on public.profiles
  for each row execute function private.set_updated_at();

-- Sets the address of a profile to that of its account. An address that a profile form sends is ignored, not refused.
create or replace function private.set_profile_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  select u.email into new.email from auth.users u where u.id = new.user_id;
  return new;
end
$$;

create trigger profiles_email before insert or update on public.profiles
  for each row execute function private.set_profile_email();

-- Creates the profile of a new account from its metadata. The metadata comes from the user or from another provider and
-- must never stop a sign-up, so hidden characters are removed and long texts are cut.
create or replace function private.create_profile() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.profiles (id, user_id, full_name, email, phone, dj_name, date_of_birth)
  values (
    new.id,
    new.id,
    nullif(pg_catalog.left(private.plain(new.raw_user_meta_data ->> 'full_name'), 100), ''),
    new.email,
    nullif(pg_catalog.left(private.plain(new.raw_user_meta_data ->> 'phone'), 20), ''),
    nullif(pg_catalog.left(private.plain(new.raw_user_meta_data ->> 'dj_name'), 100), ''),
    private.date_or_null(new.raw_user_meta_data ->> 'date_of_birth')
  );
  return new;
end
$$;

-- The row that a soft deletion keeps gets no profile.
create trigger users_create_profile after insert on auth.users for each row when (new.deleted_at is null)
  execute function private.create_profile();

-- Copies the account's metadata to its profile when it changes before the address is confirmed, as when a sign-up is
-- repeated. After that, the profile is edited separately.
create or replace function private.update_profile_from_sign_up() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set
    full_name = nullif(pg_catalog.left(private.plain(new.raw_user_meta_data ->> 'full_name'), 100), ''),
    phone = nullif(pg_catalog.left(private.plain(new.raw_user_meta_data ->> 'phone'), 20), ''),
    dj_name = nullif(pg_catalog.left(private.plain(new.raw_user_meta_data ->> 'dj_name'), 100), ''),
    date_of_birth = private.date_or_null(new.raw_user_meta_data ->> 'date_of_birth')
  where user_id = new.id;
  return new;
end
$$;

create trigger users_update_profile after update of raw_user_meta_data on auth.users for each row
  when (new.email_confirmed_at is null and old.raw_user_meta_data is distinct from new.raw_user_meta_data)
  execute function private.update_profile_from_sign_up();

-- Returns the date in a text; null if the text is not a date between 1900-01-01 and 2100-01-01. It never raises an
-- error, because account metadata is what the user typed and must never stop a sign-up.
create or replace function private.date_or_null(p_text text) returns date
language plpgsql immutable set search_path = '' as $$
begin
  if p_text !~ '^\d{4}-\d{2}-\d{2}$' then return null; end if;
  if p_text::date not between date '1900-01-01' and date '2100-01-01' then return null; end if;
  return p_text::date;
exception when others then
  return null; -- '2026-02-31' matches the pattern but is not a date
end
$$;

-- Returns a text without hidden characters (see hidden_characters()), including line breaks and tabs, and without
-- spaces at its ends.
create or replace function private.plain(p_text text)
returns text language sql immutable set search_path = '' as $$
  select pg_catalog.btrim(pg_catalog.regexp_replace(p_text, private.hidden_characters(false), '', 'g'))
$$;
