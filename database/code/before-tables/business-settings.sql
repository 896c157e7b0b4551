-- Whether a JSON object is a complete set of business settings: details of the business, numbers of its rules, and the
-- articles of the pages of terms and privacy. False for unknown members.
create or replace function private.are_business_settings(s jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select private.is_setting_text(s -> 'name', 2, 60)
    and private.is_setting_text(s -> 'legalName', 2, 120)
    and private.is_setting_text(s -> 'abn', 0, 11) and s ->> 'abn' ~ '^(\d{11})?$'
    and private.is_setting_text(s -> 'address', 2, 200)
    and private.is_setting_text(s -> 'directions', 0, 1000, true)
    -- Older settings lack the photo, the limits of holds and the account of sales.
    and private.is_setting_text(coalesce(s -> 'directionsPhoto', '""'), 0, 41)
    and coalesce(s ->> 'directionsPhoto', '') ~ '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))?$'
    and private.is_setting_text(coalesce(s -> 'directionsPhotoText', '""'), 0, 200)
    and private.is_setting_text(s -> 'phone', 0, 30)
    and private.is_setting_text(s -> 'email', 5, 254) and s ->> 'email' ~ '^[^@\s<>]+@[^@\s<>]+$'
    and private.is_setting_text(s -> 'instagram', 0, 31) and s ->> 'instagram' ~ '^(@[A-Za-z0-9._]{1,30})?$'
    and private.is_setting_text(s -> 'arrivalNotes', 0, 1000, true)
    and private.is_setting_text(s -> 'notice', 0, 300)
    and private.is_setting_number(s -> 'holdMinutes', 5, 30)
    and private.is_setting_number(s -> 'horizonDays', 1, 365)
    and private.is_setting_number(s -> 'freeCancelHours', 0, 336)
    and private.is_setting_text(s -> 'termsVersion', 1, 40)
    and private.is_setting_number(coalesce(s -> 'maxLiveHolds', '2'), 1, 20)
    and private.is_setting_number(coalesce(s -> 'holdsPerHour', '6'), 1, 100)
    and private.is_setting_number(coalesce(s -> 'maxUnpaidHours', '48'), 1, 1000)
    and private.is_setting_number(coalesce(s -> 'maxUnpaidHoursOfBooking', '24'), 1, 24)
    -- The account of sales in Xero.
    and private.is_setting_text(coalesce(s -> 'salesAccount', '"200"'), 1, 10)
    and coalesce(s ->> 'salesAccount', '200') ~ '^[A-Za-z0-9.-]+$'
    and private.are_articles(s -> 'terms')
    and private.are_articles(s -> 'privacy')
    and s - '{name,legalName,abn,address,directions,directionsPhoto,directionsPhotoText,phone,email,instagram,arrivalNotes,notice,holdMinutes,horizonDays,freeCancelHours,maxLiveHolds,holdsPerHour,maxUnpaidHours,maxUnpaidHoursOfBooking,salesAccount,termsVersion,terms,privacy}'::text[] = '{}'
$$;

-- Whether a setting is a list of 1 to 40 articles {title, text}.
create or replace function private.are_articles(s jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(case when pg_catalog.jsonb_typeof(s) = 'array' then
    pg_catalog.jsonb_array_length(s) between 1 and 40
    and not exists (
      select from pg_catalog.jsonb_array_elements(s) a(article)
      where not (
        private.is_setting_text(a.article -> 'title', 1, 80)
        and private.is_setting_text(a.article -> 'text', 1, 5000, true)
        and a.article - '{title,text}'::text[] = '{}')) end, false)
$$;

-- Whether a setting is a text of low to high characters without control characters. `lines` allows line breaks.
create or replace function private.is_setting_text(s jsonb, low integer, high integer, lines boolean default false)
returns boolean language sql immutable set search_path = '' as $$
  select coalesce(
    pg_catalog.jsonb_typeof(s) = 'string'
      and pg_catalog.char_length(s #>> '{}') between low and high
      and (s #>> '{}') !~ case when lines then '[\x01-\x09\x0b-\x1f]' else '[[:cntrl:]]' end,
    false)
$$;

-- Whether a setting is a whole number from low to high, written with at most six digits.
create or replace function private.is_setting_number(s jsonb, low integer, high integer) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(
    case when pg_catalog.jsonb_typeof(s) = 'number' and (s #>> '{}') ~ '^\d{1,6}$'
      then (s #>> '{}')::integer between low and high end,
    false)
$$;
