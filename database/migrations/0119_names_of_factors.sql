-- Names of second factors and passkeys have no hidden characters, as names in profiles have none.

-- Rows from before lose them. A name that equals another one of the account without them gets a number.
update auth.mfa_factors f set friendly_name = case
    when exists (select from auth.mfa_factors o where o.user_id = f.user_id and o.id <> f.id and private.plain(o.friendly_name) = private.plain(f.friendly_name))
      then pg_catalog.btrim(pg_catalog.left(private.plain(f.friendly_name), 90) || ' ' || pg_catalog.left(f.id::text, 8))
    else private.plain(f.friendly_name) end
where not private.is_plain(f.friendly_name);
update auth.webauthn_credentials w set friendly_name = private.plain(w.friendly_name) where not private.is_plain(w.friendly_name);

alter table auth.mfa_factors add constraint mfa_factors_plain check (private.is_plain(friendly_name));
alter table auth.webauthn_credentials add constraint webauthn_credentials_plain check (private.is_plain(friendly_name));

-- Adds the email addresses that are reserved for the account, because it had them earlier, to the export.
create or replace function private.export_account(p_user uuid, p_now timestamptz) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'exportedAt', p_now,
    'account', pg_catalog.jsonb_build_object('id', u.id, 'email', u.email, 'emailConfirmedAt', u.email_confirmed_at, 'phone', u.phone,
      'createdAt', u.created_at, 'lastSignInAt', u.last_sign_in_at, 'givenAtSignUp', u.raw_user_meta_data),
    'earlierAddresses', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('email', r.email, 'phone', r.phone, 'replacedAt', r.replaced_at,
      'reservedUntil', r.expires_at) order by r.replaced_at), '[]') from auth.replaced_emails r where r.user_id = u.id and r.expires_at > p_now),
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
