-- The trigger function of all tables with updated_at: sets it to the time of the change.
create or replace function private.set_updated_at() returns trigger language plpgsql set search_path = '' as $$
begin
  new.updated_at := pg_catalog.clock_timestamp();
  return new;
end
$$;
