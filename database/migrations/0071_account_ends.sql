-- A customer deletes the account, or downloads all that is stored about it.

-- Until when the buyer's name stays with a booking whose account is deleted; null where the account is there.
alter table private.booking add column name_until date;
create index booking_name_until on private.booking (name_until) where name_until is not null;

-- Tax law: records of a sale stay for five years. We count from the end of the financial year (30 June, Sydney) of the payment, or of its last refund.
create function private.tax_records_end(p_booking uuid) returns date language sql stable set search_path = '' as $$
  select pg_catalog.make_date(extract(year from pg_catalog.max(s.at) at time zone 'Australia/Sydney' + interval '6 months')::integer + 5, 6, 30)
  from (
    select coalesce(x.paid_at, x.created_at) as at from private.payment x
    where x.booking_id = p_booking and x.amount_cents > 0
      and x.state in ('paid', 'refund_pending', 'refunded', 'refund_failed', 'refund_manual', 'disputed', 'dispute_lost')
    union all
    select r.created_at from private.refund r join private.payment x on x.id = r.payment_id where x.booking_id = p_booking
  ) s
$$;

-- Removes the names of buyers whose records nobody has to keep any more. Returns their number.
create function private.forget_buyers(p_now timestamptz) returns integer language sql volatile set search_path = '' as $$
  with forgotten as (
    update private.booking b set guest_name = null, name_until = null
    where b.name_until < (p_now at time zone 'Australia/Sydney')::date returning 1
  )
  select count(*)::integer from forgotten
$$;

-- As before, except that the words and addresses about a deleted account go: who did what and when stays.
create or replace function private.refuse_audit_change() returns trigger language plpgsql set search_path = '' as $$
declare
  was constant jsonb := pg_catalog.to_jsonb(old);
  personal constant text[] := case tg_table_name when 'audit_logs' then '{details}' else '{payload,ip_address}' end::text[];
begin
  if tg_op = 'UPDATE' and pg_catalog.current_setting('private.erasing', true) = 'on'
     and pg_catalog.to_jsonb(new) - personal = was - personal
     and (pg_catalog.to_jsonb(new) ->> 'details' = '{"erased": true}'
       or (pg_catalog.to_jsonb(new) ->> 'ip_address' = '' and pg_catalog.to_jsonb(new) -> 'payload' = private.erased_event(was -> 'payload'))) then
    return new;
  end if;
  raise exception 'audit rows are never changed or removed' using errcode = '42501';
end
$$;

-- What stays of an event of a deleted account.
create function private.erased_event(p_payload jsonb) returns jsonb language sql immutable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('action', p_payload -> 'action', 'actor_id', p_payload -> 'actor_id', 'erased', true)
$$;

create function private.erase_audit_words(p_user uuid, p_email text) returns void language plpgsql volatile set search_path = '' as $$
declare
  containing constant text := '%' || pg_catalog.regexp_replace(coalesce(p_email, p_user::text), '([\\%_])', '\\\1', 'g') || '%';
begin
  perform pg_catalog.set_config('private.erasing', 'on', true);
  update public.audit_logs a set details = '{"erased": true}'
  where a.resource_type in ('customer_note', 'customer_message', 'customer_block') and a.resource_id = p_user::text
    or a.resource_type = 'id_verification'
      and a.resource_id in (select v.id::text from public.id_verifications v where v.user_id = p_user);
  -- The expression of the index audit_logs_search.
  update public.audit_logs a set details = '{"erased": true}'
  where (lower(a.action || ' ' || a.resource_type || ' ' || coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '') || ' ' || a.details::text))
      like containing and pg_catalog.lower(a.details::text) like containing;
  update auth.audit_log_entries e set ip_address = '', payload = private.erased_event(e.payload) where e.payload ->> 'actor_id' = p_user::text;
  perform pg_catalog.set_config('private.erasing', 'off', true);
end
$$;

