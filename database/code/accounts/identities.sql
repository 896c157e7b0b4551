-- Creates and updates the identities by email and by phone, so that they equal the account as long as its list of
-- providers names them.
create or replace function private.sync_identities() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.email is not null and new.raw_app_meta_data -> 'providers' ? 'email' then
    insert into auth.identities as i (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
    values (
      new.id,
      'email',
      new.id::text,
      new.raw_user_meta_data || pg_catalog.jsonb_build_object(
        'sub', new.id, 'email', new.email, 'email_verified', new.email_confirmed_at is not null, 'phone_verified', false
      ),
      new.last_sign_in_at,
      new.created_at
    )
    on conflict (provider, provider_id) do update set
      identity_data = excluded.identity_data,
      last_sign_in_at = excluded.last_sign_in_at,
      updated_at = pg_catalog.clock_timestamp();
  end if;
  if new.phone is not null and new.raw_app_meta_data -> 'providers' ? 'phone' then
    insert into auth.identities as i (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
    values (
      new.id,
      'phone',
      new.id::text,
      pg_catalog.jsonb_build_object(
        'sub', new.id, 'phone', new.phone, 'email_verified', false, 'phone_verified', new.phone_confirmed_at is not null
      ),
      new.last_sign_in_at,
      new.created_at
    )
    on conflict (provider, provider_id) do update set
      identity_data = excluded.identity_data,
      last_sign_in_at = excluded.last_sign_in_at,
      updated_at = pg_catalog.clock_timestamp();
  end if;
  return new;
end
$$;

create trigger users_sync_identities
  after insert or update of email, email_confirmed_at, phone, phone_confirmed_at, raw_app_meta_data, last_sign_in_at
  on auth.users for each row execute function private.sync_identities();
