-- What pages say of hours and prices follows the rooms.

create or replace function private.site_rooms() returns jsonb language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', s.name, 'title', s.title, 'summary', s.summary, 'photo', s.photos[1],
    'fromCents', pg_catalog.round(s.hourly_rate * 100)::integer, 'alwaysOpen', true = all (s.open_hours)) order by s.sort_order, s.name), '[]')
  from public.studios s where s.active
$$;

-- Another lowest price: every process of the program reads the rooms again.
create function private.announce_hourly_rate() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('business_settings', '');
  return null;
end
$$;
create trigger studios_hourly_rate after update on public.studios for each row
  when (old.hourly_rate is distinct from new.hourly_rate) execute function private.announce_hourly_rate();
revoke execute on function private.announce_hourly_rate() from public;
