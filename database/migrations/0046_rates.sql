-- As before, in a language that keeps the plans of its statements and as json, which is made faster than jsonb: each hold calls it.
drop function private.rates_json(uuid, date, date);
create function private.rates_json(p_studio uuid, p_from date, p_to date) returns json
language plpgsql stable set search_path = '' as $$
declare
  v_from date;
begin
  select l.valid_from into v_from from public.price_lists l
  where l.studio_id = p_studio and l.valid_from <= p_from order by l.valid_from desc limit 1;
  return pg_catalog.json_build_object(
    'lists', coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('validFrom', l.valid_from, 'hourCents', l.hour_cents,
        'volumePercents', l.volume_percents)) from public.price_lists l
      where l.studio_id = p_studio and l.valid_from between coalesce(v_from, p_from) and p_to), '[]'),
    'specialDays', coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('name', d.name, 'firstDay', d.first_day,
        'lastDay', d.last_day, 'hourCents', d.hour_cents)) from public.special_days d
      where d.studio_id = p_studio and d.first_day <= p_to and d.last_day >= p_from), '[]'));
end
$$;
