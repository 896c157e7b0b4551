-- Limits of what one response of the data API may hold. A statement calls these functions on the text it has built, so a response that is too
-- large is refused where it is built: a write is undone with it, and nothing of it reaches the server.

create schema rest;
-- Every role that a token may name runs these functions; they only measure what they are given.
grant usage on schema rest to public;

-- Returns the response, or raises an error in PostgREST's own form (sqlstate PGRST).
create function rest.limit_response(body text, most_bytes bigint) returns text language plpgsql volatile as $$
begin
  if octet_length(body) > most_bytes then
    raise sqlstate 'PGRST' using
      message = json_build_object('code', 'answer_too_large', 'message', 'The answer is larger than ' || most_bytes || ' bytes', 'hint', 'Ask for fewer rows or columns.'),
      detail = '{"status": 400, "headers": {}}';
  end if;
  return body;
end
$$;

-- Returns an embedded list. The transaction counts the bytes and rows of all of them together, so that lists inside lists are refused long before
-- the response is complete. pg_column_size reads the size from the value's header.
create function rest.limit_list(list json, rows bigint, most_bytes bigint, most_rows bigint) returns json language plpgsql volatile as $$
declare
  all_bytes bigint := coalesce(nullif(current_setting('rest.bytes', true), ''), '0')::bigint + pg_column_size(list);
  all_rows bigint := coalesce(nullif(current_setting('rest.rows', true), ''), '0')::bigint + rows;
begin
  if all_bytes > most_bytes or all_rows > most_rows then
    raise sqlstate 'PGRST' using
      message = json_build_object('code', 'answer_too_large', 'message', 'The embedded lists hold more than ' || most_rows || ' rows or ' || most_bytes || ' bytes', 'hint', 'Ask for fewer rows or columns.'),
      detail = '{"status": 400, "headers": {}}';
  end if;
  perform set_config('rest.bytes', all_bytes::text, true), set_config('rest.rows', all_rows::text, true);
  return list;
end
$$;

grant execute on function rest.limit_response(text, bigint), rest.limit_list(json, bigint, bigint, bigint) to public;
