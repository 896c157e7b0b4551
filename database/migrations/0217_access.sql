-- The access codes of bookings. Staff can read this table. The digits are in private.access_secret, encrypted.
create table public.booking_access_codes (
  id uuid default gen_random_uuid() not null,
  booking_id uuid not null,
  attempt integer not null,
  status text default 'requested' not null,
  -- How the lock gets the code. bridge: through a bridge. hourly, onetime: computed offline, for whole hours or for one
  -- use.
  mode text not null,
  -- The window that was given to the lock.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- When the code is shown and emailed.
  release_at timestamptz not null,
  issued_at timestamptz,
  used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz default clock_timestamp() not null,
  -- When the customer first saw the code on a page.
  seen_at timestamptz,
  constraint booking_access_codes_pkey primary key (id),
  constraint booking_access_codes_booking_id_attempt_key unique (booking_id, attempt),
  constraint booking_access_codes_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint access_code_ends_after_start check (ends_at > starts_at),
  constraint booking_access_codes_attempt_check check (attempt > 0),
  constraint booking_access_codes_mode_check check (mode = any (array['bridge', 'hourly', 'onetime'])),
  constraint booking_access_codes_status_check check (
    status = any (array['requested', 'issued', 'revoke_pending', 'revoked', 'failed'])
  )
);
create index access_code_newest on public.booking_access_codes (created_at desc);
create unique index access_code_one_issued on public.booking_access_codes (booking_id)
  where ((status = 'issued') and (mode = 'bridge'));
create unique index access_code_one_requested on public.booking_access_codes (booking_id)
  where ((status = 'requested') and (mode = 'bridge'));
-- For the page with the doors: the last opening of each, and the codes that work.
create index access_code_used on public.booking_access_codes (used_at desc) where used_at is not null;
create index access_code_valid on public.booking_access_codes (ends_at) where status = 'issued';
alter table public.booking_access_codes enable row level security, force row level security;
grant select on public.booking_access_codes to authenticated;

-- The digits of the access codes of bookings, and their state in the lock.
create table private.access_secret (
  code_id uuid not null,
  lock_id text not null,
  -- Which of the lock's codes for this window it is. Written before the request to the lock, so that a repeated request
  -- returns the same code.
  variant integer not null,
  pin_encrypted text,
  -- Keyed hash of the digits. It finds a code that the lock reports as used, and keeps two live codes of a lock apart.
  pin_fingerprint text,
  provider_code_id text,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- False once the lock has deleted the code.
  live boolean default true not null,
  constraint access_secret_pkey primary key (code_id),
  constraint access_secret_code_id_fkey
    foreign key (code_id) references public.booking_access_codes(id) on delete cascade,
  constraint access_secret_variant_check check (variant >= 0)
);
create unique index access_secret_pin on private.access_secret (lock_id, pin_fingerprint)
  where live and (pin_fingerprint is not null);
create unique index access_secret_variant on private.access_secret (lock_id, starts_at, ends_at, variant)
  where variant > 0;
alter table private.access_secret enable row level security, force row level security;

-- Codes that staff create for people without a booking, such as tradespeople. Their hours are closed for bookings, so
-- no customer is in the room.
create table private.staff_code (
  id uuid default gen_random_uuid() not null,
  studio_id uuid not null,
  lock_id text not null,
  -- The name of the person for whom the code is.
  name text not null,
  status text default 'requested' not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- As in private.access_secret: written before the request to the lock.
  variant integer not null,
  pin_encrypted text,
  pin_fingerprint text,
  made_by uuid not null,
  request_id text not null,
  created_at timestamptz not null,
  issued_at timestamptz,
  revoked_at timestamptz,
  constraint staff_code_pkey primary key (id),
  constraint staff_code_once unique (made_by, request_id),
  constraint staff_code_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint staff_code_ends_after_start check (ends_at > starts_at),
  constraint staff_code_lock_id_check check (char_length(lock_id) between 1 and 60),
  constraint staff_code_name_check check (char_length(name) between 1 and 60),
  constraint staff_code_request_id_check check (char_length(request_id) between 1 and 100),
  constraint staff_code_status_check check (status = any (array['requested', 'issued', 'revoking', 'revoked'])),
  constraint staff_code_variant_check check (variant >= 0)
);
create index staff_code_newest on private.staff_code (ends_at desc);
create unique index staff_code_variant on private.staff_code (lock_id, starts_at, ends_at, variant)
  where variant > 0;
alter table private.staff_code enable row level security, force row level security;

-- Crew: the guests whom a customer brings to a booking. Each guest has a personal link and, if a bridge reaches the
-- lock, a personal access code.
create table private.crew_member (
  id uuid default gen_random_uuid() not null,
  booking_id uuid not null,
  -- SHA-256 of the link's token, which is shown once and not stored.
  token_hash text not null,
  state text default 'invited' not null,
  -- The first name that the guest gave, and the version of the terms that they accepted with it.
  name text,
  terms_version text,
  -- Distinguishes a repeated invitation from a second one.
  request_id text,
  created_at timestamptz not null,
  joined_at timestamptz,
  revoked_at timestamptz,
  -- When the guest first saw a code that other people use too.
  saw_shared_at timestamptz,
  constraint crew_member_pkey primary key (id),
  constraint crew_member_once unique (booking_id, request_id),
  constraint crew_member_token unique (token_hash),
  constraint crew_member_booking_id_fkey
    foreign key (booking_id) references private.booking(id) on delete cascade,
  constraint crew_member_joined check (
    (
      ((joined_at is null) = (name is null)) and ((joined_at is null) = (terms_version is null))
      and case state
        when 'invited' then (joined_at is null)
        when 'joined' then (joined_at is not null)
        else true
      end
    )
  ),
  constraint crew_member_name_check check (char_length(name) between 1 and 40),
  constraint crew_member_request_id_check check (char_length(request_id) between 1 and 100),
  constraint crew_member_revoked check ((state = 'revoked') = (revoked_at is not null)),
  constraint crew_member_state_check check (state = any (array['invited', 'joined', 'revoked'])),
  constraint crew_member_terms_version_check check (char_length(terms_version) between 1 and 40),
  constraint crew_member_token_hash_check check (token_hash ~ '^[0-9a-f]{64}$')
);
create index crew_member_by_booking on private.crew_member (booking_id, created_at);
alter table private.crew_member enable row level security, force row level security;

