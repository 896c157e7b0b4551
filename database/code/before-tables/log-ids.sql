-- Returns the words of a text, in lower case, that may be ids or references: 6 to 100 characters with a digit, and with
-- a letter, a hyphen or an underscore, so that amounts of money are left out. The index audit_logs_ids finds entries by
-- these words, because a search by the trigrams of audit_logs_search takes longer the more entries there are.
create or replace function private.ids_in(p_text text) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select w.w from pg_catalog.regexp_split_to_table(pg_catalog.lower(p_text), '[^a-z0-9_-]+') w (w)
    where pg_catalog.length(w.w) between 6 and 100 and w.w ~ '[0-9]' and w.w ~ '[a-z_-]');
end
$$;
