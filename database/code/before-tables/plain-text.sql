-- Whether a text is free of hidden characters; true for null. p_lines allows several lines and tabs. Constraints use it
-- for the texts that callers write through the data API.
create or replace function private.is_plain(p_text text, p_lines boolean default false) returns boolean
language sql immutable security definer set search_path = '' as $$
  select p_text is null or p_text !~ private.hidden_characters(p_lines)
$$;
grant execute on function private.is_plain(text, boolean) to anon, authenticated, service_role;

-- Returns a regular expression for characters that a reader cannot see and that change what is read: control
-- characters, characters that change the direction of writing, line and paragraph separators, and other invisible
-- formats. p_lines leaves out line breaks and tabs. rules/people.ts has the same list.
create or replace function private.hidden_characters(p_lines boolean) returns text
language sql immutable set search_path = '' as $$
  select case when p_lines then '[\u0001-\u0008\u000b\u000c\u000e-\u001f' else '[\u0001-\u001f' end
    || '\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]'
$$;
