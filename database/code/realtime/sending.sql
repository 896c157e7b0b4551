-- Sends a message to a topic by storing it, with the rights of the caller. A JSON object without an `id` gets one. A
-- message that cannot be sent raises a warning and never an error, so that the caller's transaction continues.
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void language plpgsql set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_payload jsonb := payload;
begin
  if jsonb_typeof(payload) = 'object' and not payload ? 'id' then
    v_payload := payload || jsonb_build_object('id', v_id);
  end if;
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (v_id, v_payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
grant execute on function realtime.send(jsonb, text, text, boolean) to public;

-- Like realtime.send(), but sends bytes instead of JSON.
create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true)
returns void language plpgsql set search_path = '' as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
grant execute on function realtime.send_binary(bytea, text, text, boolean) to public;

-- Sends a change of a row to a private topic, as {old_record, record, operation, table, schema}. For row triggers;
-- throws in statement triggers.
create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
  level text default 'ROW'
)
returns void language plpgsql set search_path = '' as $$
begin
  if level = 'STATEMENT' then
    raise exception 'Failed to process the row: function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Failed to process the row: Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', to_jsonb(old), 'record', to_jsonb(new), 'operation', operation, 'table', table_name,
      'schema', table_schema),
    event_name, topic_name);
end
$$;
grant execute on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) to public;