-- Ends jobs that would write to the person, and deletes what earlier ones hold. Refunds, codes and the deletion of pictures run on.
create function private.erase_jobs(p_user uuid, p_email text, p_phone text) returns void language sql volatile set search_path = '' as $$
  with own as (select b.id from private.booking b where b.user_id = p_user)
  delete from private.outbox o
  where o.recipient in (p_email, p_phone) or o.kind like 'account-%' and o.subject_id = p_user
    or o.kind like any (array['mail.%', 'text.%']) and o.subject_id in (
      select p_user union all select id from own
      union all select x.id from private.payment x join own on own.id = x.booking_id
      union all select r.id from private.partial_refund r join private.payment x on x.id = r.payment_id join own on own.id = x.booking_id
      union all select c.id from public.booking_access_codes c join own on own.id = c.booking_id
      union all select v.id from public.id_verifications v where v.user_id = p_user
      union all select m.id from private.customer_message m where m.user_id = p_user
      union all select w.id from public.waitlist_entries w where w.user_id = p_user)
$$;

-- Deletes an account at once, with everything personal but what tax law makes us keep: paid bookings, their payments and the buyer's name.
--   {outcome: 'deleted', sessions: [ids that ended], kept: number of paid bookings, keptUntil: date | null}
--   {outcome: 'bookings', bookings: [{id, reference, studioName, startTime, endTime, status}]}   not over yet: the person decides about them first
--   {outcome: 'staff'}                                                                          owners remove staff from the team first
--   {outcome: 'not_found'}
create function private.delete_account(p_user uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_email text;
  v_phone text;
  v_name text;
  ahead jsonb;
  ended jsonb;
  kept integer;
  kept_until date;
begin
  -- As in hold_booking, so that no hold begins meanwhile.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || p_user::text, 0));
  select u.email, u.phone into v_email, v_phone from auth.users u where u.id = p_user and u.deleted_at is null for update;
  if not found then return '{"outcome": "not_found"}'; end if;
  if exists (select from public.user_roles r where r.user_id = p_user and r.role = 'admin') then return '{"outcome": "staff"}'; end if;
  select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status) order by b.start_time, b.id) into ahead
  from private.booking b where b.user_id = p_user and b.status in ('pending', 'confirmed') and b.end_time > p_now;
  if ahead is not null then return pg_catalog.jsonb_build_object('outcome', 'bookings', 'bookings', ahead); end if;

  select p.full_name into v_name from public.profiles p where p.user_id = p_user;
  -- A code for one customer would work for everybody without its address. Its audit row has the address, so this comes before their erasure.
  update public.discount_codes d set active = false, customer_email = null where d.customer_email = pg_catalog.lower(v_email);
  perform private.erase_audit_words(p_user, v_email);
  perform private.erase_jobs(p_user, v_email, v_phone);
  delete from public.mailing_list m where m.email = pg_catalog.lower(v_email);
  delete from private.staff_invitation i where i.email = pg_catalog.lower(v_email);
  delete from storage.objects o where o.owner = p_user;
  delete from storage.uploads o where o.owner = p_user;
  delete from public.scheduled_emails e using private.booking b where b.id = e.booking_id and b.user_id = p_user;
  delete from private.booking_note n using private.booking b where b.id = n.booking_id and b.user_id = p_user;
  delete from private.undo x using private.booking b where b.id = x.booking_id and b.user_id = p_user;
  delete from private.missing_id m using private.booking b where b.id = m.booking_id and b.user_id = p_user;
  update private.coupon_redemption r set user_id = null where r.user_id = p_user;
  -- Sessions as a guest with the same address.
  update private.booking b set guest_email = null where b.user_id is null and pg_catalog.lower(b.guest_email) = v_email and b.end_time <= p_now;

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
  delete from auth.users u where u.id = p_user;
  insert into auth.audit_log_entries (payload, created_at)
  values (pg_catalog.jsonb_build_object('action', 'user_deleted', 'actor_id', p_user), p_now);
  perform private.audit(p_user, 'delete', 'account', p_user::text, pg_catalog.jsonb_build_object('bookings_kept', kept));
  return pg_catalog.jsonb_build_object('outcome', 'deleted', 'sessions', ended, 'kept', kept, 'keptUntil', kept_until);
end
$$;

