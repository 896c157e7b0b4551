create policy "anybody reads the prices of the studios" on public.price_lists for select to anon, authenticated
  using (studio_id in (select s.id from public.studios s));

-- The price lists that pages need, however many older lists there are: those that were valid in the last seven days
-- in Sydney or will be valid later. The last seven days are included because the day comes from the visitor's clock,
-- so a visitor whose clock is wrong still finds a price.
create or replace view public.current_price_lists with (security_invoker = true) as
select p.studio_id, p.valid_from, p.hour_cents, p.volume_percents
from public.price_lists p
where not exists (
  select from public.price_lists later
  where later.studio_id = p.studio_id and later.valid_from > p.valid_from
    and later.valid_from <= (pg_catalog.now() at time zone 'Australia/Sydney')::date - 7);
revoke delete, insert, truncate, update on public.current_price_lists from service_role;
grant select on public.current_price_lists to anon, authenticated;

-- Sets the price list of a studio from a day on; `p` is {studioId, validFrom, prices: {hourCents, volumePercents}},
-- and a null `studioId` stands for all studios. Without prices it removes the list that begins on that day. Returns
-- 'set', 'no_studio', or 'none' if there was nothing to remove. Raises price_history (23514) for a day that has come,
-- except that prices can begin today if none begin today yet. Idempotent.
create or replace function private.set_price_list(p jsonb, p_actor uuid, p_now timestamptz)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_today constant date := (p_now at time zone 'Australia/Sydney')::date;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_from constant date := (p ->> 'validFrom')::date;
  v_wanted constant jsonb := nullif(p -> 'prices', 'null') || pg_catalog.jsonb_build_object('validFrom', v_from);
  v_before jsonb;
  v_studio_id uuid;
  v_outcome text := 'no_studio';
begin
  for v_studio_id in
    select s.id from public.studios s where v_studio is null or s.id = v_studio order by s.id for update
  loop
    select private.price_list_json(l) into v_before
    from public.price_lists l where l.studio_id = v_studio_id and l.valid_from = v_from;
    if v_outcome = 'no_studio' then v_outcome := 'none'; end if;
    if v_before is null and v_wanted is null then continue; end if;
    v_outcome := 'set';
    if v_before = v_wanted then continue; end if;
    if v_from < v_today or (v_from = v_today and v_before is not null) then
      raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
    end if;
    delete from public.price_lists l where l.studio_id = v_studio_id and l.valid_from = v_from;
    if v_wanted is not null then
      insert into public.price_lists (studio_id, valid_from, hour_cents, volume_percents)
      values (
        v_studio_id, v_from, private.integers(v_wanted -> 'hourCents'), private.integers(v_wanted -> 'volumePercents'));
    end if;
    perform private.audit_prices(p_actor, 'price_list', v_studio_id, v_before, v_wanted);
  end loop;
  perform private.update_hourly_rates(p_now);
  return v_outcome;
end
$$;

-- Keeps price lists whose first day has come, because they are history, and prevents any update of a list. The price
-- lists of a deleted studio are deleted with it.
create or replace function private.keep_price_list()
returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' or (old.valid_from <= (pg_catalog.clock_timestamp() at time zone 'Australia/Sydney')::date
      and exists (select from public.studios s where s.id = old.studio_id)) then
    raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
  end if;
  return old;
end
$$;

create trigger price_lists_history before update or delete on public.price_lists
  for each row execute function private.keep_price_list();

-- Returns a price list as JSON, as the server reads it and the audit log stores it.
create or replace function private.price_list_json(l public.price_lists)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'validFrom', l.valid_from, 'hourCents', l.hour_cents, 'volumePercents', l.volume_percents)
$$;

-- Records a change of prices in the audit log and publishes the event `prices` to staff, so that their pages show it
-- at once. A null `p_before` means that the prices were added, a null `p_after` that they were removed.
create or replace function private.audit_prices(
  p_actor uuid, p_type text, p_studio uuid, p_before jsonb, p_after jsonb
)
returns void language sql volatile set search_path = '' as $$
  select realtime.send(pg_catalog.jsonb_build_object('studio_id', p_studio), 'prices', 'staff', true);
  select private.audit(
    p_actor, case when p_before is null then 'create' when p_after is null then 'delete' else 'update' end, p_type,
    p_studio::text,
    pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('before', p_before, 'after', p_after)))
$$;

-- Converts a JSON array of integers, keeping the order.
create or replace function private.integers(list jsonb)
returns integer[] language sql immutable set search_path = '' as $$
  select array(
    select e.value::integer from pg_catalog.jsonb_array_elements_text(list) with ordinality e order by e.ordinality)
$$;
