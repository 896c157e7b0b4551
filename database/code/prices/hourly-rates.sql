-- Sets studios.hourly_rate to the price of the cheapest hour of the valid price list, in dollars. Idempotent.
create or replace function private.update_hourly_rates(p_now timestamptz)
returns void language sql volatile set search_path = '' as $$
  update public.studios s
  set hourly_rate = l.cheapest
  from (
    select distinct on (l.studio_id) l.studio_id,
      (select min(c) / 100.0 from pg_catalog.unnest(l.hour_cents) c) as cheapest
    from public.price_lists l
    where l.valid_from <= (p_now at time zone 'Australia/Sydney')::date
    order by l.studio_id, l.valid_from desc) l
  where s.id = l.studio_id and s.hourly_rate <> l.cheapest
$$;

-- Notifies every server process when the cheapest price of a studio changes, so that it reads the rooms again.
create or replace function private.announce_hourly_rate()
returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('business_settings', '');
  return null;
end
$$;

create trigger studios_hourly_rate after update on public.studios for each row
  when (old.hourly_rate is distinct from new.hourly_rate) execute function private.announce_hourly_rate();
