-- Rate limits, exact across processes and restarts (promises G28). One row per limit and key holds the time at which its bucket would be full again.

create unlogged table private.rate_bucket (
  name text not null,
  key text not null,
  full_at timestamptz not null,
  primary key (name, key)
);
create index rate_bucket_old on private.rate_bucket (full_at);
alter table private.rate_bucket enable row level security;
alter table private.rate_bucket force row level security;

-- Takes one unit. Null when admitted, else the seconds until one is free.
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
revoke all on function private.take_limit(text, text, numeric, numeric, timestamptz) from public;
