create policy "people read their own verifications" on public.id_verifications for select to authenticated
  using (user_id = (select auth.uid()) or (select public.has_permission('identity')));

-- One row per person who has a verified ID now: the verification that expires last.
create or replace view public.user_verifications with (security_invoker = true) as
  select distinct on (v.user_id) v.id, v.user_id
  from public.id_verifications v
  where v.verification_status = 'verified' and v.expires_at > pg_catalog.now()
  order by v.user_id, v.expires_at desc;
grant select on public.user_verifications to authenticated;

-- Follows a change of a profile's name or date of birth. A new date of birth ends the person's verifications, and those
-- that wait for a decision. A new name ends those that wait, and the verified ones whose ID does not match it; a
-- verification that a change of name ended is restored when, within 30 days, the name matches the ID again or is the
-- one with which the ID was verified.
create or replace function private.supersede_verifications()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if old.date_of_birth is distinct from new.date_of_birth then
    update public.id_verifications set verification_status = 'superseded'
    where user_id = new.user_id and verification_status in ('verified', 'review');
    return null;
  end if;
  -- An ID that waits for a decision was compared with the previous name.
  update public.id_verifications v set verification_status = 'superseded'
  where v.user_id = new.user_id and v.verification_status = 'review';
  with ended as (
    update public.id_verifications v set verification_status = 'superseded'
    where v.user_id = new.user_id and v.verification_status = 'verified'
      and not private.is_name_on_id(v, new.full_name)
    returning v.id)
  update private.verified_name n set ended_at = pg_catalog.now() from ended e where n.verification_id = e.id;
  with restored as (
    update public.id_verifications v set verification_status = 'verified'
    from private.verified_name n
    where v.user_id = new.user_id and v.verification_status = 'superseded' and v.expires_at > pg_catalog.now()
      and v.profile_dob is not distinct from new.date_of_birth
      and n.verification_id = v.id and n.ended_at > pg_catalog.now() - interval '30 days'
      and (
        private.is_name_on_id(v, new.full_name)
        or pg_catalog.lower(pg_catalog.btrim(n.account_name)) = pg_catalog.lower(pg_catalog.btrim(new.full_name)))
    returning v.id)
  update private.verified_name n set ended_at = null from restored r where n.verification_id = r.id;
  return null;
end
$$;

create trigger profiles_supersede_verifications after update on public.profiles
  for each row when (
    lower(btrim(coalesce(old.full_name, ''))) is distinct from lower(btrim(coalesce(new.full_name, '')))
    or old.date_of_birth is distinct from new.date_of_birth)
  execute function private.supersede_verifications();
