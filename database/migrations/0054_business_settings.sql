-- What staff set about the business, as rows with history: details, numbers of its rules, and the texts of two pages.

-- Whether a setting is text of so many characters; on one line unless told otherwise.
create function private.is_setting_text(s jsonb, low integer, high integer, lines boolean default false) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_typeof(s) = 'string' and pg_catalog.char_length(s #>> '{}') between low and high
    and (s #>> '{}') !~ case when lines then '[\x01-\x09\x0b-\x1f]' else '[[:cntrl:]]' end, false)
$$;
create function private.is_setting_number(s jsonb, low integer, high integer) returns boolean language sql immutable set search_path = '' as $$
  select coalesce(case when pg_catalog.jsonb_typeof(s) = 'number' and (s #>> '{}') ~ '^\d{1,6}$' then (s #>> '{}')::integer between low and high end, false)
$$;
create function private.are_articles(s jsonb) returns boolean language sql immutable set search_path = '' as $$
  select coalesce(case when pg_catalog.jsonb_typeof(s) = 'array' then pg_catalog.jsonb_array_length(s) between 1 and 40 and not exists (
    select from pg_catalog.jsonb_array_elements(s) a(article)
    where not (private.is_setting_text(a.article -> 'title', 1, 80) and private.is_setting_text(a.article -> 'text', 1, 5000, true)
      and a.article - '{title,text}'::text[] = '{}')) end, false)
$$;
create function private.are_business_settings(s jsonb) returns boolean language sql immutable set search_path = '' as $$
  select private.is_setting_text(s -> 'name', 2, 60) and private.is_setting_text(s -> 'legalName', 2, 120)
    and private.is_setting_text(s -> 'abn', 0, 11) and s ->> 'abn' ~ '^(\d{11})?$'
    and private.is_setting_text(s -> 'address', 2, 200) and private.is_setting_text(s -> 'directions', 0, 1000, true)
    and private.is_setting_text(s -> 'phone', 0, 30) and private.is_setting_text(s -> 'email', 5, 254) and s ->> 'email' ~ '^[^@\s<>]+@[^@\s<>]+$'
    and private.is_setting_text(s -> 'instagram', 0, 31) and s ->> 'instagram' ~ '^(@[A-Za-z0-9._]{1,30})?$'
    and private.is_setting_text(s -> 'arrivalNotes', 0, 1000, true) and private.is_setting_text(s -> 'notice', 0, 300)
    and private.is_setting_number(s -> 'holdMinutes', 5, 30) and private.is_setting_number(s -> 'horizonDays', 1, 365)
    and private.is_setting_number(s -> 'freeCancelHours', 0, 336) and private.is_setting_text(s -> 'termsVersion', 1, 40)
    and private.are_articles(s -> 'terms') and private.are_articles(s -> 'privacy')
    and s - '{name,legalName,abn,address,directions,phone,email,instagram,arrivalNotes,notice,holdMinutes,horizonDays,freeCancelHours,termsVersion,terms,privacy}'::text[] = '{}'
$$;

-- Each change is a row with all settings. The one with the highest version counts.
create table public.business_settings (
  version integer generated always as identity primary key,
  settings jsonb not null constraint business_settings_valid check (private.are_business_settings(settings)),
  created_at timestamptz not null default clock_timestamp(),
  created_by uuid
);
alter table public.business_settings enable row level security, force row level security;
create policy "staff read the settings" on public.business_settings for select to authenticated
  using ((select public.has_permission('settings')));
grant select on public.business_settings to authenticated;
revoke insert, update, delete, truncate on public.business_settings from service_role;

create function private.keep_business_settings() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception 'settings of the past are kept' using errcode = '23514', constraint = 'settings_history';
end
$$;
create trigger business_settings_history before update or delete on public.business_settings
  for each row execute function private.keep_business_settings();
revoke execute on function private.keep_business_settings() from public;

-- The settings that the business begins with, as in rules/business/business.ts, rules/business/terms.ts and rules/business/privacy.ts.
insert into public.business_settings (settings) values ($seed$
{
  "name": "24/7 DJ Studios",
  "legalName": "24/7 DJ Studios",
  "abn": "",
  "address": "Sydney NSW",
  "directions": "",
  "phone": "",
  "email": "hello@example.com",
  "instagram": "@djstudios",
  "notice": "",
  "holdMinutes": 15,
  "horizonDays": 90,
  "freeCancelHours": 24,
  "termsVersion": "2025-10",
  "arrivalNotes": "",
  "terms": [
    {"title":"Booking and payment","text":"Payment is made in full when you book. Your booking is confirmed once your payment has arrived. Prices are in Australian dollars and include GST where it applies."},
    {"title":"Cancellation","text":"You can cancel up to {cancelHours} hours before your session starts for a full refund: use the button in your account, or write to {email}. After that, please contact us."},
    {"title":"Your guests","text":"Up to 5 people can be in a studio at a time. The person who booked is responsible for everyone in the room."},
    {"title":"Access","text":"The studios are open 24/7 by smart lock. Your access code is yours alone: please don’t share it. The door locks behind you. You can make a new code on your access code page until your session ends."},
    {"title":"Age and ID","text":"You must be 18 or older. We check an Australian driver licence before your first session. We read the photo and delete it. If someone has to look at it, we delete it within 7 days."},
    {"title":"Care of the studio","text":"Leave the room as you found it and end on time. You pay for any damage beyond fair wear and tear. No smoking, and no drinks on the equipment."},
    {"title":"Your rights","text":"Nothing in these terms takes away rights you have under the Australian Consumer Law."},
    {"title":"Law","text":"The law of New South Wales applies."}
  ],
  "privacy": [
    {"title":"What we keep","text":"Your account: name, email, phone number, date of birth and, if you gave one, your DJ name. With each booking, the phone number you gave at checkout.\n\nYour bookings, what you paid for them, and which access codes we made. We never keep a code’s digits in readable form.\n\nA log of what was done on your account and by whom, so we can sort out any disagreement."},
    {"title":"Your ID","text":"We check your Australian driver licence before your first session. Our own server reads the photo, and we delete it within an hour of the result. If someone on our team has to look at it, we delete it once they’ve decided, and after 7 days at the latest.\n\nWe keep that you were verified, until when, and the name and dates we read."},
    {"title":"Your card","text":"You enter it on our payment provider’s page. We never see the number, only whether you paid."},
    {"title":"News by email","text":"Only if you signed up for it. We keep your address and when you agreed. Every email has a link to unsubscribe, or you can email {email}."},
    {"title":"In your browser","text":"Your sign-in, and a booking you’ve started. There’s no advertising and no tracking, and no one else’s scripts run on our pages."},
    {"title":"Who else sees it","text":"The companies that run payments, online ID checks, door locks and email for us. Each sees only what it needs. We never sell your data."},
    {"title":"How long","text":"For as long as you have an account. We keep invoices for as long as tax law says. Your ID verification ends when your licence expires, and after 24 months at the latest."},
    {"title":"Your rights","text":"You can ask what we keep about you, and have it corrected or deleted. Email {email}. If you’re not happy with our answer, you can contact the Office of the Australian Information Commissioner."}
  ]
}
$seed$);

-- The settings that count now, for the server.
create function private.business_settings() returns jsonb language sql stable set search_path = '' as $$
  select b.settings from public.business_settings b order by b.version desc limit 1
$$;

-- What a hold needs of them, in a language that keeps the plan of its statement: each hold calls it.
create function private.booking_settings() returns json language plpgsql stable set search_path = '' as $$
declare
  s jsonb;
begin
  select b.settings into s from public.business_settings b order by b.version desc limit 1;
  return pg_catalog.json_build_object('holdMinutes', s -> 'holdMinutes', 'horizonDays', s -> 'horizonDays',
    'freeCancelHours', s -> 'freeCancelHours', 'termsVersion', s -> 'termsVersion', 'email', s -> 'email');
end
$$;

-- What all pages may show, and the texts of two of them. The notes for people who arrive are for people with a booking.
create function public.site_settings() returns jsonb language sql stable security definer set search_path = '' as $$
  select private.business_settings() - '{arrivalNotes,terms,privacy}'::text[]
$$;
create function public.site_texts() returns jsonb language sql stable security definer set search_path = '' as $$
  select pg_catalog.jsonb_build_object('termsVersion', s -> 'termsVersion', 'terms', s -> 'terms', 'privacy', s -> 'privacy') from private.business_settings() s
$$;
grant execute on function public.site_settings(), public.site_texts() to anon, authenticated;

-- Every text of the terms has a version of its own: the day in Sydney on which it was set, and a number from the second one of a day on.
create function private.next_terms_version(p_now timestamptz) returns text language plpgsql stable set search_path = '' as $$
declare
  day constant text := pg_catalog.to_char(p_now at time zone 'Australia/Sydney', 'YYYY-MM-DD');
  wanted text := day;
  number integer := 1;
begin
  while exists (select from public.business_settings b where b.settings ->> 'termsVersion' = wanted) loop
    number := number + 1;
    wanted := day || '.' || number;
  end loop;
  return wanted;
end
$$;

-- Sets some of the settings, and returns all. New terms get a new version, which everybody has to accept. A call that changes nothing adds no row.
create function private.set_business_settings(p_changes jsonb, p_actor uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  before jsonb;
  after jsonb;
begin
  -- One change at a time, so that none is lost.
  lock table public.business_settings in share row exclusive mode;
  before := private.business_settings();
  after := before || p_changes;
  if after -> 'terms' <> before -> 'terms' then
    after := after || pg_catalog.jsonb_build_object('termsVersion', private.next_terms_version(p_now));
  end if;
  if after = before then return after; end if;
  insert into public.business_settings (settings, created_at, created_by) values (after, p_now, p_actor);
  perform private.audit(p_actor, 'update', 'settings', null, (
    select pg_catalog.jsonb_build_object('before', pg_catalog.jsonb_object_agg(a.key, before -> a.key), 'after', pg_catalog.jsonb_object_agg(a.key, a.value))
    from pg_catalog.jsonb_each(after) a where before -> a.key is distinct from a.value));
  perform realtime.send('{}', 'settings', 'staff', true);
  -- Every process of the program reads them again.
  perform pg_catalog.pg_notify('business_settings', '');
  return after;
end
$$;
