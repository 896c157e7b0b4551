-- A photo beside the directions, and an end for uploaded photos that nothing uses.

create or replace function private.are_business_settings(s jsonb) returns boolean language sql immutable set search_path = '' as $$
  select private.is_setting_text(s -> 'name', 2, 60) and private.is_setting_text(s -> 'legalName', 2, 120)
    and private.is_setting_text(s -> 'abn', 0, 11) and s ->> 'abn' ~ '^(\d{11})?$'
    and private.is_setting_text(s -> 'address', 2, 200) and private.is_setting_text(s -> 'directions', 0, 1000, true)
    -- Settings of earlier versions lack these two.
    and private.is_setting_text(coalesce(s -> 'directionsPhoto', '""'), 0, 41)
    and coalesce(s ->> 'directionsPhoto', '') ~ '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))?$'
    and private.is_setting_text(coalesce(s -> 'directionsPhotoText', '""'), 0, 200)
    and private.is_setting_text(s -> 'phone', 0, 30) and private.is_setting_text(s -> 'email', 5, 254) and s ->> 'email' ~ '^[^@\s<>]+@[^@\s<>]+$'
    and private.is_setting_text(s -> 'instagram', 0, 31) and s ->> 'instagram' ~ '^(@[A-Za-z0-9._]{1,30})?$'
    and private.is_setting_text(s -> 'arrivalNotes', 0, 1000, true) and private.is_setting_text(s -> 'notice', 0, 300)
    and private.is_setting_number(s -> 'holdMinutes', 5, 30) and private.is_setting_number(s -> 'horizonDays', 1, 365)
    and private.is_setting_number(s -> 'freeCancelHours', 0, 336) and private.is_setting_text(s -> 'termsVersion', 1, 40)
    and private.are_articles(s -> 'terms') and private.are_articles(s -> 'privacy')
    and s - '{name,legalName,abn,address,directions,directionsPhoto,directionsPhotoText,phone,email,instagram,arrivalNotes,notice,holdMinutes,horizonDays,freeCancelHours,termsVersion,terms,privacy}'::text[] = '{}'
$$;

create or replace function private.business_settings() returns jsonb language sql stable set search_path = '' as $$
  select '{"directionsPhoto": "", "directionsPhotoText": ""}'::jsonb || b.settings from public.business_settings b order by b.version desc limit 1
$$;

-- Deletes uploaded photos that are a day old and that no room, no settings (earlier ones can be brought back) and no incident uses.
create function private.delete_unused_photos(p_now timestamptz) returns integer language plpgsql volatile set search_path = '' as $$
declare
  deleted integer;
begin
  delete from storage.objects o
  where o.created_at < p_now - interval '1 day' and case o.bucket_id
    when 'rooms' then not exists (select from public.studios s where o.name = any (s.photos))
      and not exists (select from public.business_settings b where b.settings ->> 'directionsPhoto' = o.name)
    when 'incidents' then not exists (select from private.incident i where i.photo = o.name)
    else false end;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
