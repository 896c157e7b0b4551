-- Prevents two active rooms from having the same lock, because a code for one room must not open another. Rooms that
-- already share a lock keep it until one of them changes. Raises 23505 (studio_lock_of_one_room).
create or replace function private.check_lock_of_room()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_studio constant uuid := case
    when tg_relid = 'public.studios'::regclass then (pg_catalog.to_jsonb(new) ->> 'id')::uuid
    else (pg_catalog.to_jsonb(new) ->> 'studio_id')::uuid end;
begin
  -- Two rooms that are opened at the same moment are checked one after the other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('private.studio_lock'));
  if exists (
    select from private.studio_lock l
    join public.studios s on s.id = l.studio_id and s.active
    join private.studio_lock o on o.lock_id = l.lock_id and o.studio_id <> l.studio_id
    join public.studios x on x.id = o.studio_id and x.active
    where l.studio_id = v_studio)
  then
    raise exception 'another room has this lock' using errcode = '23505', constraint = 'studio_lock_of_one_room';
  end if;
  return null;
end
$$;

create trigger check_lock_of_room after insert on private.studio_lock
  for each row execute function private.check_lock_of_room();

create trigger check_changed_lock_of_room after update of lock_id on private.studio_lock for each row
  when (old.lock_id is distinct from new.lock_id) execute function private.check_lock_of_room();

create trigger check_lock_of_room after update of active on public.studios for each row
  when (new.active and not old.active) execute function private.check_lock_of_room();
