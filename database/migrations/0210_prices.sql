-- Price lists of studios. A list is valid from a day until the studio's next list begins.
create table public.price_lists (
  id uuid default gen_random_uuid() not null,
  studio_id uuid not null,
  -- The first day of the list, in Sydney.
  valid_from date not null,
  -- The price of each hour of a week in cents, Sunday 12 AM first.
  hour_cents integer[] not null,
  -- The volume discount in percent by the number of booked hours, 1 hour first.
  volume_percents integer[] not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint price_lists_pkey primary key (id),
  constraint price_lists_once unique (studio_id, valid_from),
  constraint price_lists_studio_id_fkey foreign key (studio_id) references public.studios(id) on delete cascade,
  constraint price_lists_hours check (private.is_filled(hour_cents, 168, 100, 100000)),
  constraint price_lists_percents check (private.is_filled(volume_percents, 24, 0, 90)),
  constraint price_lists_valid_from_check check (valid_from between '2000-01-01'::date and '2199-12-31'::date)
);
alter table public.price_lists enable row level security, force row level security;
revoke delete, insert, truncate, update on public.price_lists from service_role;
grant select on public.price_lists to anon, authenticated;

-- Days whose hours have their own prices. The volume discount of the price list applies to them too.
create table public.special_days (
  id uuid default gen_random_uuid() not null,
  studio_id uuid not null,
  name text not null,
  -- Dates in Sydney, both inclusive.
  first_day date not null,
  last_day date not null,
  -- The price of each hour of these days in cents, 12 AM first.
  hour_cents integer[] not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint special_days_pkey primary key (id),
  constraint special_days_apart
    exclude using gist (studio_id with =, daterange(first_day, last_day, '[]') with &&),
  constraint special_days_studio_id_fkey foreign key (studio_id) references public.studios(id) on delete cascade,
  constraint special_days_first_day_check check (first_day between '2000-01-01'::date and '2199-12-31'::date),
  constraint special_days_hours check (private.is_filled(hour_cents, 24, 100, 100000)),
  constraint special_days_name_check check (char_length(name) between 1 and 80),
  constraint special_days_order check (last_day between first_day and (first_day + 366))
);
alter table public.special_days enable row level security, force row level security;
revoke delete, insert, truncate, update on public.special_days from service_role;
grant select on public.special_days to anon, authenticated;
