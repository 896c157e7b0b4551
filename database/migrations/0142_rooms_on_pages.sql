-- Pages show the rooms to choose from, and link to each, before they have asked the server for anything.
create or replace function private.site_rooms() returns jsonb language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', s.id, 'name', s.name, 'title', s.title, 'summary', s.summary,
    'description', s.description, 'features', s.features, 'photo', s.photos[1],
    'fromCents', pg_catalog.round(s.hourly_rate * 100)::integer, 'alwaysOpen', true = all (s.open_hours)) order by s.sort_order, s.name), '[]')
  from public.studios s where s.active
$$;