create function private.export_booking(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('reference', b.reference, 'room', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status,
    'cancelReason', b.cancel_reason, 'hours', b.slots, 'contactPhone', b.contact_phone, 'termsVersion', b.terms_version, 'coupon', b.coupon_terms,
    'base', (b.base_cost_cents / 100.0)::numeric(10, 2), 'discount', ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2),
    'total', (b.final_cost_cents / 100.0)::numeric(10, 2), 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at, 'cancelledAt', b.cancelled_at,
    'payments', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('state', x.state, 'amount', (x.amount_cents / 100.0)::numeric(10, 2),
      'paidAt', x.paid_at, 'refunded', (x.refunded_cents / 100.0)::numeric(10, 2)) order by x.created_at), '[]') from private.payment x where x.booking_id = b.id),
    'moves', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', m.created_at, 'fromStartTime', m.from_start_time,
      'toStartTime', m.start_time) order by m.number), '[]') from private.booking_move m where m.booking_id = b.id),
    'doorCodes', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('issuedAt', c.issued_at, 'seenAt', c.seen_at, 'usedAt', c.used_at)
      order by c.created_at), '[]') from public.booking_access_codes c where c.booking_id = b.id))
$$;

-- All that is stored about a person, without secrets and without what staff wrote for each other; null when there is no such account.
create function private.export_account(p_user uuid, p_now timestamptz) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'exportedAt', p_now,
    'account', pg_catalog.jsonb_build_object('id', u.id, 'email', u.email, 'emailConfirmedAt', u.email_confirmed_at, 'phone', u.phone,
      'createdAt', u.created_at, 'lastSignInAt', u.last_sign_in_at, 'givenAtSignUp', u.raw_user_meta_data),
    'profile', (select pg_catalog.to_jsonb(p) - '{id,user_id}'::text[] from public.profiles p where p.user_id = u.id),
    'signInMethods', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('provider', i.provider, 'data', i.identity_data,
      'createdAt', i.created_at) order by i.created_at), '[]') from auth.identities i where i.user_id = u.id),
    'devices', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('signedInAt', s.created_at, 'lastUsedAt', s.refreshed_at,
      'browser', s.user_agent, 'ip', s.ip) order by s.created_at), '[]') from auth.sessions s where s.user_id = u.id),
    'passkeys', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', w.friendly_name, 'createdAt', w.created_at,
      'lastUsedAt', w.last_used_at) order by w.created_at), '[]') from auth.webauthn_credentials w where w.user_id = u.id),
    'secondSteps', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', f.friendly_name, 'type', f.factor_type, 'phone', f.phone,
      'createdAt', f.created_at) order by f.created_at), '[]') from auth.mfa_factors f where f.user_id = u.id),
    'termsAccepted', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('version', t.version, 'at', t.accepted_at) order by t.accepted_at), '[]')
      from public.terms_acceptances t where t.user_id = u.id),
    'idChecks', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(v) - '{id,user_id,image_path,ai_raw_response}'::text[]
      || pg_catalog.jsonb_build_object('pictureKept', v.image_path is not null) order by v.created_at), '[]') from public.id_verifications v where v.user_id = u.id),
    'bookings', (select coalesce(pg_catalog.jsonb_agg(private.export_booking(b) order by b.start_time), '[]') from private.booking b where b.user_id = u.id),
    'waitList', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(w) - '{id,user_id}'::text[] order by w.created_at), '[]')
      from public.waitlist_entries w where w.user_id = u.id),
    'draft', (select d.data from public.booking_drafts d where d.user_id = u.id),
    'mailingList', (select pg_catalog.jsonb_build_object('joinedAt', m.consented_at, 'leftAt', m.unsubscribed_at) from public.mailing_list m
      where m.email = pg_catalog.lower(u.email)),
    'emailsFromStaff', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', m.created_at, 'subject', m.subject, 'text', m.body)
      order by m.created_at), '[]') from private.customer_message m where m.user_id = u.id),
    'files', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('bucket', o.bucket_id, 'name', o.name, 'type', o.content_type, 'bytes', o.size,
      'createdAt', o.created_at) order by o.created_at), '[]') from storage.objects o where o.owner = u.id),
    'events', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', e.created_at, 'action', e.payload -> 'action', 'ip', e.ip_address)
      order by e.created_at), '[]') from auth.audit_log_entries e where e.payload ->> 'actor_id' = u.id::text))
  from auth.users u where u.id = p_user and u.deleted_at is null
$$;