-- The access codes of guests. They exist only for locks behind a bridge: a lock that computes its codes has too few of
-- them for the same hours.
create table private.crew_code (
  id uuid default gen_random_uuid() not null,
  crew_member_id uuid not null,
  lock_id text not null,
  status text default 'requested' not null,
  -- The window that was given to the lock.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Written before the request to the lock, so that the same code can be requested again if the response is lost.
  pin_encrypted text not null,
  pin_fingerprint text not null,
  created_at timestamptz not null,
  issued_at timestamptz,
  used_at timestamptz,
  revoked_at timestamptz,
  constraint crew_code_pkey primary key (id),
  constraint crew_code_crew_member_id_fkey
    foreign key (crew_member_id) references private.crew_member(id) on delete cascade,
  constraint crew_code_ends_after_start check (ends_at > starts_at),
  constraint crew_code_lock_id_check check (char_length(lock_id) between 1 and 60),
  constraint crew_code_status_check check (status = any (array['requested', 'issued', 'revoking', 'revoked']))
);
create index crew_code_by_member on private.crew_code (crew_member_id, created_at);
-- A guest has at most one code that opens the door.
create unique index crew_code_one_live on private.crew_code (crew_member_id)
  where status = any (array['requested', 'issued']);
create unique index crew_code_pin on private.crew_code (lock_id, pin_fingerprint) where status <> 'revoked';
-- For the page with the doors, which includes the codes of guests.
create index crew_code_used on private.crew_code (used_at desc) where used_at is not null;
create index crew_code_valid on private.crew_code (ends_at) where status = 'issued';
alter table private.crew_code enable row level security, force row level security;

-- The door log: what the locks reported. Digits are not stored.
create table private.lock_event (
  id uuid default gen_random_uuid() not null,
  lock_id text not null,
  kind text not null,
  at timestamptz not null,
  -- The booking's code that was entered.
  code_id uuid,
  -- Who opened the door remotely.
  actor uuid,
  created_at timestamptz default clock_timestamp() not null,
  staff_code_id uuid,
  crew_code_id uuid,
  constraint lock_event_pkey primary key (id),
  -- A repeated report is stored once.
  constraint lock_event_once unique nulls not distinct (lock_id, at, kind, code_id, actor),
  constraint lock_event_code_id_fkey
    foreign key (code_id) references public.booking_access_codes(id) on delete set null,
  constraint lock_event_crew_code_id_fkey
    foreign key (crew_code_id) references private.crew_code(id) on delete set null,
  constraint lock_event_staff_code_id_fkey
    foreign key (staff_code_id) references private.staff_code(id) on delete set null,
  constraint lock_event_kind_check check (
    kind = any (array[
      'code', 'wrong_code', 'master_code', 'bluetooth', 'card', 'fingerprint', 'from_inside', 'from_afar', 'locked',
      'break_in', 'other'
    ])
  ),
  constraint lock_event_lock_id_check check (char_length(lock_id) between 1 and 60)
);
create index lock_event_newest on private.lock_event (lock_id, at desc);
alter table private.lock_event enable row level security, force row level security;

-- Bookings that customers have saved as a pass in a wallet. The passes follow changes of the booking.
create table private.wallet_pass (
  booking_id uuid not null,
  -- Increases with each change of the booking. If a job finds a newer version after its call to the wallet, it calls
  -- again.
  version integer default 1 not null,
  -- When the version changed, in whole seconds, because HTTP compares whole seconds, and different for each version.
  -- Taken only from the database's clock, so that versions are in order.
  changed_at timestamptz default date_trunc('second', clock_timestamp()) not null,
  -- When the customer first requested a pass of each kind.
  apple_at timestamptz,
  google_at timestamptz,
  constraint wallet_pass_pkey primary key (booking_id),
  constraint wallet_pass_booking_id_fkey
    foreign key (booking_id) references private.booking(id) on delete cascade,
  constraint wallet_pass_made check ((apple_at is not null) or (google_at is not null))
);
alter table private.wallet_pass enable row level security, force row level security;

-- The phones that have the Apple pass of a booking.
create table private.pass_device (
  booking_id uuid not null,
  -- SHA-256 of Apple's identifier of the phone, which acts as the password for the list of its passes.
  device_hash text not null,
  push_token text not null,
  created_at timestamptz not null,
  constraint pass_device_pkey primary key (booking_id, device_hash),
  constraint pass_device_booking_id_fkey
    foreign key (booking_id) references private.wallet_pass(booking_id) on delete cascade,
  constraint pass_device_device_hash_check check (device_hash ~ '^[0-9a-f]{64}$'),
  constraint pass_device_push_token_check check (push_token ~ '^[0-9a-f]{32,200}$')
);
create index pass_device_by_device on private.pass_device (device_hash);
alter table private.pass_device enable row level security, force row level security;
