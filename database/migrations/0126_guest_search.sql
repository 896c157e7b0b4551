-- The search of staff also finds bookings of people without an account.

-- The words of a search as patterns for LIKE, the longest first. A number may begin with 0: stored numbers begin with the code of the country.
create function private.search_patterns(words text) returns text[] language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.array_agg('%' || pg_catalog.regexp_replace(pg_catalog.regexp_replace(w, '^0(\d+)$', '\1'), '([\\%_])', '\\\1', 'g') || '%'
    order by pg_catalog.length(w) desc), '{}')
  from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200) collate pg_catalog."und-x-icu"), '\s+') as w where w <> ''
$$;
revoke execute on function private.search_patterns(text) from public;

create index booking_guest_search on private.booking using gin (
  (lower((coalesce(guest_name, '') || ' ' || coalesce(guest_email, '') || ' ' || coalesce(contact_phone, '')) collate "und-x-icu")) extensions.gin_trgm_ops
) where user_id is null and waitlist_entry_id is null and moves_booking is null;
create index booking_guest_newest on private.booking (start_time desc, id)
  where user_id is null and waitlist_entry_id is null and moves_booking is null;
-- Without statistics of its expression the planner takes every word for a rare one.
analyze private.booking;

-- The bookings without an account whose name, address or phone number has every word, the latest hours first. It checks the caller first, because it
-- runs with its owner's rights.
create function public.search_guest_bookings(words text, most integer default 50) returns table (
  id uuid, reference text, studio_name text, start_time timestamptz, end_time timestamptz, status text, final_cost numeric,
  guest_name text, guest_email text, contact_phone text
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  patterns constant text[] := private.search_patterns(words);
begin
  perform private.require_permission('bookings');
  if pg_catalog.cardinality(patterns) = 0 then return; end if;
  return query
    select b.id, b.reference, b.studio_name, b.start_time, b.end_time, b.status, pg_catalog.round(b.final_cost_cents / 100.0, 2),
      b.guest_name, b.guest_email, b.contact_phone
    from private.booking b
    where b.user_id is null and b.waitlist_entry_id is null and b.moves_booking is null
      and pg_catalog.lower((coalesce(b.guest_name, '') || ' ' || coalesce(b.guest_email, '') || ' ' || coalesce(b.contact_phone, '')) collate pg_catalog."und-x-icu") like patterns[1]
      and pg_catalog.lower((coalesce(b.guest_name, '') || ' ' || coalesce(b.guest_email, '') || ' ' || coalesce(b.contact_phone, '')) collate pg_catalog."und-x-icu") like all (patterns[2:])
    order by b.start_time desc, b.id limit least(most, 200);
end
$$;
revoke execute on function public.search_guest_bookings(text, integer) from public, anon;
grant execute on function public.search_guest_bookings(text, integer) to authenticated, service_role;

-- As before, with the patterns of every search.
create or replace function public.search_customers(words text default '', most integer default 50) returns table (
  user_id uuid, full_name text, email text, phone text, created_at timestamptz, verified_until timestamptz, bookings integer, paid numeric,
  refunded numeric, block_reason text, blocked_until timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  patterns constant text[] := private.search_patterns(words);
  beginning constant text := pg_catalog.regexp_replace(pg_catalog.lower(pg_catalog.btrim(pg_catalog.left(coalesce(words, ''), 200))), '([\\%_])', '\\\1', 'g') || '%';
  addressed uuid[];
  v_identity constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('identity');
begin
  perform private.require_permission('bookings');
  if pg_catalog.strpos(beginning, '@') > 1 then
    select pg_catalog.array_agg(a.user_id) into addressed from (
      select p.user_id from public.profiles p where pg_catalog.lower(p.email) like beginning order by p.created_at desc, p.user_id limit least(most, 200)) a;
  end if;
  return query
    with found as (
      select p.user_id, p.full_name, p.email, p.phone, p.created_at from public.profiles p
      where p.user_id = any (addressed) or (addressed is null
        and pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, '')) collate pg_catalog."und-x-icu") like coalesce(patterns[1], '%')
        and pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, '')) collate pg_catalog."und-x-icu") like all (patterns[2:]))
      order by p.created_at desc, p.user_id limit least(most, 200)
    )
    select f.user_id, f.full_name, f.email, f.phone, f.created_at, v.until, coalesce(m.bookings, 0)::integer,
      (coalesce(m.paid, 0) / 100.0)::numeric(12, 2), (coalesce(m.refunded, 0) / 100.0)::numeric(12, 2),
      c.reason, c.until
    from found f
    left join private.customer_block c on c.user_id = f.user_id and private.is_blocked(f.user_id, pg_catalog.now())
    left join lateral (select pg_catalog.max(i.expires_at) as until from public.id_verifications i
      where v_identity and i.user_id = f.user_id and i.verification_status = 'verified' and i.expires_at > pg_catalog.now()) v on true
    left join lateral (
      select count(*) filter (where b.status = 'confirmed') as bookings, pg_catalog.sum(x.paid) as paid, pg_catalog.sum(x.refunded) as refunded
      from private.booking b left join lateral (
        select pg_catalog.sum(y.paid_cents) as paid, pg_catalog.sum(y.refunded_cents) as refunded from private.payment y where y.booking_id = b.id) x on true
      where b.user_id = f.user_id and b.notes is distinct from 'test') m on true
    order by f.created_at desc, f.user_id;
end
$$;
