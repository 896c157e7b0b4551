-- What an answer of the data API may hold. A statement calls these on the text it has made, so that an answer that is too large is
-- refused where it is made: a write is undone with it, and nothing of it is sent to the server.
create schema rest;
-- Every role a token may carry runs these: they only measure what they are handed.
grant usage on schema rest to public;

-- The whole answer, or a refusal. PostgREST's way to raise an error of one's own is sqlstate PGRST.
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

-- One embedded list of many: what all of them hold together is counted in the transaction, so that lists inside lists are refused long
-- before the answer is whole. pg_column_size reads the size from the value's head.
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

-- As private.take_limit, several units at once: answers how many of them were granted, and when none was, the whole seconds to wait.
create function private.take_limit_units(p_name text, p_key text, p_max numeric, p_seconds numeric, p_now timestamptz, p_units integer, out granted integer, out wait integer)
language plpgsql volatile set search_path = '' as $$
declare
  step constant numeric := p_seconds / p_max;
  base timestamptz;
  free numeric;
begin
  insert into private.rate_bucket (name, key, full_at) values (p_name, p_key, p_now) on conflict (name, key) do nothing;
  select greatest(b.full_at, p_now) into base from private.rate_bucket b where b.name = p_name and b.key = p_key for update;
  free := p_seconds - extract(epoch from base - p_now);
  granted := greatest(0, least(p_units, floor(free / step + 0.000001)))::integer;
  if granted = 0 then
    wait := greatest(1, ceil(step - free))::integer;
    return;
  end if;
  update private.rate_bucket b set full_at = base + pg_catalog.make_interval(secs => (step * granted)::double precision)
    where b.name = p_name and b.key = p_key;
end
$$;
revoke all on function private.take_limit_units(text, text, numeric, numeric, timestamptz, integer) from public;
grant execute on function private.take_limit_units(text, text, numeric, numeric, timestamptz, integer) to backend;
