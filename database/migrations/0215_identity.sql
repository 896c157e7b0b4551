-- ID checks: the values that were read from a photo of a licence, or reported by the hosted check. Only the server
-- writes them.
create table public.id_verifications (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  source text not null,
  -- The key of the photo while it waits for a person's decision. Null once the photo is deleted.
  image_path text,
  verification_status text not null,
  failure_reasons text[] default '{}' not null,
  verified_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz default clock_timestamp() not null,
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
  -- Always null: other output of the reader is not stored.
  ai_raw_response jsonb,
  ai_confidence_score numeric(4,3),
  constraint id_verifications_pkey primary key (id),
  constraint id_verifications_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint id_verifications_ai_confidence_score_check check (
    (ai_confidence_score >= (0)::numeric) and (ai_confidence_score <= (1)::numeric)
  ),
  constraint id_verifications_ai_raw_response_check check (ai_raw_response is null),
  constraint id_verifications_source_check check (source = any (array['photo', 'hosted', 'staff'])),
  constraint id_verifications_verification_status_check check (
    verification_status = any (array['verified', 'review', 'failed', 'superseded'])
  ),
  constraint id_verifications_verified_has_dates check (
    (verification_status <> 'verified') or ((verified_at is not null) and (expires_at is not null))
  )
);
create index id_verifications_by_user on public.id_verifications (user_id, verification_status, expires_at desc);
create index id_verifications_waiting on public.id_verifications (created_at) where verification_status = 'review';
alter table public.id_verifications enable row level security, force row level security;
grant select on public.id_verifications to authenticated;

-- Hosted checks. A row binds the provider's ID to the account that began the check.
create table private.identity_session (
  id text not null,
  user_id uuid not null,
  status text default 'open' not null,
  verification_id uuid,
  created_at timestamptz default clock_timestamp() not null,
  constraint identity_session_pkey primary key (id),
  constraint identity_session_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint identity_session_verification_id_fkey
    foreign key (verification_id) references public.id_verifications(id) on delete set null,
  constraint identity_session_status_check check (status = any (array['open', 'decided']))
);
create index identity_session_by_user on private.identity_session (user_id, created_at desc);
alter table private.identity_session enable row level security, force row level security;

-- Decisions of staff about IDs that the reader could not judge. The primary key makes a second decision impossible.
create table private.id_review (
  verification_id uuid not null,
  decision text not null,
  -- The reason that is given to the customer. Null: the standard text.
  reason text,
  -- The nil UUID for the service key.
  decided_by uuid not null,
  decided_at timestamptz not null,
  constraint id_review_pkey primary key (verification_id),
  constraint id_review_verification_id_fkey
    foreign key (verification_id) references public.id_verifications(id) on delete cascade,
  constraint id_review_decision_check check (decision = any (array['approve', 'refuse', 'retake'])),
  constraint id_review_reason_check check (char_length(reason) between 1 and 500)
);
alter table private.id_review enable row level security, force row level security;

-- Accounts that had a verified ID and no longer have one. The next verified ID deletes the row.
create table private.lost_verification (
  user_id uuid not null,
  lost_at timestamptz not null,
  constraint lost_verification_pkey primary key (user_id),
  constraint lost_verification_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);
alter table private.lost_verification enable row level security, force row level security;

-- Verified IDs that staff have withdrawn.
create table private.id_withdrawal (
  verification_id uuid not null,
  -- The reason that is given to the customer.
  reason text not null,
  -- The nil UUID for the service key.
  withdrawn_by uuid not null,
  withdrawn_at timestamptz not null,
  constraint id_withdrawal_pkey primary key (verification_id),
  constraint id_withdrawal_verification_id_fkey
    foreign key (verification_id) references public.id_verifications(id) on delete cascade,
  constraint id_withdrawal_reason_check check (char_length(reason) between 1 and 500)
);
alter table private.id_withdrawal enable row level security, force row level security;

-- Bookings that start soon and whose customer has lost the ID check. Staff have been told of each.
create table private.missing_id (
  booking_id uuid not null,
  raised_at timestamptz not null,
  -- Set if staff allow the session anyway.
  kept_at timestamptz,
  kept_by uuid,
  kept_reason text,
  constraint missing_id_pkey primary key (booking_id),
  constraint missing_id_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint missing_id_kept check (num_nulls(kept_at, kept_by, kept_reason) = any (array[0, 3])),
  constraint missing_id_kept_reason_check check (char_length(kept_reason) between 1 and 500)
);
alter table private.missing_id enable row level security, force row level security;

-- The name that an account had when its ID was verified. When the account's name changes, the new name is compared with
-- the name on the ID. A name that matches keeps the verification. Another name ends it, and going back to a matching
-- name within 30 days restores it.
create table private.verified_name (
  verification_id uuid not null,
  account_name text not null,
  -- When a change of the name ended the verification. Null if none has.
  ended_at timestamptz,
  constraint verified_name_pkey primary key (verification_id),
  constraint verified_name_verification_id_fkey
    foreign key (verification_id) references public.id_verifications(id) on delete cascade
);
alter table private.verified_name enable row level security, force row level security;
