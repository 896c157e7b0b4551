-- Gives a new studio its first price list, valid from 2000 on.
create or replace function private.add_first_prices()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.price_lists (studio_id, valid_from, hour_cents, volume_percents)
  select new.id, '2000-01-01', f.hour_cents, f.volume_percents from private.first_prices() f;
  return null;
end
$$;

create trigger studios_first_prices after insert on public.studios
  for each row execute function private.add_first_prices();

-- Returns the prices of the specification: the price of each hour of a week in cents, Sunday 12 AM first, and the
-- volume discount in percent for 1 to 24 hours.
create or replace function private.first_prices(out hour_cents integer[], out volume_percents integer[])
language sql immutable set search_path = '' as $$
  select pg_catalog.array_agg(d.price * 100 order by d.at), array[0, 0, 10] || pg_catalog.array_fill(15, array[21])
  from pg_catalog.unnest(array[
    -- 12 AM                                        12 PM
    69, 69, 69, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 69, 69, 69, 69, 69, 59, -- Sunday
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 59, 59, 59, 59, 59, 49,
    59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 69, 69, 69, 69, 69, 69,
    69, 69, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 69, 69, 69, 69, 69, 69
  ]) with ordinality d (price, at)
$$;
