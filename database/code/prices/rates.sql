-- Returns what the hours of a studio cost from `p_from` to `p_to`, both inclusive, for rules/pricing.ts: {lists,
-- specialDays}, each list with its first day and prices in cents. Written in PL/pgSQL, which keeps the plans of its
-- statements, and returns json, which is built faster than jsonb, because every hold calls it.
create or replace function private.rates_json(p_studio uuid, p_from date, p_to date)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_from date;
begin
  -- The first day of the list that is valid on the first of these days.
  select l.valid_from into v_from
  from public.price_lists l
  where l.studio_id = p_studio and l.valid_from <= p_from
  order by l.valid_from desc limit 1;
  return pg_catalog.json_build_object(
    'lists', coalesce((
      select pg_catalog.json_agg(pg_catalog.json_build_object(
        'validFrom', l.valid_from, 'hourCents', l.hour_cents, 'volumePercents', l.volume_percents))
      from public.price_lists l
      where l.studio_id = p_studio and l.valid_from between coalesce(v_from, p_from) and p_to), '[]'),
    'specialDays', coalesce((
      select pg_catalog.json_agg(pg_catalog.json_build_object(
        'name', d.name, 'firstDay', d.first_day, 'lastDay', d.last_day, 'hourCents', d.hour_cents))
      from public.special_days d
      where d.studio_id = p_studio and d.first_day <= p_to and d.last_day >= p_from), '[]'));
end
$$;
