-- Mails about changes to an account. Triggers queue them, so that a new way to change an account cannot forget them.

-- Queues a mail of the account service. p_id is the id of the job. p_change names the change for the kind
-- 'account_changed'; null for other kinds.
create or replace function private.queue_account_mail(p_id uuid, p_kind text, p_user uuid, p_email text, p_change text)
returns void language sql volatile set search_path = '' as $$
  insert into private.outbox (id, kind, subject_id, dedupe, recipient, payload, due_at)
  values (p_id, 'account-mail.' || p_kind, p_user, p_id::text, p_email,
    pg_catalog.jsonb_build_object('userId', p_user, 'attemptId', null, 'redirectTo', null,
      'requestedAt', pg_catalog.now(), 'change', p_change),
    pg_catalog.now())
$$;

-- Queues a mail about a change to the current address of an account. An unconfirmed address gets no mail, because it
-- may belong to another person.
create or replace function private.announce_change(p_user uuid, p_change text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_email text;
begin
  select u.email into v_email
  from auth.users u
  where u.id = p_user and u.email_confirmed_at is not null and u.deleted_at is null;
  if v_email is not null then
    perform private.queue_account_mail(pg_catalog.gen_random_uuid(), 'account_changed', p_user, v_email, p_change);
  end if;
end
$$;

-- Queues mails when the address, password or phone number of an account changes. A replaced address is reserved for 72
-- hours, and its mail has a link that undoes the change; an address that is replaced by an undo gets a mail without a
-- link, because otherwise both owners could undo each other endlessly. Deleting an account frees its replaced
-- addresses.
create or replace function private.announce_user_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_id constant uuid := pg_catalog.gen_random_uuid();
begin
  if new.deleted_at is not null then
    delete from auth.replaced_emails r where r.user_id = new.id;
    return null;
  end if;
  -- Until an address is confirmed, the person is still signing up and has proved nothing.
  if old.email_confirmed_at is null then return null; end if;
  if old.email is distinct from new.email and old.email is not null then
    if pg_catalog.current_setting('auth.undoing', true) = new.id::text then
      perform private.queue_account_mail(v_id, 'email_undone', new.id, old.email, null);
    else
      insert into auth.replaced_emails (
        id, user_id, email, phone, phone_confirmed_at, factor_ids, replaced_at, expires_at)
      values (v_id, new.id, old.email, old.phone, old.phone_confirmed_at,
        array(select f.id from auth.mfa_factors f where f.user_id = new.id and f.status = 'verified'),
        pg_catalog.now(), pg_catalog.now() + interval '72 hours');
      perform private.queue_account_mail(v_id, 'email_replaced', new.id, old.email, null);
    end if;
  end if;
  -- auth.same_secret is 'on' when the hash of an unchanged password is renewed with other parameters.
  if old.encrypted_password is distinct from new.encrypted_password
    and pg_catalog.current_setting('auth.same_secret', true) is distinct from 'on' then
    if new.encrypted_password is null then
      perform private.announce_change(new.id, 'password_removed');
    elsif new.email is not null then
      perform private.queue_account_mail(
        pg_catalog.gen_random_uuid(), 'password_changed', new.id, new.email, null);
    end if;
  end if;
  if old.phone is distinct from new.phone then
    perform private.announce_change(new.id, case
      when old.phone is null then 'phone_added'
      when new.phone is null then 'phone_removed'
      else 'phone_changed' end);
  end if;
  return null;
end
$$;

create trigger users_announce after update of email, phone, encrypted_password, deleted_at on auth.users
  for each row execute function private.announce_user_change();

-- Queues mails when a verified second factor is added, changed or removed. auth.same_secret is 'on' when an unchanged
-- secret is encrypted with another key.
create or replace function private.announce_factor() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' and old.status = 'verified' then
    if tg_op = 'DELETE' then
      perform private.announce_change(old.user_id, 'factor_removed');
    elsif new.phone is distinct from old.phone
      or new.web_authn_credential -> 'publicKey' is distinct from old.web_authn_credential -> 'publicKey'
      or new.factor_type <> old.factor_type or new.user_id <> old.user_id or new.status <> old.status
      or new.secret is distinct from old.secret
        and pg_catalog.current_setting('auth.same_secret', true) is distinct from 'on' then
      perform private.announce_change(old.user_id, 'factor_changed');
    end if;
  elsif tg_op <> 'DELETE' and new.status = 'verified' then
    perform private.announce_change(new.user_id, 'factor_added');
  end if;
  return null;
end
$$;

create trigger mfa_factors_announce
  after insert or delete or update of status, phone, secret, web_authn_credential, factor_type, user_id
  on auth.mfa_factors for each row execute function private.announce_factor();

-- Queues mails when a passkey is added or removed. An update counts as both.
create or replace function private.announce_passkey() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then
    perform private.announce_change(old.user_id, 'passkey_removed');
  end if;
  if tg_op <> 'DELETE' then
    perform private.announce_change(new.user_id, 'passkey_added');
  end if;
  return null;
end
$$;

create trigger webauthn_credentials_announce
  after insert or delete or update of user_id, credential_id, public_key
  on auth.webauthn_credentials for each row execute function private.announce_passkey();

-- Queues mails when an identity of another provider is added or removed. Identities by email and by phone follow the
-- account, whose own trigger announces changes. The first identity of an account without a password is not announced,
-- because it is how the account was created.
create or replace function private.announce_identity() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' and old.provider not in ('email', 'phone') then
    perform private.announce_change(old.user_id, 'identity_removed');
  end if;
  if tg_op <> 'DELETE' and new.provider not in ('email', 'phone')
    and (exists (select from auth.identities i where i.user_id = new.user_id and i.id <> new.id)
      or exists (select from auth.users u where u.id = new.user_id and u.encrypted_password is not null)) then
    perform private.announce_change(new.user_id, 'identity_added');
  end if;
  return null;
end
$$;

create trigger identities_announce after insert or delete or update of user_id, provider, provider_id
  on auth.identities for each row execute function private.announce_identity();
