-- Notifications on the channel realtime_sessions tell the servers which sessions and accounts have ended, so that their
-- realtime channels end too, and whose rights have changed, so that they are checked again.

-- Notifies the servers that a session has ended.
create or replace function realtime.session_ended()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('realtime_sessions', 'session:' || old.id);
  return null;
end
$$;

create trigger sessions_ended after delete on auth.sessions
  for each row execute function realtime.session_ended();

-- Notifies the servers that a ban or a deletion has ended all sessions of an account.
create or replace function realtime.account_closed()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('realtime_sessions', 'account:' || new.id);
  return null;
end
$$;

create trigger users_closed after update of banned_until, deleted_at on auth.users
  for each row when (
    new.banned_until is distinct from old.banned_until or new.deleted_at is distinct from old.deleted_at)
  execute function realtime.account_closed();

-- Makes the servers check the private channels of an account again. For triggers on tables that policies of
-- realtime.messages read.
create or replace function realtime.recheck_rights(p_user uuid)
returns void language sql security definer set search_path = '' as $$
  select pg_notify('realtime_sessions', 'rights:' || p_user)
$$;

-- Makes the servers check the rights of an account again when one of its sessions shows or loses a second factor.
create or replace function realtime.assurance_changed()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.recheck_rights(new.user_id);
  return null;
end
$$;

create trigger sessions_assurance_changed after update of aal on auth.sessions
  for each row when (new.aal is distinct from old.aal) execute function realtime.assurance_changed();
