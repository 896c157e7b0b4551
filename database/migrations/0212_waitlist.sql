-- The wait list: customers ask to be told when taken hours become free. When they do, a claim holds them at once for
-- the first customer who may claim them, for a quarter of an hour. A claim is a pending row of private.booking without
-- a price and payment, so the exclusion constraint, closures, moves, live pages and the task that releases expired
-- holds treat it like any other hold. The customer's own hold replaces it, and nothing else confirms it.
create table public.waitlist_entries (
  id uuid default gen_random_uuid() not null,
  -- The order in which customers joined, and in which they are offered hours.
  place bigint generated always as identity not null,
  user_id uuid not null,
  studio_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- asked: a claim holds the hours until `claim_until`, and the customer was asked by email to book them.
  -- used: the customer has held the hours. passed: the claim expired. left: the customer left the wait list.
  -- told: a notice told the customer that the hours were free, without holding them. A claim requires a verified ID, no
  -- other claim of the customer for the same hours within a day, and room within the limit of unpaid hours. All other
  -- customers who wait get a notice.
  state text default 'waiting' not null,
  claim_until timestamptz,
  created_at timestamptz not null,
  constraint waitlist_entries_pkey primary key (id),
  constraint waitlist_entries_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint waitlist_entries_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint waitlist_entries_asked check ((state <> 'asked') or (claim_until is not null)),
  constraint waitlist_entries_end_after_start check (end_time > start_time),
  constraint waitlist_entries_state_check check (
    state = any (array['waiting', 'asked', 'used', 'passed', 'left', 'told'])
  )
);
create index waitlist_entries_by_user on public.waitlist_entries (user_id, start_time);
create unique index waitlist_entries_once on public.waitlist_entries (user_id, studio_id, start_time, end_time)
  where state = any (array['waiting', 'asked']);
create index waitlist_entries_waiting
  on public.waitlist_entries using gist (studio_id, tstzrange(start_time, end_time, '[)')) where state = 'waiting';
alter table public.waitlist_entries enable row level security, force row level security;
revoke delete, insert, truncate, update on public.waitlist_entries from service_role;
grant select on public.waitlist_entries to authenticated;
