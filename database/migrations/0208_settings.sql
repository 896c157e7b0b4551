-- The settings of the business. Each change is a new row with all settings, and the row with the highest version
-- applies.
create table public.business_settings (
  version integer generated always as identity not null,
  settings jsonb not null,
  created_at timestamptz default clock_timestamp() not null,
  created_by uuid,
  constraint business_settings_pkey primary key (version),
  constraint business_settings_valid check (private.are_business_settings(settings))
);
alter table public.business_settings enable row level security, force row level security;
revoke delete, insert, truncate, update on public.business_settings from service_role;
grant select on public.business_settings to authenticated;
