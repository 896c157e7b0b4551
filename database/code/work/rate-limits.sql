-- Takes one unit from a limit of `p_max` units per `p_seconds`. Returns null if it was granted, otherwise how many
-- whole seconds to wait.
create or replace function private.take_limit(
  p_name text, p_key text, p_max numeric, p_seconds numeric, p_now timestamptz
)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  v_step constant interval := pg_catalog.make_interval(secs => (p_seconds / p_max)::double precision);
  v_span constant interval := pg_catalog.make_interval(secs => p_seconds::double precision);
  v_found_at timestamptz;
begin
  insert into private.rate_bucket as b (name, key, full_at) values (p_name, p_key, p_now + v_step)
  on conflict (name, key) do update set full_at = greatest(b.full_at, p_now) + v_step
  where greatest(b.full_at, p_now) + v_step <= p_now + v_span
  returning b.full_at into v_found_at;
  if v_found_at is not null then return null; end if;
  select b.full_at into v_found_at from private.rate_bucket b where b.name = p_name and b.key = p_key;
  return greatest(1, pg_catalog.ceil(extract(epoch from v_found_at + v_step - p_now - v_span)))::integer;
end
$$;

-- Takes up to `p_units` units at once from a limit of `p_max` units per `p_seconds`. `granted` is how many were
-- granted; if it is 0, `wait` is how many whole seconds to wait.
create or replace function private.take_limit_units(
  p_name text, p_key text, p_max numeric, p_seconds numeric, p_now timestamptz, p_units integer,
  out granted integer, out wait integer
)
language plpgsql volatile set search_path = '' as $$
declare
  v_step constant numeric := p_seconds / p_max;
  v_base timestamptz;
  v_free numeric;
begin
  insert into private.rate_bucket (name, key, full_at) values (p_name, p_key, p_now) on conflict (name, key) do nothing;
  select greatest(b.full_at, p_now) into v_base
  from private.rate_bucket b
  where b.name = p_name and b.key = p_key
  for update;
  v_free := p_seconds - extract(epoch from v_base - p_now);
  granted := greatest(0, least(p_units, floor(v_free / v_step + 0.000001)))::integer;
  if granted = 0 then
    wait := greatest(1, ceil(v_step - v_free))::integer;
    return;
  end if;
  update private.rate_bucket b
  set full_at = v_base + pg_catalog.make_interval(secs => (v_step * granted)::double precision)
  where b.name = p_name and b.key = p_key;
end
$$;
