-- The account of the sales in Xero is a setting.

create or replace function private.are_business_settings(s jsonb) returns boolean language sql immutable set search_path = '' as $$
  select private.is_setting_text(s -> 'name', 2, 60) and private.is_setting_text(s -> 'legalName', 2, 120)
    and private.is_setting_text(s -> 'abn', 0, 11) and s ->> 'abn' ~ '^(\d{11})?$'
    and private.is_setting_text(s -> 'address', 2, 200) and private.is_setting_text(s -> 'directions', 0, 1000, true)
    -- Settings of earlier versions lack the photo, the limits of holds and the account of sales.
    and private.is_setting_text(coalesce(s -> 'directionsPhoto', '""'), 0, 41)
    and coalesce(s ->> 'directionsPhoto', '') ~ '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))?$'
    and private.is_setting_text(coalesce(s -> 'directionsPhotoText', '""'), 0, 200)
    and private.is_setting_text(s -> 'phone', 0, 30) and private.is_setting_text(s -> 'email', 5, 254) and s ->> 'email' ~ '^[^@\s<>]+@[^@\s<>]+$'
    and private.is_setting_text(s -> 'instagram', 0, 31) and s ->> 'instagram' ~ '^(@[A-Za-z0-9._]{1,30})?$'
    and private.is_setting_text(s -> 'arrivalNotes', 0, 1000, true) and private.is_setting_text(s -> 'notice', 0, 300)
    and private.is_setting_number(s -> 'holdMinutes', 5, 30) and private.is_setting_number(s -> 'horizonDays', 1, 365)
    and private.is_setting_number(s -> 'freeCancelHours', 0, 336) and private.is_setting_text(s -> 'termsVersion', 1, 40)
    and private.is_setting_number(coalesce(s -> 'maxLiveHolds', '2'), 1, 20) and private.is_setting_number(coalesce(s -> 'holdsPerHour', '6'), 1, 100)
    and private.is_setting_number(coalesce(s -> 'maxUnpaidHours', '48'), 1, 1000)
    and private.is_setting_number(coalesce(s -> 'maxUnpaidHoursOfBooking', '24'), 1, 24)
    and private.is_setting_text(coalesce(s -> 'salesAccount', '"200"'), 1, 10) and coalesce(s ->> 'salesAccount', '200') ~ '^[A-Za-z0-9.-]+$'
    and private.are_articles(s -> 'terms') and private.are_articles(s -> 'privacy')
    and s - '{name,legalName,abn,address,directions,directionsPhoto,directionsPhotoText,phone,email,instagram,arrivalNotes,notice,holdMinutes,horizonDays,freeCancelHours,maxLiveHolds,holdsPerHour,maxUnpaidHours,maxUnpaidHoursOfBooking,salesAccount,termsVersion,terms,privacy}'::text[] = '{}'
$$;

insert into public.business_settings (settings)
select s.settings || '{"salesAccount": "200"}' from public.business_settings s order by s.version desc limit 1;

-- Pages show neither the limits of holds nor the account of sales.
create or replace function public.site_settings() returns jsonb language sql stable security definer set search_path = '' as $$
  select private.business_settings()
    - '{arrivalNotes,terms,privacy,maxLiveHolds,holdsPerHour,maxUnpaidHours,maxUnpaidHoursOfBooking,salesAccount}'::text[]
$$;
