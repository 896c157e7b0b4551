-- Deletes an account for its owner and logs it. Returns {outcome: 'deleted', sessions, kept, keptUntil} as
-- private.erase_account, or what private.refuse_deletion returns.
create or replace function private.delete_account(p_user uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_account auth.users;
  v_refused constant jsonb := private.refuse_deletion(p_user, p_now);
  v_erased jsonb;
begin
  if v_refused is not null then return v_refused; end if;
  select * into v_account from auth.users u where u.id = p_user;
  v_erased := private.erase_account(p_user, v_account.email, v_account.phone, p_now);
  delete from auth.users u where u.id = p_user;
  insert into auth.audit_log_entries (payload, created_at)
  values (pg_catalog.jsonb_build_object('action', 'user_deleted', 'actor_id', p_user), p_now);
  perform private.audit(p_user, 'delete', 'account', p_user::text,
    pg_catalog.jsonb_build_object('bookings_kept', v_erased -> 'kept'));
  return v_erased || '{"outcome": "deleted"}';
end
$$;

-- Deletes an account for the service key, with the same erasure as for its owner. The caller records the account event.
-- p_softly keeps a row in auth.users with the account's id and the times of its creation and deletion; everything that
-- refers to the account is deleted in both cases. Returns the same as private.delete_account; a refusal because of the
-- team or bookings also has a message for developers, which names the call to make first.
create or replace function private.delete_account_by_service(p_user uuid, p_softly boolean, p_now timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_account auth.users;
  v_refused constant jsonb := private.refuse_deletion(p_user, p_now);
  v_erased jsonb;
begin
  if v_refused is not null then
    return v_refused || pg_catalog.jsonb_build_object('message', case v_refused ->> 'outcome'
      when 'staff' then
        'This account is on the team. An owner has to remove it from the team first (/functions/v1/staff-remove), so that its codes and calendars end.'
      when 'bookings' then
        'This account has bookings that are not over. Cancel them first (/functions/v1/staff-cancel-booking), so that money and access codes are dealt with.'
    end);
  end if;
  select * into v_account from auth.users u where u.id = p_user;
  v_erased := private.erase_account(p_user, v_account.email, v_account.phone, p_now);
  delete from auth.users u where u.id = p_user;
  if p_softly then
    insert into auth.users (id, created_at, deleted_at) values (p_user, v_account.created_at, p_now);
  end if;
  perform private.audit(null, 'delete', 'account', p_user::text,
    pg_catalog.jsonb_build_object('bookings_kept', v_erased -> 'kept'));
  return v_erased || '{"outcome": "deleted"}';
end
$$;

-- Locks an account before its deletion. Returns null if the account can be deleted, otherwise {outcome: 'not_found'},
-- {outcome: 'staff'}, or {outcome: 'bookings', bookings} with the bookings that are not over.
create or replace function private.refuse_deletion(p_user uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_ahead jsonb;
begin
  -- The lock that private.hold_booking takes, so that no hold begins in the meantime.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || p_user::text, 0));
  perform from auth.users u where u.id = p_user and u.deleted_at is null for update;
  if not found then return '{"outcome": "not_found"}'; end if;
  if exists (select from public.user_roles r where r.user_id = p_user and r.role = 'admin') then
    return '{"outcome": "staff"}';
  end if;
  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
    'id', b.id, 'reference', b.reference, 'studioName', b.studio_name, 'startTime', b.start_time,
    'endTime', b.end_time, 'status', b.status) order by b.start_time, b.id)
  into v_ahead
  from private.booking b
  where b.user_id = p_user and b.status in ('pending', 'confirmed') and b.end_time > p_now;
  if v_ahead is not null then
    return pg_catalog.jsonb_build_object('outcome', 'bookings', 'bookings', v_ahead);
  end if;
  return null;
end
$$;

