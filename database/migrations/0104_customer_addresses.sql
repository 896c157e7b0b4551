-- As before, but a word such as "alex@" is the beginning of an address first: a part of any address takes longer with every customer.
create or replace function public.search_customers(words text default '', most integer default 50) returns table (
  user_id uuid, full_name text, email text, phone text, created_at timestamptz, verified_until timestamptz, bookings integer, paid numeric,
  refunded numeric, block_reason text, blocked_until timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  patterns text[];
  beginning constant text := pg_catalog.regexp_replace(pg_catalog.lower(pg_catalog.btrim(pg_catalog.left(coalesce(words, ''), 200))), '([\\%_])', '\\\1', 'g') || '%';
  addressed uuid[];
begin
  perform private.require_permission('bookings');
  select coalesce(pg_catalog.array_agg('%' || pg_catalog.regexp_replace(pg_catalog.regexp_replace(w, '^0(\d+)$', '\1'), '([\\%_])', '\\\1', 'g') || '%'
    order by pg_catalog.length(w) desc), '{}')
  into patterns
  from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200) collate pg_catalog."und-x-icu"), '\s+') as w where w <> '';
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
      where i.user_id = f.user_id and i.verification_status = 'verified' and i.expires_at > pg_catalog.now()) v on true
    left join lateral (
      select count(*) filter (where b.status = 'confirmed') as bookings, pg_catalog.sum(x.paid) as paid, pg_catalog.sum(x.refunded) as refunded
      from private.booking b left join lateral (
        select pg_catalog.sum(y.paid_cents) as paid, pg_catalog.sum(y.refunded_cents) as refunded from private.payment y where y.booking_id = b.id) x on true
      where b.user_id = f.user_id and b.notes is distinct from 'test') m on true
    order by f.created_at desc, f.user_id;
end
$$;
