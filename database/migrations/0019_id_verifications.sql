-- ID checks: what was read from a photo of a licence or reported by the hosted check. Only the server writes them.

create table public.id_verifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  source text not null check (source in ('photo', 'hosted', 'staff')),
  -- Key of the photo while a person still has to look at it; null once it is deleted.
  image_path text,
  verification_status text not null check (verification_status in ('verified', 'review', 'failed', 'superseded')),
  failure_reasons text[] not null default '{}',
  verified_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  extracted_full_name text,
  extracted_first_name text,
  extracted_middle_name text,
  extracted_last_name text,
  extracted_dob date,
  extracted_expiry_date date,
  is_over_18 boolean,
  age_at_verification integer,
  is_expired boolean,
  is_nsw_license boolean,
  name_match_status text,
  name_match_details text,
  profile_dob date,
  dob_matches boolean,
  -- Always null: whatever else a reader returned is not stored.
  ai_raw_response jsonb check (ai_raw_response is null),
  ai_confidence_score numeric(4, 3) check (ai_confidence_score between 0 and 1),
  constraint id_verifications_verified_has_dates check (verification_status <> 'verified' or (verified_at is not null and expires_at is not null))
);
create index id_verifications_by_user on public.id_verifications (user_id, verification_status, expires_at desc);
alter table public.id_verifications enable row level security, force row level security;
create policy "people read their own verifications" on public.id_verifications for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_staff()));
grant select on public.id_verifications to authenticated;

-- One row per person who is verified now.
create view public.user_verifications with (security_invoker = true) as
  select distinct on (v.user_id) v.id, v.user_id
  from public.id_verifications v
  where v.verification_status = 'verified' and v.expires_at > pg_catalog.now()
  order by v.user_id, v.expires_at desc;
grant select on public.user_verifications to authenticated;

-- Somebody with a new name or date of birth has to be checked again.
create function private.supersede_verifications() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.id_verifications set verification_status = 'superseded'
  where user_id = new.user_id and verification_status in ('verified', 'review');
  return null;
end
$$;
create trigger profiles_supersede_verifications after update on public.profiles for each row
  when (lower(btrim(coalesce(old.full_name, ''))) is distinct from lower(btrim(coalesce(new.full_name, '')))
    or old.date_of_birth is distinct from new.date_of_birth)
  execute function private.supersede_verifications();

-- Hosted checks: binds the provider's id to the account that began the check.
create table private.identity_session (
  id text primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  status text not null default 'open' check (status in ('open', 'decided')),
  verification_id uuid references public.id_verifications (id) on delete set null,
  created_at timestamptz not null default clock_timestamp()
);
create index identity_session_by_user on private.identity_session (user_id, created_at desc);
alter table private.identity_session enable row level security, force row level security;
