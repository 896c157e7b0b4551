-- The studios that people book.

create table public.studios (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (char_length(name) between 1 and 80),
  description text not null default '' check (char_length(description) <= 1000),
  features text[] not null default '{}',
  -- AUD dollars of the cheapest hour, shown as "from $X". What is charged comes from the rates in rules/pricing.ts.
  hourly_rate numeric(8, 2) not null check (hourly_rate >= 0),
  active boolean not null default true,
  created_at timestamptz not null default clock_timestamp()
);
alter table public.studios enable row level security, force row level security;
create policy "anybody reads the studios" on public.studios for select to anon, authenticated using (active);
grant select on public.studios to anon, authenticated;
