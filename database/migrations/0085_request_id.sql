-- The request that caused a job. The server sets `request.id` in each transaction of a request, so that jobs written by triggers have it too.
alter table private.outbox add column request_id text default nullif(pg_catalog.current_setting('request.id', true), '')
  constraint outbox_request_id_is_short check (pg_catalog.char_length(request_id) <= 64);
