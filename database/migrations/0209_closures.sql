-- Closures: hours in which studios cannot be booked. A booking and a closure never overlap.
create table private.closure (
  id uuid default gen_random_uuid() not null,
  -- Null: all studios that existed when the closure was created.
  studio_id uuid,
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- In how many weeks the hours are closed, at the same time of day in Sydney.
  weeks integer default 1 not null,
  reason text not null,
  -- Whether customers can read the reason.
  public boolean default false not null,
  created_by uuid,
  created_at timestamptz default clock_timestamp() not null,
  reopened_at timestamptz,
  -- Whether this is the closure of the hours outside the opening hours of a room. Each room has at most one.
  opening boolean default false not null,
  -- Whether the closure repeats weekly without an end. Its weeks are added as they come within reach of bookings.
  endless boolean default false not null,
  constraint closure_pkey primary key (id),
  constraint closure_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint closure_at_most_a_year check (end_time <= (start_time + '366 days'::interval)),
  constraint closure_ends_after_start check (end_time > start_time),
  constraint closure_reason_check check (char_length(reason) between 1 and 200),
  constraint closure_weeks_check check (weeks between 1 and 5200)
);
create index closure_endless on private.closure (id) where endless and (reopened_at is null);
-- A repeated request creates the closure once.
create unique index closure_once on private.closure (
  coalesce(studio_id, '00000000-0000-0000-0000-000000000000'::uuid), start_time, end_time, weeks
) where reopened_at is null;
create unique index closure_one_opening on private.closure (studio_id) where opening;
alter table private.closure enable row level security, force row level security;
grant select on private.closure to booking_reader;

-- The closed spans of closures: one for each studio and week. Reopening hours deletes the spans that have not ended.
create table private.closed_span (
  closure_id uuid not null,
  studio_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  during tstzrange generated always as (tstzrange(start_time, end_time, '[)')) stored,
  constraint closed_span_pkey primary key (closure_id, studio_id, start_time),
  constraint closed_span_closure_id_fkey foreign key (closure_id) references private.closure(id),
  constraint closed_span_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint closed_span_ends_after_start check (end_time > start_time)
);
create index closed_span_during on private.closed_span using gist (studio_id, during);
-- Finds the closures of all rooms by time. closed_span_during requires the room.
create index closed_span_time on private.closed_span using gist (during);
create index closed_span_upcoming on private.closed_span (end_time, start_time);
alter table private.closed_span enable row level security, force row level security;
grant select on private.closed_span to booking_reader;
