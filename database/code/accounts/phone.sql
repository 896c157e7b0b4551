-- Removes the phone number of an account, for its customer, with everything that uses the number: codes and messages to
-- it, the sign-in by phone, and text reminders, which need a number. A number that waits for its code is removed too.
-- The number in the profile stays: the studio calls it, and it cannot be used to sign in. Idempotent. Returns
--   {outcome: 'removed', removed}  removed: whether there was a number
--   {outcome: 'only_phone'}        without the number, the customer could not sign in
--   {outcome: 'not_found'}
create or replace function private.remove_phone(p_user uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_account auth.users;
  v_texts boolean;
begin
  select * into v_account from auth.users u where u.id = p_user and u.deleted_at is null for update;
  if not found then return '{"outcome": "not_found"}'; end if;
  if v_account.phone is null and v_account.phone_change is null then
    return '{"outcome": "removed", "removed": false}';
  end if;
  if v_account.email is null or v_account.email_confirmed_at is null then return '{"outcome": "only_phone"}'; end if;

  delete from auth.one_time_tokens t where t.user_id = p_user and t.kind in ('sms', 'phone_change');
  delete from private.outbox o
  where o.kind like 'account-%' and o.subject_id = p_user and o.recipient in (v_account.phone, v_account.phone_change);
  -- This comes before the update of the account, whose trigger would restore an identity that the list of providers
  -- still names.
  delete from auth.identities i where i.user_id = p_user and i.provider = 'phone';
  update auth.users u
  set phone = null, phone_confirmed_at = null, phone_change = null, phone_change_sent_at = null,
    raw_app_meta_data = u.raw_app_meta_data || pg_catalog.jsonb_build_object(
      'provider', coalesce(nullif(u.raw_app_meta_data ->> 'provider', 'phone'), 'email'),
      'providers', coalesce(u.raw_app_meta_data -> 'providers', '[]') - 'phone')
  where u.id = p_user;
  select p.remind_by_text into v_texts from public.profiles p where p.user_id = p_user for update;
  update public.profiles p set remind_by_text = false where p.user_id = p_user and p.remind_by_text;
  insert into auth.audit_log_entries (payload, created_at)
  values (pg_catalog.jsonb_build_object('action', 'user_phone_removed', 'actor_id', p_user), p_now);
  -- The entry leaves out the number, because entries are never removed.
  perform private.audit(p_user, 'remove', 'phone', p_user::text, pg_catalog.jsonb_build_object(
    'before', pg_catalog.jsonb_build_object(
      'confirmed', v_account.phone_confirmed_at is not null, 'textReminders', coalesce(v_texts, false)),
    'after', pg_catalog.jsonb_build_object('confirmed', false, 'textReminders', false)));
  return '{"outcome": "removed", "removed": true}';
end
$$;
