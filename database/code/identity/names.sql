-- Returns whether the names on an ID are those of the account. Middle names may be missing; the family name and the
-- first given name are required. tests/sql/names.test.ts compares these functions with rules/identity.ts.
create or replace function private.names_match(p_given text, p_family text, p_account text)
returns boolean language sql immutable set search_path = '' as $$
  with n as (
    select private.name_words(p_given) as given, private.name_words(p_family) as family,
      private.name_words(p_account) as account)
  select case
    when pg_catalog.cardinality(n.given || n.family) = 0 or pg_catalog.cardinality(n.account) = 0 then false
    when private.squeezed_name(n.given || n.family) = private.squeezed_name(n.account)
      or pg_catalog.array_to_string(n.given || n.family, '') = pg_catalog.array_to_string(n.account, '') then true
    else (
        n.family <@ n.account
        or pg_catalog.right(
            pg_catalog.array_to_string(n.account, ''),
            pg_catalog.length(pg_catalog.array_to_string(n.family, '')))
          = pg_catalog.array_to_string(n.family, ''))
      and (pg_catalog.cardinality(n.given) = 0 or n.given[1] = any (n.account))
      and (
        n.account <@ (n.given || n.family)
        or pg_catalog.array_to_string(n.account, '')
          = coalesce(n.given[1], '') || pg_catalog.array_to_string(n.family, ''))
    end
  from n
$$;

-- Returns the words of a name in lower case, without accents, hyphens and apostrophes; an empty array for null. In a
-- database with the locale C, lower() changes only ASCII letters. Letters that Unicode does not decompose are therefore
-- replaced in both cases and lower() comes last, so that the result is the same in every locale.
create or replace function private.name_words(p_name text)
returns text[] language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.array_agg(w.word order by w.place), '{}')
  from pg_catalog.regexp_split_to_table(
    pg_catalog.lower(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
      pg_catalog.translate(
        pg_catalog.regexp_replace(pg_catalog.regexp_replace(
          normalize(coalesce(p_name, ''), nfkd),
          '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]', '', 'g'), '[''‘’ʼ`´]', '', 'g'),
        'øØłŁđĐ', 'oolldd'),
      '[ßẞ]', 'ss', 'g'), '[æÆ]', 'ae', 'g'), '[œŒ]', 'oe', 'g')),
    '[^a-z0-9\u0080-\uffff]+|[\u2000-\u206f\u3000-\u303f]+') with ordinality as w (word, place)
  where w.word <> ''
$$;

-- Returns the words in alphabetical order as one string, so that names compare equal in any order.
create or replace function private.squeezed_name(p_words text[])
returns text language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.string_agg(w, '' order by w collate "C"), '') from pg_catalog.unnest(p_words) w
$$;

-- Returns whether the name on this ID matches `p_name`.
create or replace function private.is_name_on_id(v public.id_verifications, p_name text)
returns boolean language sql stable set search_path = '' as $$
  select private.names_match(
    pg_catalog.concat_ws(' ', v.extracted_first_name, v.extracted_middle_name), v.extracted_last_name, p_name)
$$;

-- Stores the name that the account has when its ID is verified. A later change back to it restores the verification.
create or replace function private.keep_verified_name()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into private.verified_name (verification_id, account_name)
  select new.id, p.full_name
  from public.profiles p
  where p.user_id = new.user_id and p.full_name is not null
  on conflict do nothing;
  return null;
end
$$;

create trigger id_verifications_keep_name after insert or update of verification_status on public.id_verifications
  for each row when (new.verification_status = 'verified') execute function private.keep_verified_name();
