-- The cancellation period is part of the terms: {cancelHours} in their text. Changing it makes a new version of them, so that the version that a customer
-- accepted names one period.
create or replace function private.set_business_settings(p_changes jsonb, p_actor uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  before jsonb;
  after jsonb;
begin
  -- One change at a time, so that none is lost.
  lock table public.business_settings in share row exclusive mode;
  before := private.business_settings();
  after := before || p_changes;
  if (after -> 'terms', after -> 'freeCancelHours') is distinct from (before -> 'terms', before -> 'freeCancelHours') then
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
