-- The searches of staff for customers and for bookings of guests. Both run with their owner's rights, because a text
-- index cannot serve a table with a policy, so they check the caller first.

-- Returns the customers whose name, address or phone number has all of the words, newest first, with what they have
-- booked and paid; all customers if there are no words. `most` is the length of the list, at most 200. `bookings`
-- counts confirmed bookings, and `paid` and `refunded` are in dollars; test bookings are left out. Requires the
-- permission for bookings; `verified_until`, the end of the verified ID, is null without the permission for IDs.
create or replace function public.search_customers(words text default '', most integer default 50)
returns table (
  user_id uuid, full_name text, email text, phone text, created_at timestamptz, verified_until timestamptz,
  bookings integer, paid numeric, refunded numeric, block_reason text, blocked_until timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_patterns constant text[] := private.search_patterns(words);
  v_beginning constant text := pg_catalog.regexp_replace(
    pg_catalog.lower(pg_catalog.btrim(pg_catalog.left(coalesce(words, ''), 200))), '([\\%_])', '\\\1', 'g') || '%';
  v_addressed uuid[];
  v_identity constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('identity');
begin
  perform private.require_permission('bookings');
  -- Words such as "alex@" are first searched as the beginning of an address: a search for them in any part of an
  -- address takes longer with every customer.
  if pg_catalog.strpos(v_beginning, '@') > 1 then
    select pg_catalog.array_agg(a.user_id) into v_addressed from (
      select p.user_id from public.profiles p where pg_catalog.lower(p.email) like v_beginning
      order by p.created_at desc, p.user_id limit least(most, 200)) a;
  end if;
  return query
    with found as (
      select p.user_id, p.full_name, p.email, p.phone, p.created_at from public.profiles p
      -- The longest word has its own condition: no index serves `like all`, which alone would read every profile.
      where p.user_id = any (v_addressed) or (v_addressed is null
        and pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, ''))
          collate pg_catalog."und-x-icu") like coalesce(v_patterns[1], '%')
        and pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, ''))
          collate pg_catalog."und-x-icu") like all (v_patterns[2:]))
      order by p.created_at desc, p.user_id limit least(most, 200)
    )
    select f.user_id, f.full_name, f.email, f.phone, f.created_at, v.until, coalesce(m.bookings, 0)::integer,
      (coalesce(m.paid, 0) / 100.0)::numeric(12, 2), (coalesce(m.refunded, 0) / 100.0)::numeric(12, 2),
      c.reason, c.until
    from found f
    left join private.customer_block c on c.user_id = f.user_id and private.is_blocked(f.user_id, pg_catalog.now())
    left join lateral (
      select pg_catalog.max(i.expires_at) as until from public.id_verifications i
      where v_identity and i.user_id = f.user_id and i.verification_status = 'verified'
        and i.expires_at > pg_catalog.now()) v on true
    left join lateral (
      select count(*) filter (where b.status = 'confirmed') as bookings,
        pg_catalog.sum(x.paid) as paid, pg_catalog.sum(x.refunded) as refunded
      from private.booking b
      left join lateral (
        select pg_catalog.sum(y.paid_cents) as paid, pg_catalog.sum(y.refunded_cents) as refunded
        from private.payment y where y.booking_id = b.id) x on true
      where b.user_id = f.user_id and b.notes is distinct from 'test') m on true
    order by f.created_at desc, f.user_id;
end
$$;
grant execute on function public.search_customers(text, integer) to authenticated;

-- Returns the bookings without an account whose guest's name, address or phone number has all of the words, the
-- latest hours first; no rows if there are no words. `most` is the length of the list, at most 200. `final_cost` is
-- in dollars. Requires the permission for bookings.
create or replace function public.search_guest_bookings(words text, most integer default 50)
returns table (
  id uuid, reference text, studio_name text, start_time timestamptz, end_time timestamptz, status text,
  final_cost numeric, guest_name text, guest_email text, contact_phone text
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_patterns constant text[] := private.search_patterns(words);
begin
  perform private.require_permission('bookings');
  if pg_catalog.cardinality(v_patterns) = 0 then return; end if;
  return query
    select b.id, b.reference, b.studio_name, b.start_time, b.end_time, b.status,
      pg_catalog.round(b.final_cost_cents / 100.0, 2), b.guest_name, b.guest_email, b.contact_phone
    from private.booking b
    where b.user_id is null and b.waitlist_entry_id is null and b.moves_booking is null
      and pg_catalog.lower((coalesce(b.guest_name, '') || ' ' || coalesce(b.guest_email, '') || ' '
        || coalesce(b.contact_phone, '')) collate pg_catalog."und-x-icu") like v_patterns[1]
      and pg_catalog.lower((coalesce(b.guest_name, '') || ' ' || coalesce(b.guest_email, '') || ' '
        || coalesce(b.contact_phone, '')) collate pg_catalog."und-x-icu") like all (v_patterns[2:])
    order by b.start_time desc, b.id limit least(most, 200);
end
$$;
grant execute on function public.search_guest_bookings(text, integer) to authenticated;

-- Returns the words of a search as patterns for LIKE, in lower case, the longest first. The 0 at the beginning of a
-- number is left out, because stored phone numbers begin with the country code instead.
create or replace function private.search_patterns(words text) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.array_agg(
    '%' || pg_catalog.regexp_replace(pg_catalog.regexp_replace(w, '^0(\d+)$', '\1'), '([\\%_])', '\\\1', 'g') || '%'
    order by pg_catalog.length(w) desc), '{}')
  from pg_catalog.regexp_split_to_table(
    pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200) collate pg_catalog."und-x-icu"), '\s+') as w
  where w <> ''
$$;
