-- Whether a list of prices has exactly `length` elements, each between low and high, without gaps. False for null.
create or replace function private.is_filled(list integer[], length integer, low integer, high integer) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(
    pg_catalog.array_ndims(list) = 1
      and pg_catalog.array_lower(list, 1) = 1
      and pg_catalog.cardinality(list) = length
      and pg_catalog.array_position(list, null) is null
      and low <= all (list) and high >= all (list),
    false)
$$;
