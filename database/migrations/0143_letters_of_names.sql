-- In a database with the locale C, lower() changes only ASCII letters. This version therefore replaces the letters that Unicode does not decompose in both cases, and
-- lowers the rest at the end, so that it returns the same words in every locale.
create or replace function private.name_words(p_name text) returns text[] language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.array_agg(w.word order by w.place), '{}')
  from pg_catalog.regexp_split_to_table(
    pg_catalog.lower(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
      pg_catalog.translate(
        pg_catalog.regexp_replace(pg_catalog.regexp_replace(
          normalize(coalesce(p_name, ''), nfkd), '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]', '', 'g'), '[''‘’ʼ`´]', '', 'g'),
        'øØłŁđĐ', 'oolldd'),
      '[ßẞ]', 'ss', 'g'), '[æÆ]', 'ae', 'g'), '[œŒ]', 'oe', 'g')),
    '[^a-z0-9\u0080-\uffff]+|[\u2000-\u206f\u3000-\u303f]+') with ordinality as w (word, place)
  where w.word <> ''
$$;
