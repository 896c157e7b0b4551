-- Words that staff wrote about a person's bookings go with the account, and so do the page and the saved card of its payments.

-- What the audit log can name of a person's bookings, with the resource type of its rows.
create function private.things_of_bookings(p_user uuid) returns table (kind text, id uuid) language sql stable set search_path = '' as $$
  with own as (select b.id from private.booking b where b.user_id = p_user),
    paid as (select x.id from private.payment x join own on own.id = x.booking_id),
    parts as (select r.id from private.partial_refund r join paid on paid.id = r.payment_id),
    subjects as (select id from own union all select id from paid union all select id from parts)
  select 'booking', own.id from own
  union all select 'payment', paid.id from paid
  union all select 'refund', parts.id from parts
  union all select 'incident', i.id from private.incident i join own on own.id = i.booking_id
  -- Jobs that staff closed, with what they did instead.
  union all select 'outbox', o.id from private.outbox o join subjects on subjects.id = o.subject_id
$$;

-- As before, with what staff wrote about the person's bookings.
create or replace function private.erase_audit_words(p_user uuid, p_email text) returns void language plpgsql volatile set search_path = '' as $$
declare
  containing constant text := '%' || pg_catalog.regexp_replace(coalesce(p_email, p_user::text), '([\\%_])', '\\\1', 'g') || '%';
begin
  perform pg_catalog.set_config('private.erasing', 'on', true);
  update public.audit_logs a set details = '{"erased": true}'
  where a.resource_type in ('customer_note', 'customer_message', 'customer_block') and a.resource_id = p_user::text
    or a.resource_type = 'id_verification'
      and a.resource_id in (select v.id::text from public.id_verifications v where v.user_id = p_user);
  -- What staff wrote about the person's bookings: reasons, notes and descriptions. What the person did has no words, and amounts are in their own tables.
  update public.audit_logs a set details = '{"erased": true}' from private.things_of_bookings(p_user) t
  where a.resource_type = t.kind and a.resource_id = t.id::text and a.actor is not null and a.actor <> p_user;
  -- The expression of the index audit_logs_search.
  update public.audit_logs a set details = '{"erased": true}'
  where (lower(a.action || ' ' || a.resource_type || ' ' || coalesce(a.resource_id, '') || ' ' || coalesce(a.actor::text, '') || ' ' || a.details::text))
      like containing and pg_catalog.lower(a.details::text) like containing;
  update auth.audit_log_entries e set ip_address = '', payload = private.erased_event(e.payload) where e.payload ->> 'actor_id' = p_user::text;
  perform pg_catalog.set_config('private.erasing', 'off', true);
end
$$;

-- As before, with the words of staff about bookings, and with the page and the card of payments.
-- Deletes an account at once, with everything personal but what tax law makes us keep: paid bookings, their payments and the buyer's name.
--   {outcome: 'deleted', sessions: [ids that ended], kept: number of paid bookings, keptUntil: date | null}
--   {outcome: 'bookings', bookings: [{id, reference, studioName, startTime, endTime, status}]}   not over yet: the person decides about them first
--   {outcome: 'staff'}                                                                          owners remove staff from the team first
--   {outcome: 'not_found'}
create or replace function private.delete_account(p_user uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
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
  update public.discount_codes d set active = false, customer_email = null, description = null where d.customer_email = pg_catalog.lower(v_email);
  perform private.erase_audit_words(p_user, v_email);
  perform private.erase_jobs(p_user, v_email, v_phone);
  delete from public.mailing_list m where m.email = pg_catalog.lower(v_email);
  delete from private.staff_invitation i where i.email = pg_catalog.lower(v_email);
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
