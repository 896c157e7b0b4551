-- The studios that customers book. Staff add, edit, sort and retire them.
create table public.studios (
  id uuid default gen_random_uuid() not null,
  name text not null,
  description text default '' not null,
  features text[] default '{}' not null,
  -- The price of the cheapest hour in AUD dollars, shown as "from $X". Charges come from the rates in rules/pricing.ts.
  hourly_rate numeric(8,2) not null,
  active boolean default true not null,
  created_at timestamptz default clock_timestamp() not null,
  title text default '' not null,
  summary text default '' not null,
  -- Names of objects in the bucket `rooms`, or of built-in drawings: `drawn-a`, `drawn-b` and `drawn-c`.
  photos text[] default '{}' not null,
  sort_order integer default 0 not null,
  -- Whether the room is open in each hour of a week in Sydney, Sunday 12 AM first. The hours outside of the opening
  -- hours are closed spans like those that staff close, so that the grid, holds, moves, calendars and totals treat both
  -- alike.
  open_hours boolean[] default array_fill(true, array[168]) not null,
  -- When the room was first active. An inactive room is a draft if this is null, and retired otherwise.
  opened_at timestamptz,
  constraint studios_pkey primary key (id),
  constraint studios_name_key unique (name),
  constraint studios_description_check check (char_length(description) <= 1000),
  constraint studios_hourly_rate_check check (hourly_rate >= (0)::numeric),
  constraint studios_name_check check (char_length(name) between 1 and 80),
  constraint studios_open_hours check (
    (array_ndims(open_hours) = 1) and (array_lower(open_hours, 1) = 1) and (cardinality(open_hours) = 168)
    and (array_position(open_hours, null::boolean) is null)
  ),
  constraint studios_photos check (
    (cardinality(photos) <= 8) and (array_position(photos, null::text) is null)
    and (
      array_to_string(photos, ' ')
      ~ '^((drawn-[abc]|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))( |$))*$'
    )
  ),
  constraint studios_summary_check check (char_length(summary) <= 300),
  constraint studios_title_check check (char_length(title) <= 80)
);
alter table public.studios enable row level security, force row level security;
grant select on public.studios to anon, authenticated;
alter table private.shown_secret
  add constraint shown_secret_studio_id_fkey foreign key (studio_id) references public.studios(id);

-- The locks of rooms for which staff have set one. IGLOOHOME_LOCKS names the locks of the others.
create table private.studio_lock (
  studio_id uuid not null,
  lock_id text not null,
  constraint studio_lock_pkey primary key (studio_id),
  constraint studio_lock_studio_id_fkey foreign key (studio_id) references public.studios(id) on delete cascade,
  constraint studio_lock_lock_id_check check (char_length(lock_id) between 1 and 120)
);
alter table private.studio_lock enable row level security, force row level security;

-- The plugs of rooms that do not use the default plug. SHELLY_PLUGS gives the address of each named plug.
create table private.studio_plug (
  studio_id uuid not null,
  plug text not null,
  constraint studio_plug_pkey primary key (studio_id),
  constraint studio_plug_studio_id_fkey foreign key (studio_id) references public.studios(id) on delete cascade,
  constraint studio_plug_plug_check check (char_length(plug) between 1 and 80)
);
alter table private.studio_plug enable row level security, force row level security;

-- Whether each plug should be on for the sessions of its rooms. A plug has no row until this is first decided.
create table private.light_state (
  wanted boolean not null,
  changed_at timestamptz not null,
  -- The subject of the jobs that switch the plug.
  id uuid default gen_random_uuid() not null,
  -- '' is the default plug (SHELLY_URL), which serves the rooms without one.
  plug text not null,
  -- The start of the newest session for which the plug was switched on. Each session switches it on, also if a customer
  -- has switched off the lights during the session before.
  newest_start timestamptz,
  constraint light_state_pkey primary key (id),
  constraint light_state_plug_key unique (plug),
  constraint light_state_plug_check check (char_length(plug) <= 80)
);
alter table private.light_state enable row level security, force row level security;

-- The state of each studio's lock at the last check that the lock system answered.
create table private.lock_state (
  studio_id uuid not null,
  lock_id text not null,
  -- Null if the lock system cannot tell, for example without a bridge.
  online boolean,
  battery_percent integer,
  checked_at timestamptz not null,
  -- When the lock itself last answered or reported something.
  heard_at timestamptz,
  offline_since timestamptz,
  -- When the battery was first found to be low.
  low_since timestamptz,
  -- When a check first found that the lock service does not know the lock. Null if it knows the lock.
  unknown_since timestamptz,
  constraint lock_state_pkey primary key (studio_id),
  constraint lock_state_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint lock_state_battery_percent_check check (battery_percent between 0 and 100),
  constraint lock_state_lock_id_check check (char_length(lock_id) between 1 and 60),
  constraint lock_state_low check ((low_since is null) or (battery_percent is not null)),
  constraint lock_state_offline check (
    (offline_since is not null) = (not (online is distinct from false))
  )
);
alter table private.lock_state enable row level security, force row level security;