-- Erases all personal data of an account except what tax law requires: paid bookings, their payments and the buyer's
-- name. The caller deletes the row in auth.users afterwards. Returns {sessions, kept, keptUntil}: the ids of the ended
-- sessions, the number of paid bookings that are kept, and the last date until which a name is kept.
create or replace function private.erase_account(p_user uuid, p_email text, p_phone text, p_now timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_name text;
  v_ended jsonb;
  v_kept integer;
  v_kept_until date;
begin
  select p.full_name into v_name from public.profiles p where p.user_id = p_user;
  -- Without its address, a code for one customer would work for all customers, so the code is deactivated. This writes
  -- the address to the audit log and therefore comes before the erasure of audit entries.
  update public.discount_codes d set active = false, customer_email = null, description = null
  where d.customer_email = pg_catalog.lower(p_email);
  perform private.erase_audit_words(p_user, p_email);
  perform private.erase_jobs(p_user, p_email, p_phone);
  delete from public.mailing_list m where m.email = pg_catalog.lower(p_email);
  delete from private.staff_invitation i where i.email = pg_catalog.lower(p_email);
  delete from storage.objects o where o.owner = p_user;
  delete from storage.uploads o where o.owner = p_user;
  delete from public.scheduled_emails e using private.booking b where b.id = e.booking_id and b.user_id = p_user;
  -- Rows with reasons that staff wrote, and staff reports about sessions, stay for their amounts and numbers. Their
  -- texts are erased.
  update private.cancellation c set reason = 'erased'
  from private.booking b
  where b.id = c.booking_id and b.user_id = p_user;
  update private.partial_refund r set reason = 'erased'
  from private.payment x join private.booking b on b.id = x.booking_id
  where x.id = r.payment_id and b.user_id = p_user;
  update private.incident i
  set description = 'erased', photos = '{}', answer = case when i.answer is not null then 'erased' end
  from private.booking b
  where b.id = i.booking_id and b.user_id = p_user and i.customer_id is null;
  -- The pay page shows the customer's address, and the card is one that the customer saved.
  update private.payment x set url = null, card = null
  from private.booking b
  where b.id = x.booking_id and b.user_id = p_user and (x.url is not null or x.card is not null);
  delete from private.booking_note n using private.booking b where b.id = n.booking_id and b.user_id = p_user;
  delete from private.undo x using private.booking b where b.id = x.booking_id and b.user_id = p_user;
  delete from private.missing_id m using private.booking b where b.id = m.booking_id and b.user_id = p_user;
  update private.coupon_redemption r set user_id = null where r.user_id = p_user;
  -- Past bookings without an account that have the same address.
  update private.booking b set guest_email = null
  where b.user_id is null and pg_catalog.lower(b.guest_email) = p_email and b.end_time <= p_now;

  with own as (
    update private.booking b set user_id = null, contact_phone = null, guest_email = null, id_verification_id = null,
      notes = case when b.notes = 'test' then b.notes end,
      name_until = private.tax_records_end(b.id),
      guest_name = case when private.tax_records_end(b.id) is not null
        then coalesce(b.guest_name, pg_catalog.left(v_name, 200)) end
    where b.user_id = p_user
    returning b.name_until
  )
  select count(own.name_until), pg_catalog.max(own.name_until) into v_kept, v_kept_until from own;

  with gone as (delete from auth.sessions s where s.user_id = p_user returning s.id)
  select coalesce(pg_catalog.jsonb_agg(gone.id), '[]') into v_ended from gone;
  return pg_catalog.jsonb_build_object('sessions', v_ended, 'kept', v_kept, 'keptUntil', v_kept_until);
end
$$;

-- Erases free text, email addresses and IP addresses from the audit entries about a person. The entries still record
-- who did what and when. If p_email is null, because the account has no address, entries that contain the account's id
-- are erased instead of those that contain the address.
create or replace function private.erase_audit_words(p_user uuid, p_email text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_containing constant text :=
    '%' || pg_catalog.regexp_replace(coalesce(p_email, p_user::text), '([\\%_])', '\\\1', 'g') || '%';
begin
  perform pg_catalog.set_config('private.erasing', 'on', true);
  update public.audit_logs a set details = '{"erased": true}'
  where a.resource_type in ('customer_note', 'customer_message', 'customer_block') and a.resource_id = p_user::text
    or a.resource_type = 'id_verification'
      and a.resource_id in (select v.id::text from public.id_verifications v where v.user_id = p_user);
  -- What staff wrote about the person's bookings: reasons, notes and descriptions. Entries about what the person did
  -- contain no such words, and the amounts are in their own tables.
  update public.audit_logs a set details = '{"erased": true}'
  from private.things_of_bookings(p_user) t
  where a.resource_type = t.kind and a.resource_id = t.id::text and a.actor is not null and a.actor <> p_user;
  -- The expression must be the same as in the index audit_logs_search.
  update public.audit_logs a set details = '{"erased": true}'
  where (lower(a.action || ' ' || a.resource_type || ' ' || coalesce(a.resource_id, '') || ' '
      || coalesce(a.actor::text, '') || ' ' || a.details::text)) like v_containing
    and pg_catalog.lower(a.details::text) like v_containing;
  update auth.audit_log_entries e set ip_address = '', payload = private.erased_event(e.payload)
  where e.payload ->> 'actor_id' = p_user::text;
  perform pg_catalog.set_config('private.erasing', 'off', true);
end
$$;

-- Returns what remains of the payload of an account event after the account was deleted.
create or replace function private.erased_event(p_payload jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'action', p_payload -> 'action', 'actor_id', p_payload -> 'actor_id', 'erased', true)
$$;

-- Deletes the jobs, waiting and done, that contact a person or contain their address or number. Refunds, codes and the
-- deletion of pictures still run.
create or replace function private.erase_jobs(p_user uuid, p_email text, p_phone text) returns void
language sql volatile set search_path = '' as $$
  with own as (select b.id from private.booking b where b.user_id = p_user)
  delete from private.outbox o
  where o.recipient in (p_email, p_phone)
    or o.kind like 'account-%' and o.subject_id = p_user
    or o.kind like any (array['mail.%', 'text.%']) and o.subject_id in (
      select p_user
      union all
      select id from own
      union all
      select x.id from private.payment x join own on own.id = x.booking_id
      union all
      select r.id from private.partial_refund r
      join private.payment x on x.id = r.payment_id
      join own on own.id = x.booking_id
      union all
      select c.id from public.booking_access_codes c join own on own.id = c.booking_id
      union all
      select v.id from public.id_verifications v where v.user_id = p_user
      union all
      select m.id from private.customer_message m where m.user_id = p_user
      union all
      select w.id from public.waitlist_entries w where w.user_id = p_user)
$$;

-- Returns the last date for which tax law requires the records of a booking's sale; null if nothing was paid. Records
-- must be kept for five years. We count from the end of the financial year (30 June, Sydney) of the payment or of its
-- last refund.
create or replace function private.tax_records_end(p_booking uuid) returns date
language sql stable set search_path = '' as $$
  select pg_catalog.make_date(
    extract(year from pg_catalog.max(s.at) at time zone 'Australia/Sydney' + interval '6 months')::integer + 5, 6, 30)
  from (
    select coalesce(x.paid_at, x.created_at) as at from private.payment x
    where x.booking_id = p_booking and x.amount_cents > 0
      and x.state in (
        'paid', 'refund_pending', 'refunded', 'refund_failed', 'refund_manual', 'disputed', 'dispute_lost')
    union all
    select r.created_at from private.refund r
    join private.payment x on x.id = r.payment_id
    where x.booking_id = p_booking
  ) s
$$;

-- Removes the names of buyers once their sales records do not have to be kept. Returns the number of bookings changed.
create or replace function private.forget_buyers(p_now timestamptz) returns integer
language sql volatile set search_path = '' as $$
  with forgotten as (
    update private.booking b set guest_name = null, name_until = null
    where b.name_until < (p_now at time zone 'Australia/Sydney')::date
    returning 1
  )
  select count(*)::integer from forgotten
$$;
