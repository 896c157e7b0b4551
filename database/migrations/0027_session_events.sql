-- Publishes sign-ins and ends of sessions to the account, whose list of devices follows them.
create function private.publish_session() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(coalesce(new.user_id, old.user_id), 'session', '{}');
  return null;
end
$$;
create trigger publish_session after insert or delete on auth.sessions for each row execute function private.publish_session();
revoke execute on function private.publish_session() from public;
