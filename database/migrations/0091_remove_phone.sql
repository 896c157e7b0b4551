-- A customer removes the confirmed number of the account.

-- Removes the number with everything that would use it: codes and messages to it, the sign-in by phone, and reminders by text, which need a number.
-- A number that waits for its code goes too. The number of the profile stays: it is for the studio to call, and nobody signs in with it. Repeated: nothing changes.
--   {outcome: 'removed', removed: whether there was one}   {outcome: 'only_phone'}: nobody could sign in without it   {outcome: 'not_found'}
create function private.remove_phone(p_user uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  account auth.users;
  texts boolean;
begin
  select * into account from auth.users u where u.id = p_user and u.deleted_at is null for update;
  if not found then return '{"outcome": "not_found"}'; end if;
  if account.phone is null and account.phone_change is null then return '{"outcome": "removed", "removed": false}'; end if;
  if account.email is null or account.email_confirmed_at is null then return '{"outcome": "only_phone"}'; end if;

  delete from auth.one_time_tokens t where t.user_id = p_user and t.kind in ('sms', 'phone_change');
  delete from private.outbox o
  where o.kind like 'account-%' and o.subject_id = p_user and o.recipient in (account.phone, account.phone_change);
  -- Before the account changes: its trigger would restore an identity that the list of providers still names.
  delete from auth.identities i where i.user_id = p_user and i.provider = 'phone';
  update auth.users u set phone = null, phone_confirmed_at = null, phone_change = null, phone_change_sent_at = null,
    raw_app_meta_data = u.raw_app_meta_data || pg_catalog.jsonb_build_object(
      'provider', coalesce(nullif(u.raw_app_meta_data ->> 'provider', 'phone'), 'email'),
      'providers', coalesce(u.raw_app_meta_data -> 'providers', '[]') - 'phone')
  where u.id = p_user;
  select p.remind_by_text into texts from public.profiles p where p.user_id = p_user for update;
  update public.profiles p set remind_by_text = false where p.user_id = p_user and p.remind_by_text;
  insert into auth.audit_log_entries (payload, created_at)
  values (pg_catalog.jsonb_build_object('action', 'user_phone_removed', 'actor_id', p_user), p_now);
  -- Without the number: the log only grows.
  perform private.audit(p_user, 'remove', 'phone', p_user::text, pg_catalog.jsonb_build_object(
    'before', pg_catalog.jsonb_build_object('confirmed', account.phone_confirmed_at is not null, 'textReminders', coalesce(texts, false)),
    'after', pg_catalog.jsonb_build_object('confirmed', false, 'textReminders', false)));
  return '{"outcome": "removed", "removed": true}';
end
$$;
