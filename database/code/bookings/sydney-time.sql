-- Returns how many seconds Sydney's clocks are ahead of UTC at an instant.
create or replace function private.studio_offset(p_at timestamptz) returns integer
language sql immutable set search_path = '' as $$
  select pg_catalog.date_part('epoch', (p_at at time zone 'Australia/Sydney') - (p_at at time zone 'UTC'))::integer
$$;

-- Splits a range of time where Sydney's clocks change. Returns its parts, each with the offset from UTC in seconds.
create or replace function private.studio_offsets(p_from timestamptz, p_to timestamptz)
returns table (starts timestamptz, ends timestamptz, "offset" integer)
language sql stable rows 3 set search_path = '' as $$
  with change as (
    select h.at from pg_catalog.generate_series(p_from, p_to, interval '1 day') d(at)
    cross join lateral pg_catalog.generate_series(
      d.at + interval '1 hour', d.at + interval '1 day', interval '1 hour') h(at)
    where private.studio_offset(d.at) <> private.studio_offset(d.at + interval '1 day')
      and private.studio_offset(h.at) <> private.studio_offset(h.at - interval '1 hour') and h.at < p_to
    union select p_from
  )
  select c.at, coalesce(lead(c.at) over (order by c.at), p_to), private.studio_offset(c.at) from change c
$$;
