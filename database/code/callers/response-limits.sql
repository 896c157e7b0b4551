-- Returns the body of a response, or raises an error in PostgREST's own form (sqlstate PGRST) if it is larger than
-- most_bytes.
create or replace function rest.limit_response(body text, most_bytes bigint) returns text
language plpgsql volatile as $$
begin
  if octet_length(body) > most_bytes then
    raise sqlstate 'PGRST' using
      message = json_build_object(
        'code', 'answer_too_large',
        'message', 'The answer is larger than ' || most_bytes || ' bytes',
        'hint', 'Ask for fewer rows or columns.'),
      detail = '{"status": 400, "headers": {}}';
  end if;
  return body;
end
$$;
grant execute on function rest.limit_response(text, bigint) to public;

-- Returns an embedded list of a response; rows is its number of rows. Raises the error of rest.limit_response if all
-- lists of the transaction together exceed most_bytes or most_rows, so that lists inside lists are refused long before
-- the response is complete. pg_column_size reads the size from the value's header.
create or replace function rest.limit_list(list json, rows bigint, most_bytes bigint, most_rows bigint) returns json
language plpgsql volatile as $$
declare
  v_all_bytes bigint :=
    coalesce(nullif(current_setting('rest.bytes', true), ''), '0')::bigint + pg_column_size(list);
  v_all_rows bigint := coalesce(nullif(current_setting('rest.rows', true), ''), '0')::bigint + rows;
begin
  if v_all_bytes > most_bytes or v_all_rows > most_rows then
    raise sqlstate 'PGRST' using
      message = json_build_object(
        'code', 'answer_too_large',
        'message', 'The embedded lists hold more than ' || most_rows || ' rows or ' || most_bytes || ' bytes',
        'hint', 'Ask for fewer rows or columns.'),
      detail = '{"status": 400, "headers": {}}';
  end if;
  perform set_config('rest.bytes', v_all_bytes::text, true), set_config('rest.rows', v_all_rows::text, true);
  return list;
end
$$;
grant execute on function rest.limit_list(json, bigint, bigint, bigint) to public;
