-- Opening hours of rooms. Each room has at most one closure whose spans are the hours outside its opening hours.

-- Updates the closed spans of a room to match its opening hours. Does not change spans that are already correct.
-- Idempotent.
create or replace function private.follow_opening_hours(p_studio uuid, p_now timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_wanted tstzmultirange;
  v_closure uuid;
begin
  perform from public.studios s where s.id = p_studio for update;
  v_wanted := private.closed_by_hours(p_studio, p_now);
  select c.id into v_closure from private.closure c where c.studio_id = p_studio and c.opening;
  if v_closure is null then
    if v_wanted = '{}' then return; end if;
    insert into private.closure (studio_id, start_time, end_time, reason, public, opening)
    values (p_studio, 'epoch', pg_catalog.to_timestamp(3600), 'Outside the opening hours', true, true)
    returning id into v_closure;
  end if;
  delete from private.closed_span c where c.closure_id = v_closure and c.end_time > p_now
    and not exists (select from pg_catalog.unnest(v_wanted) w where w = c.during);
  insert into private.closed_span (closure_id, studio_id, start_time, end_time)
  select v_closure, p_studio, pg_catalog.lower(w), pg_catalog.upper(w) from pg_catalog.unnest(v_wanted) w
  where pg_catalog.upper(w) > p_now
  on conflict do nothing;
end
$$;

-- Periodic task: closes the hours outside the opening hours on days that customers have become able to book, and
-- those whose booking was cancelled.
create or replace function private.follow_all_opening_hours(p_now timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_studio uuid;
begin
  for v_studio in
    select s.id from public.studios s
    where not (true = all (s.open_hours)) or exists (
      select from private.closure c join private.closed_span x on x.closure_id = c.id
      where c.studio_id = s.id and c.opening and x.end_time > p_now)
    order by s.id
  loop
    perform private.follow_opening_hours(v_studio, p_now);
  end loop;
end
$$;

-- Returns the spans outside the opening hours of a room, from yesterday until two days after the last day that
-- customers can book. Hours that are booked or held are left out, because their bookings stay.
create or replace function private.closed_by_hours(p_studio uuid, p_now timestamptz) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.range_agg(pg_catalog.tstzrange(h.starts, h.ends, '[)')), '{}')
    - coalesce((
      select pg_catalog.range_agg(b.during) from private.booking b
      where b.studio_id = p_studio and b.status in ('pending', 'confirmed')
        and b.end_time > p_now - interval '2 days'), '{}')
  from (
    select s.open_hours, private.hour_start(d.day, g.hour) as starts,
      coalesce(private.hour_start(d.day, g.hour + 1), private.hour_start(d.day, g.hour + 2)) as ends,
      extract(dow from d.day)::integer * 24 + g.hour + 1 as place
    from public.studios s
    cross join lateral (
      select (p_now at time zone 'Australia/Sydney')::date + n as day
      from pg_catalog.generate_series(-1, (private.business_settings() ->> 'horizonDays')::integer + 2) n) d
    cross join pg_catalog.generate_series(0, 23) g(hour)
    where s.id = p_studio) h
  where h.starts is not null and not h.open_hours[h.place]
$$;

-- Returns when an hour of a day begins in Sydney. An hour that the clocks show twice begins the first time; null for
-- an hour that they skip.
create or replace function private.hour_start(p_day date, p_hour integer) returns timestamptz
language plpgsql immutable set search_path = '' as $$
declare
  v_local constant timestamp := p_day + pg_catalog.make_interval(hours => p_hour);
  v_at constant timestamptz := v_local at time zone 'Australia/Sydney';
begin
  if v_at at time zone 'Australia/Sydney' <> v_local then return null; end if;
  if (v_at - interval '1 hour') at time zone 'Australia/Sydney' = v_local then return v_at - interval '1 hour'; end if;
  return v_at;
end
$$;
