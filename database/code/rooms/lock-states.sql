-- Stores the result of one check of a room's lock. `p_online` is null if it is unknown, as it is without a bridge; the
-- battery is low at `p_low` percent or less. If the room has another lock than at the last check, earlier results are
-- discarded. Publishes the event `locks` to staff while the lock is offline and whenever an alert begins or ends.
create or replace function private.record_lock_state(
  p_studio uuid, p_lock text, p_online boolean, p_battery integer, p_low integer, p_now timestamptz
)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_known private.lock_state;
  v_offline constant boolean := p_online is not distinct from false;
  v_low constant boolean := coalesce(p_battery <= p_low, false);
begin
  select * into v_known from private.lock_state l where l.studio_id = p_studio and l.lock_id = p_lock for update;
  insert into private.lock_state as l (
    studio_id, lock_id, online, battery_percent, checked_at, heard_at, offline_since, low_since)
  values (
    p_studio, p_lock, p_online, p_battery, p_now, case when p_online then p_now else v_known.heard_at end,
    case when v_offline then coalesce(v_known.offline_since, p_now) end,
    case when v_low then coalesce(v_known.low_since, p_now) end)
  on conflict (studio_id) do update
  set lock_id = excluded.lock_id, online = excluded.online, battery_percent = excluded.battery_percent,
    checked_at = excluded.checked_at, heard_at = excluded.heard_at, offline_since = excluded.offline_since,
    low_since = excluded.low_since;
  -- An offline lock raises its alert at the second check in a row, so every check of an offline lock publishes.
  if v_offline or (v_known.offline_since is not null) or v_low is distinct from (v_known.low_since is not null) then
    perform realtime.send('{}', 'locks', 'staff', true);
  end if;
end
$$;

-- Records whether the lock service knows the lock of a room, after record_lock_state() has stored the lock. Publishes
-- the event `locks` to staff when that has changed. Idempotent.
create or replace function private.record_lock_known(
  p_studio uuid, p_lock text, p_known boolean, p_now timestamptz
)
returns void language plpgsql volatile set search_path = '' as $$
begin
  update private.lock_state l
  set unknown_since = case when not p_known then coalesce(l.unknown_since, p_now) end
  where l.studio_id = p_studio and l.lock_id = p_lock and p_known = (l.unknown_since is not null);
  if found then perform realtime.send('{}', 'locks', 'staff', true); end if;
end
$$;

-- When a room gets another lock, that lock is not treated as unknown until a check has looked for it.
create or replace function private.forget_unknown_lock()
returns trigger language plpgsql set search_path = '' as $$
begin
  new.unknown_since := null;
  return new;
end
$$;

create trigger forget_unknown_lock before update of lock_id on private.lock_state for each row
  when (old.lock_id is distinct from new.lock_id) execute function private.forget_unknown_lock();
