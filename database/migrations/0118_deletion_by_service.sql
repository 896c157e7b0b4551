-- The service key deletes an account with the same erasure as its owner.

-- Erases what is stored about an account, with everything personal but what tax law makes us keep: paid bookings, their payments and the buyer's
-- name. The row of the account stays for the caller. Returns the ended sessions, how many paid bookings are kept, and until when.
create function private.erase_account(p_user uuid, p_email text, p_phone text, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_name text;
  ended jsonb;
  kept integer;
  kept_until date;
begin
  select p.full_name into v_name from public.profiles p where p.user_id = p_user;
  -- A code for one customer would work for all customers without its address. Its audit row has the address, so this comes before their erasure.
  update public.discount_codes d set active = false, customer_email = null, description = null where d.customer_email = pg_catalog.lower(p_email);
  perform private.erase_audit_words(p_user, p_email);
  perform private.erase_jobs(p_user, p_email, p_phone);
  delete from public.mailing_list m where m.email = pg_catalog.lower(p_email);
  delete from private.staff_invitation i where i.email = pg_catalog.lower(p_email);
  delete from storage.objects o where o.owner = p_user;
  delete from storage.uploads o where o.owner = p_user;
  delete from public.scheduled_emails e using private.booking b where b.id = e.booking_id and b.user_id = p_user;
  -- Reasons that staff wrote, and their reports about sessions: the rows stay for their amounts and their numbers.
  update private.cancellation c set reason = 'erased' from private.booking b where b.id = c.booking_id and b.user_id = p_user;
  update private.partial_refund r set reason = 'erased' from private.payment x join private.booking b on b.id = x.booking_id
  where x.id = r.payment_id and b.user_id = p_user;
  update private.incident i set description = 'erased', photos = '{}', answer = case when i.answer is not null then 'erased' end
  from private.booking b where b.id = i.booking_id and b.user_id = p_user and i.customer_id is null;
  -- The pay page shows the address; the card is one that the person saved.
  update private.payment x set url = null, card = null from private.booking b
  where b.id = x.booking_id and b.user_id = p_user and (x.url is not null or x.card is not null);
  delete from private.booking_note n using private.booking b where b.id = n.booking_id and b.user_id = p_user;
  delete from private.undo x using private.booking b where b.id = x.booking_id and b.user_id = p_user;
  delete from private.missing_id m using private.booking b where b.id = m.booking_id and b.user_id = p_user;
  update private.coupon_redemption r set user_id = null where r.user_id = p_user;
  -- Sessions as a guest with the same address.
  update private.booking b set guest_email = null where b.user_id is null and pg_catalog.lower(b.guest_email) = p_email and b.end_time <= p_now;

  with own as (
    update private.booking b set user_id = null, contact_phone = null, guest_email = null, id_verification_id = null,
      notes = case when b.notes = 'test' then b.notes end,
      name_until = private.tax_records_end(b.id),
      guest_name = case when private.tax_records_end(b.id) is not null then coalesce(b.guest_name, pg_catalog.left(v_name, 200)) end
    where b.user_id = p_user
    returning b.name_until
  )
  select count(own.name_until), pg_catalog.max(own.name_until) into kept, kept_until from own;

  with gone as (delete from auth.sessions s where s.user_id = p_user returning s.id)
  select coalesce(pg_catalog.jsonb_agg(gone.id), '[]') into ended from gone;
  return pg_catalog.jsonb_build_object('sessions', ended, 'kept', kept, 'keptUntil', kept_until);
end
$$;

-- Locks an account before its deletion. Null if it can be deleted, otherwise why not.
create function private.refuse_deletion(p_user uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  ahead jsonb;
begin
  -- As in hold_booking, so that no hold begins meanwhile.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || p_user::text, 0));
  perform from auth.users u where u.id = p_user and u.deleted_at is null for update;
  if not found then return '{"outcome": "not_found"}'; end if;
  if exists (select from public.user_roles r where r.user_id = p_user and r.role = 'admin') then return '{"outcome": "staff"}'; end if;
  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status) order by b.start_time, b.id) into ahead
  from private.booking b where b.user_id = p_user and b.status in ('pending', 'confirmed') and b.end_time > p_now;
  if ahead is not null then return pg_catalog.jsonb_build_object('outcome', 'bookings', 'bookings', ahead); end if;
  return null;
end
$$;

-- Deletes an account for its owner.
create or replace function private.delete_account(p_user uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  account auth.users;
  refused constant jsonb := private.refuse_deletion(p_user, p_now);
  erased jsonb;
begin
  if refused is not null then return refused; end if;
  select * into account from auth.users u where u.id = p_user;
  erased := private.erase_account(p_user, account.email, account.phone, p_now);
  delete from auth.users u where u.id = p_user;
  insert into auth.audit_log_entries (payload, created_at)
  values (pg_catalog.jsonb_build_object('action', 'user_deleted', 'actor_id', p_user), p_now);
  perform private.audit(p_user, 'delete', 'account', p_user::text, pg_catalog.jsonb_build_object('bookings_kept', erased -> 'kept'));
  return erased || '{"outcome": "deleted"}';
end
$$;

-- Deletes an account for the service key, which logs it. `p_softly` keeps a row with the number of the account and the times of its creation and
-- deletion. What refers to the account ends with it in both cases. A refusal has a message for developers, with the call to make first.
create function private.delete_account_by_service(p_user uuid, p_softly boolean, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  account auth.users;
  refused constant jsonb := private.refuse_deletion(p_user, p_now);
  erased jsonb;
begin
  if refused is not null then
    return refused || pg_catalog.jsonb_build_object('message', case refused ->> 'outcome'
      when 'staff' then 'This account is on the team. An owner has to remove it from the team first (/functions/v1/staff-remove), so that its codes and calendars end.'
      when 'bookings' then 'This account has bookings that are not over. Cancel them first (/functions/v1/staff-cancel-booking), so that money and access codes are dealt with.'
    end);
  end if;
  select * into account from auth.users u where u.id = p_user;
  erased := private.erase_account(p_user, account.email, account.phone, p_now);
  delete from auth.users u where u.id = p_user;
  if p_softly then
    insert into auth.users (id, created_at, deleted_at) values (p_user, account.created_at, p_now);
  end if;
  perform private.audit(null, 'delete', 'account', p_user::text, pg_catalog.jsonb_build_object('bookings_kept', erased -> 'kept'));
  return erased || '{"outcome": "deleted"}';
end
$$;

-- The row that a soft deletion keeps has no profile.
create or replace trigger users_create_profile after insert on auth.users for each row when (new.deleted_at is null)
execute function private.create_profile();
