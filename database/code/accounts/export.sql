-- Returns what is stored about an account as one JSON object, for its customer; null if there is no such account. The
-- caller adds private.export_crew and private.export_feedback. Secrets are left out, and so is what staff write for
-- each other, such as notes and the reason of a block.
create or replace function private.export_account(p_user uuid, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'exportedAt', p_now,
    'account', pg_catalog.jsonb_build_object(
      'id', u.id, 'email', u.email, 'emailConfirmedAt', u.email_confirmed_at, 'phone', u.phone,
      'createdAt', u.created_at, 'lastSignInAt', u.last_sign_in_at, 'givenAtSignUp', u.raw_user_meta_data),
    -- Addresses that the account had before and that are still reserved for it.
    'earlierAddresses', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'email', r.email, 'phone', r.phone, 'replacedAt', r.replaced_at, 'reservedUntil', r.expires_at)
        order by r.replaced_at), '[]')
      from auth.replaced_emails r
      where r.user_id = u.id and r.expires_at > p_now),
    'profile', (
      select pg_catalog.to_jsonb(p) - '{id,user_id}'::text[]
      from public.profiles p
      where p.user_id = u.id),
    'signInMethods', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'provider', i.provider, 'data', i.identity_data, 'createdAt', i.created_at)
        order by i.created_at), '[]')
      from auth.identities i
      where i.user_id = u.id),
    'devices', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'signedInAt', s.created_at, 'lastUsedAt', s.refreshed_at, 'browser', s.user_agent, 'ip', s.ip)
        order by s.created_at), '[]')
      from auth.sessions s
      where s.user_id = u.id),
    'passkeys', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'name', w.friendly_name, 'createdAt', w.created_at, 'lastUsedAt', w.last_used_at)
        order by w.created_at), '[]')
      from auth.webauthn_credentials w
      where w.user_id = u.id),
    'secondSteps', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'name', f.friendly_name, 'type', f.factor_type, 'phone', f.phone, 'createdAt', f.created_at)
        order by f.created_at), '[]')
      from auth.mfa_factors f
      where f.user_id = u.id),
    'termsAccepted', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'version', t.version, 'at', t.accepted_at)
        order by t.accepted_at), '[]')
      from public.terms_acceptances t
      where t.user_id = u.id),
    'idChecks', (
      select coalesce(pg_catalog.jsonb_agg(
        pg_catalog.to_jsonb(v) - '{id,user_id,image_path,ai_raw_response}'::text[]
          || pg_catalog.jsonb_build_object('pictureKept', v.image_path is not null)
        order by v.created_at), '[]')
      from public.id_verifications v
      where v.user_id = u.id),
    'bookings', (
      select coalesce(pg_catalog.jsonb_agg(private.export_booking(b) order by b.start_time), '[]')
      from private.booking b
      where b.user_id = u.id),
    'waitList', (
      select coalesce(pg_catalog.jsonb_agg(
        pg_catalog.to_jsonb(w) - '{id,user_id}'::text[] order by w.created_at), '[]')
      from public.waitlist_entries w
      where w.user_id = u.id),
    'draft', (select d.data from public.booking_drafts d where d.user_id = u.id),
    'mailingList', (
      select pg_catalog.jsonb_build_object('joinedAt', m.consented_at, 'leftAt', m.unsubscribed_at)
      from public.mailing_list m
      where m.email = pg_catalog.lower(u.email)),
    'emailsFromStaff', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'at', m.created_at, 'subject', m.subject, 'text', m.body)
        order by m.created_at), '[]')
      from private.customer_message m
      where m.user_id = u.id),
    'files', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'bucket', o.bucket_id, 'name', o.name, 'type', o.content_type, 'bytes', o.size, 'createdAt', o.created_at)
        order by o.created_at), '[]')
      from storage.objects o
      where o.owner = u.id),
    'events', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'at', e.created_at, 'action', e.payload -> 'action', 'ip', e.ip_address)
        order by e.created_at), '[]')
      from auth.audit_log_entries e
      where e.payload ->> 'actor_id' = u.id::text))
  from auth.users u
  where u.id = p_user and u.deleted_at is null
$$;

-- Returns a booking with its payments, documents, moves, passes and access codes, for the export of an account. Amounts
-- are in dollars with two decimals.
create or replace function private.export_booking(b private.booking) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'reference', b.reference, 'room', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time,
    'status', b.status, 'cancelReason', b.cancel_reason, 'hours', b.slots, 'contactPhone', b.contact_phone,
    'termsVersion', b.terms_version, 'coupon', b.coupon_terms,
    'base', (b.base_cost_cents / 100.0)::numeric(10, 2),
    'discount', ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2),
    'total', (b.final_cost_cents / 100.0)::numeric(10, 2),
    'createdAt', b.created_at, 'confirmedAt', b.confirmed_at, 'cancelledAt', b.cancelled_at,
    'payments', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'state', x.state, 'amount', (x.amount_cents / 100.0)::numeric(10, 2), 'paidAt', x.paid_at,
        'refunded', (x.refunded_cents / 100.0)::numeric(10, 2))
        order by x.created_at), '[]')
      from private.payment x
      where x.booking_id = b.id),
    'documents', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'number', d.number, 'kind', d.kind, 'issuedAt', d.issued_at, 'voidedAt', d.voided_at,
        'amount', (d.cents / 100.0)::numeric(10, 2), 'content', d.content)
        order by d.number), '[]')
      from private.document d
      where d.booking_id = b.id),
    'moves', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'at', m.created_at, 'fromStartTime', m.from_start_time, 'toStartTime', m.start_time)
        order by m.number), '[]')
      from private.booking_move m
      where m.booking_id = b.id),
    'passes', (
      select pg_catalog.jsonb_build_object(
        'appleAt', w.apple_at, 'googleAt', w.google_at,
        'phones', (
          select coalesce(pg_catalog.jsonb_agg(d.created_at order by d.created_at), '[]')
          from private.pass_device d
          where d.booking_id = w.booking_id))
      from private.wallet_pass w
      where w.booking_id = b.id),
    'doorCodes', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'issuedAt', c.issued_at, 'seenAt', c.seen_at, 'usedAt', c.used_at)
        order by c.created_at), '[]')
      from public.booking_access_codes c
      where c.booking_id = b.id))
$$;
