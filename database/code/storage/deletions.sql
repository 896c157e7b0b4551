-- Queues the bytes of a deleted row for deletion.
create or replace function storage.queue_deletion()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into storage.deletion_queue (storage_key) values (old.storage_key) on conflict do nothing;
  return null;
end
$$;

create trigger objects_queue_deletion after delete on storage.objects
  for each row execute function storage.queue_deletion();

create trigger upload_parts_queue_deletion after delete on storage.upload_parts
  for each row execute function storage.queue_deletion();

-- Keeps the bytes that a row refers to: an upload has queued their deletion before it stored them. When an update gives
-- an object other bytes, queues the deletion of the previous ones.
create or replace function storage.cancel_deletion()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from storage.deletion_queue r where r.storage_key = new.storage_key;
  if tg_op = 'UPDATE' then
    insert into storage.deletion_queue (storage_key) values (old.storage_key) on conflict do nothing;
  end if;
  return null;
end
$$;

create trigger objects_cancel_deletion after insert on storage.objects
  for each row execute function storage.cancel_deletion();

create trigger objects_replaced after update of storage_key on storage.objects
  for each row when (old.storage_key <> new.storage_key) execute function storage.cancel_deletion();

create trigger upload_parts_cancel_deletion after insert on storage.upload_parts
  for each row execute function storage.cancel_deletion();
