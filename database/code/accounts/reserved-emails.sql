-- Whether an address is reserved for an account other than p_user; if p_user is null, for any account. An address that
-- an account has replaced stays reserved for it for 72 hours.
create or replace function private.is_email_reserved(p_email text, p_user uuid, p_now timestamptz) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from auth.replaced_emails r
    where r.email = p_email and r.user_id is distinct from p_user and r.expires_at > p_now)
$$;

-- Refuses a reserved address with a unique violation (23505), like a taken one. An after trigger, because a concurrent
-- change of address has committed its reservation by the time the row is written.
create or replace function private.refuse_reserved_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.deleted_at is null and private.is_email_reserved(new.email, new.id, pg_catalog.clock_timestamp()) then
    raise exception 'the email address is reserved' using errcode = '23505', constraint = 'users_email';
  end if;
  return null;
end
$$;

create trigger users_email_reserved after insert or update of email on auth.users for each row
  when (new.email is not null) execute function private.refuse_reserved_email();

-- Whether the owner of a replaced address has begun to undo the change and has not finished. True for at most a day
-- after the beginning, because the link alone is enough to begin.
create or replace function private.is_undo_begun(p_user uuid, p_now timestamptz) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from auth.replaced_emails r
    where r.user_id = p_user and r.begun_at + interval '1 day' > p_now and r.expires_at > p_now)
$$;
