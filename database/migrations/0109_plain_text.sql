-- Texts that callers write through the data API have no characters that cannot be seen and change what is read: control characters, those that turn the
-- direction of writing, separators of lines and other invisible formats. rules/people.ts has the same list.

create function private.hidden_characters(p_lines boolean) returns text language sql immutable set search_path = '' as $$
  select case when p_lines then '[\u0001-\u0008\u000b\u000c\u000e-\u001f' else '[\u0001-\u001f' end
    || '\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]'
$$;

-- Whether a text has none of them; null is plain. p_lines: several lines and tabs are allowed.
create function private.is_plain(p_text text, p_lines boolean default false) returns boolean language sql immutable set search_path = '' as $$
  select p_text is null or p_text !~ private.hidden_characters(p_lines)
$$;

-- Returns a text without them.
create function private.plain(p_text text) returns text language sql immutable set search_path = '' as $$
  select pg_catalog.btrim(pg_catalog.regexp_replace(p_text, private.hidden_characters(false), '', 'g'))
$$;

-- As before, without hidden characters: the data comes from the person or from another provider, and must never stop a sign-up.
create or replace function private.create_profile() returns trigger language plpgsql security definer set search_path = '' as $$
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

create or replace function private.update_profile_from_sign_up() returns trigger language plpgsql security definer set search_path = '' as $$
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

-- Rows from before lose these characters. Triggers would refuse or log the change of a booking, which only removes what nobody can see.
update public.profiles set full_name = nullif(private.plain(full_name), ''), phone = nullif(private.plain(phone), ''),
  dj_name = nullif(private.plain(dj_name), ''),
  address = nullif(pg_catalog.btrim(pg_catalog.regexp_replace(address, private.hidden_characters(true), '', 'g')), '')
where not (private.is_plain(full_name) and private.is_plain(phone) and private.is_plain(dj_name) and private.is_plain(address, true));
alter table private.booking disable trigger user;
update private.booking set guest_name = nullif(private.plain(guest_name), ''), guest_email = nullif(private.plain(guest_email), ''),
  notes = pg_catalog.regexp_replace(notes, private.hidden_characters(true), '', 'g')
where not (private.is_plain(guest_name) and private.is_plain(guest_email) and private.is_plain(notes, true));
alter table private.booking enable trigger user;
-- A code that equals another one without these characters gets a new name.
update public.discount_codes d set description = pg_catalog.regexp_replace(d.description, private.hidden_characters(true), '', 'g'),
  code = case when private.is_plain(d.code) then d.code
    when private.plain(d.code) = '' or exists (select from public.discount_codes o where o.id <> d.id and private.plain(o.code) = private.plain(d.code))
      then 'CODE-' || pg_catalog.upper(pg_catalog.left(d.id::text, 8))
    else private.plain(d.code) end
where not (private.is_plain(d.code) and private.is_plain(d.description, true));
-- No mail reaches such an address.
delete from public.mailing_list m where not private.is_plain(m.email);

alter table public.profiles add constraint profiles_plain
  check (private.is_plain(full_name) and private.is_plain(phone) and private.is_plain(dj_name) and private.is_plain(address, true));
alter table private.booking add constraint booking_plain
  check (private.is_plain(guest_name) and private.is_plain(guest_email) and private.is_plain(notes, true));
alter table public.discount_codes add constraint discount_codes_plain
  check (private.is_plain(code) and private.is_plain(description, true));
alter table public.mailing_list add constraint mailing_list_plain check (private.is_plain(email));
