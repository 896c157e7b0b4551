-- A new name of an account is compared with the name on its verified ID. A name that fits keeps the verification; another one ends it, and going back to
-- a name that fits within 30 days restores it.

-- The name that an account had when its ID was verified.
create table private.verified_name (
  verification_id uuid primary key references public.id_verifications (id) on delete cascade,
  account_name text not null,
  -- When a change of the name ended the verification; null while no such change has.
  ended_at timestamptz
);
alter table private.verified_name enable row level security, force row level security;
insert into private.verified_name (verification_id, account_name)
select v.id, p.full_name from public.id_verifications v join public.profiles p on p.user_id = v.user_id
where v.verification_status = 'verified' and p.full_name is not null;

-- The words of a name without case, accents, hyphens and apostrophes. tests/sql/names.test.ts compares these functions with rules/identity.ts.
create function private.name_words(p_name text) returns text[] language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.array_agg(w.word order by w.place), '{}')
  from pg_catalog.regexp_split_to_table(
    pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(
      pg_catalog.translate(
        pg_catalog.lower(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
          normalize(coalesce(p_name, ''), nfkd), '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]', '', 'g'), '[''‘’ʼ`´]', '', 'g')),
        'øØłŁđĐ', 'oolldd'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
    '[^a-z0-9\u0080-\uffff]+|[\u2000-\u206f\u3000-\u303f]+') with ordinality as w (word, place)
  where w.word <> ''
$$;

create function private.squeezed_name(p_words text[]) returns text language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.string_agg(w, '' order by w collate "C"), '') from pg_catalog.unnest(p_words) w
$$;

-- Whether the names of an ID are those of the account: middle names may be missing, the family name and the first given name may not.
create function private.names_match(p_given text, p_family text, p_account text) returns boolean language sql immutable set search_path = '' as $$
  with n as (
    select private.name_words(p_given) as given, private.name_words(p_family) as family, private.name_words(p_account) as account)
  select case
    when pg_catalog.cardinality(n.given || n.family) = 0 or pg_catalog.cardinality(n.account) = 0 then false
    when private.squeezed_name(n.given || n.family) = private.squeezed_name(n.account)
      or pg_catalog.array_to_string(n.given || n.family, '') = pg_catalog.array_to_string(n.account, '') then true
    else (n.family <@ n.account
        or pg_catalog.right(pg_catalog.array_to_string(n.account, ''), pg_catalog.length(pg_catalog.array_to_string(n.family, '')))
          = pg_catalog.array_to_string(n.family, ''))
      and (pg_catalog.cardinality(n.given) = 0 or n.given[1] = any (n.account))
      and (n.account <@ (n.given || n.family)
        or pg_catalog.array_to_string(n.account, '') = coalesce(n.given[1], '') || pg_catalog.array_to_string(n.family, ''))
    end
  from n
$$;

-- Whether the name on an ID is this one.
create function private.is_name_on_id(v public.id_verifications, p_name text) returns boolean language sql stable set search_path = '' as $$
  select private.names_match(pg_catalog.concat_ws(' ', v.extracted_first_name, v.extracted_middle_name), v.extracted_last_name, p_name)
$$;
revoke execute on function private.name_words(text), private.squeezed_name(text[]), private.names_match(text, text, text),
  private.is_name_on_id(public.id_verifications, text) from public;

create function private.keep_verified_name() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into private.verified_name (verification_id, account_name)
  select new.id, p.full_name from public.profiles p where p.user_id = new.user_id and p.full_name is not null
  on conflict do nothing;
  return null;
end
$$;
create trigger id_verifications_keep_name after insert or update of verification_status on public.id_verifications for each row
  when (new.verification_status = 'verified') execute function private.keep_verified_name();

create or replace function private.supersede_verifications() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if old.date_of_birth is distinct from new.date_of_birth then
    update public.id_verifications set verification_status = 'superseded'
    where user_id = new.user_id and verification_status in ('verified', 'review');
    return null;
  end if;
  -- A photo that waits for a person was compared with the name before.
  update public.id_verifications v set verification_status = 'superseded'
  where v.user_id = new.user_id and v.verification_status = 'review';
  with ended as (
    update public.id_verifications v set verification_status = 'superseded'
    where v.user_id = new.user_id and v.verification_status = 'verified' and not private.is_name_on_id(v, new.full_name)
    returning v.id)
  update private.verified_name n set ended_at = pg_catalog.now() from ended e where n.verification_id = e.id;
  with restored as (
    update public.id_verifications v set verification_status = 'verified'
    from private.verified_name n
    where v.user_id = new.user_id and v.verification_status = 'superseded' and v.expires_at > pg_catalog.now()
      and v.profile_dob is not distinct from new.date_of_birth
      and n.verification_id = v.id and n.ended_at > pg_catalog.now() - interval '30 days'
      and (private.is_name_on_id(v, new.full_name) or pg_catalog.lower(pg_catalog.btrim(n.account_name)) = pg_catalog.lower(pg_catalog.btrim(new.full_name)))
    returning v.id)
  update private.verified_name n set ended_at = null from restored r where n.verification_id = r.id;
  return null;
end
$$;
