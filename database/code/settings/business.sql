create policy "staff read the settings" on public.business_settings for select to authenticated
  using ((select public.has_permission('settings')));

-- Prevents changes of stored settings. Each change of a setting adds a row with all settings, so the rows are a
-- history.
create or replace function private.keep_business_settings()
returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'settings of the past are kept' using errcode = '23514', constraint = 'settings_history';
end
$$;

create trigger business_settings_history before update or delete on public.business_settings
  for each row execute function private.keep_business_settings();

-- Returns the current settings. Rows from before the photo of the directions existed get its defaults.
create or replace function private.business_settings()
returns jsonb language sql stable set search_path = '' as $$
  select '{"directionsPhoto": "", "directionsPhotoText": ""}'::jsonb || b.settings
  from public.business_settings b
  order by b.version desc limit 1
$$;

-- Returns the settings that a hold needs. Written in PL/pgSQL, which keeps the plan of its statement, because every
-- hold calls it.
create or replace function private.booking_settings()
returns json language plpgsql stable set search_path = '' as $$
declare
  v_s jsonb;
begin
  select b.settings into v_s from public.business_settings b order by b.version desc limit 1;
  return pg_catalog.json_build_object(
    'holdMinutes', v_s -> 'holdMinutes', 'horizonDays', v_s -> 'horizonDays',
    'freeCancelHours', v_s -> 'freeCancelHours', 'termsVersion', v_s -> 'termsVersion', 'email', v_s -> 'email',
    'maxLiveHolds', v_s -> 'maxLiveHolds', 'holdsPerHour', v_s -> 'holdsPerHour',
    'maxUnpaidHours', v_s -> 'maxUnpaidHours', 'maxUnpaidHoursOfBooking', v_s -> 'maxUnpaidHoursOfBooking');
end
$$;

-- Returns the settings that every page may show. It leaves out the texts of the terms and the privacy page (see
-- site_texts()), the arrival notes, which are for people with a booking, the limits of holds and the sales account.
create or replace function public.site_settings()
returns jsonb language sql stable security definer set search_path = '' as $$
  select private.business_settings() -
    '{arrivalNotes,terms,privacy,maxLiveHolds,holdsPerHour,maxUnpaidHours,maxUnpaidHoursOfBooking,salesAccount}'::text[]
$$;
grant execute on function public.site_settings() to anon, authenticated;

-- Returns {termsVersion, terms, privacy}: the texts of the two legal pages.
create or replace function public.site_texts()
returns jsonb language sql stable security definer set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'termsVersion', s -> 'termsVersion', 'terms', s -> 'terms', 'privacy', s -> 'privacy')
  from private.business_settings() s
$$;
grant execute on function public.site_texts() to anon, authenticated;

-- Changes the settings that `p_changes` has, adds a version with all settings, and returns all. A call that changes
-- nothing adds no version. New terms get a new terms version, which customers have to accept. The cancellation period
-- is part of the terms ({cancelHours} in their text), so changing it makes a new terms version too: the version that
-- a customer accepted then stands for exactly one period.
create or replace function private.set_business_settings(p_changes jsonb, p_actor uuid, p_now timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_before jsonb;
  v_after jsonb;
begin
  -- One change at a time, so that concurrent changes are not lost.
  lock table public.business_settings in share row exclusive mode;
  v_before := private.business_settings();
  v_after := v_before || p_changes;
  if (v_after -> 'terms', v_after -> 'freeCancelHours')
    is distinct from (v_before -> 'terms', v_before -> 'freeCancelHours')
  then
    v_after := v_after || pg_catalog.jsonb_build_object('termsVersion', private.next_terms_version(p_now));
  end if;
  if v_after = v_before then return v_after; end if;
  insert into public.business_settings (settings, created_at, created_by) values (v_after, p_now, p_actor);
  perform private.audit(p_actor, 'update', 'settings', null, (
    select pg_catalog.jsonb_build_object(
      'before', pg_catalog.jsonb_object_agg(a.key, v_before -> a.key),
      'after', pg_catalog.jsonb_object_agg(a.key, a.value))
    from pg_catalog.jsonb_each(v_after) a
    where v_before -> a.key is distinct from a.value));
  perform realtime.send('{}', 'settings', 'staff', true);
  -- Every server process reads the settings again.
  perform pg_catalog.pg_notify('business_settings', '');
  return v_after;
end
$$;

-- Returns an unused version for new terms: the date in Sydney, such as "2026-11-28", and for further versions on the
-- same day that date with a number, such as "2026-11-28.2".
create or replace function private.next_terms_version(p_now timestamptz)
returns text language plpgsql stable set search_path = '' as $$
declare
  v_day constant text := pg_catalog.to_char(p_now at time zone 'Australia/Sydney', 'YYYY-MM-DD');
  v_wanted text := v_day;
  v_number integer := 1;
begin
  while exists (
    select from public.business_settings b where b.settings ->> 'termsVersion' = v_wanted)
  loop
    v_number := v_number + 1;
    v_wanted := v_day || '.' || v_number;
  end loop;
  return v_wanted;
end
$$;
