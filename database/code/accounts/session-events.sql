-- Notifies an account that a session began or ended, so that its list of devices stays current.
create or replace function private.publish_session() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(coalesce(new.user_id, old.user_id), 'session', '{}');
  return null;
end
$$;

create trigger publish_session after insert or delete on auth.sessions
  for each row execute function private.publish_session();
