-- Rate limits, exact across processes and restarts. Each row is one limit of one key, as a leaky bucket.
-- The table is logged: after a crash of PostgreSQL an unlogged one would be empty.

create table private.rate_bucket (
  name text not null,
  key text not null,
  -- When the bucket would be empty again if nobody called.
  full_at timestamptz not null,
  primary key (name, key)
);
create index rate_bucket_old on private.rate_bucket (full_at);
alter table private.rate_bucket enable row level security, force row level security;

-- Takes one unit of p_max in p_seconds. Returns null when it is granted, else the seconds to wait.
create function private.take_limit(p_name text, p_key text, p_max numeric, p_seconds numeric, p_now timestamptz)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  step constant interval := pg_catalog.make_interval(secs => (p_seconds / p_max)::double precision);
  span constant interval := pg_catalog.make_interval(secs => p_seconds::double precision);
  found_at timestamptz;
begin
  insert into private.rate_bucket as b (name, key, full_at) values (p_name, p_key, p_now + step)
  on conflict (name, key) do update set full_at = greatest(b.full_at, p_now) + step
    where greatest(b.full_at, p_now) + step <= p_now + span
  returning b.full_at into found_at;
  if found_at is not null then return null; end if;
  select b.full_at into found_at from private.rate_bucket b where b.name = p_name and b.key = p_key;
  return greatest(1, pg_catalog.ceil(extract(epoch from found_at + step - p_now - span)))::integer;
end
$$;

-- Takes up to p_units at once. Returns how many were granted and, when none was, the whole seconds to wait.
create function private.take_limit_units(p_name text, p_key text, p_max numeric, p_seconds numeric, p_now timestamptz, p_units integer, out granted integer, out wait integer)
language plpgsql volatile set search_path = '' as $$
declare
  step constant numeric := p_seconds / p_max;
  base timestamptz;
  free numeric;
begin
  insert into private.rate_bucket (name, key, full_at) values (p_name, p_key, p_now) on conflict (name, key) do nothing;
  select greatest(b.full_at, p_now) into base from private.rate_bucket b where b.name = p_name and b.key = p_key for update;
  free := p_seconds - extract(epoch from base - p_now);
  granted := greatest(0, least(p_units, floor(free / step + 0.000001)))::integer;
  if granted = 0 then
    wait := greatest(1, ceil(step - free))::integer;
    return;
  end if;
  update private.rate_bucket b set full_at = base + pg_catalog.make_interval(secs => (step * granted)::double precision)
    where b.name = p_name and b.key = p_key;
end
$$;
