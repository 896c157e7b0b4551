-- Customers as staff find them: by parts of name, address and phone number.

-- With a collation of Unicode: in a database whose locale is C, lower() changes A to Z only.
create index profiles_search on public.profiles using gin (
  (lower((coalesce(full_name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(phone, '')) collate "und-x-icu")) extensions.gin_trgm_ops
);
-- Without statistics of its expression the planner takes every word for a rare one.
analyze public.profiles;

-- The customers that every one of the words names, newest first, with what they have booked and paid. A number may begin with 0: stored numbers
-- begin with the code of the country. It runs with its owner's rights, because a table with a policy cannot be searched by a text index; so
-- it checks the caller first.
create function public.search_customers(words text default '', most integer default 50) returns table (
  user_id uuid, full_name text, email text, phone text, created_at timestamptz, verified_until timestamptz, bookings integer, paid numeric,
  refunded numeric, block_reason text, blocked_until timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  patterns text[];
begin
  perform private.require_permission('bookings');
  select coalesce(pg_catalog.array_agg('%' || pg_catalog.regexp_replace(pg_catalog.regexp_replace(w, '^0(\d+)$', '\1'), '([\\%_])', '\\\1', 'g') || '%'), '{}')
  into patterns
  from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(words, ''), 200) collate pg_catalog."und-x-icu"), '\s+') as w where w <> '';
  return query
    with found as (
      select p.user_id, p.full_name, p.email, p.phone, p.created_at from public.profiles p
      where pg_catalog.lower((coalesce(p.full_name, '') || ' ' || coalesce(p.email, '') || ' ' || coalesce(p.phone, '')) collate pg_catalog."und-x-icu") like all (patterns)
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
grant execute on function public.search_customers(text, integer) to authenticated;
