create policy "anybody reads the special days of the studios" on public.special_days for select to anon, authenticated
  using (studio_id in (select s.id from public.studios s));

-- Sets the prices of special days of a studio; `p` is {studioId, firstDay, lastDay, prices: {name, hourCents}}, and a
-- null `studioId` stands for all studios. Without prices it removes these days or, if they have begun, those after
-- today. Returns and raises the same as set_price_list(). A day never has two prices (constraint special_days_apart).
create or replace function private.set_special_days(p jsonb, p_actor uuid, p_now timestamptz)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_today constant date := (p_now at time zone 'Australia/Sydney')::date;
  v_studio constant uuid := (p ->> 'studioId')::uuid;
  v_first constant date := (p ->> 'firstDay')::date;
  v_last constant date := (p ->> 'lastDay')::date;
  v_wanted constant jsonb := nullif(p -> 'prices', 'null')
    || pg_catalog.jsonb_build_object('firstDay', v_first, 'lastDay', v_last);
  v_before jsonb;
  v_studio_id uuid;
  v_outcome text := 'no_studio';
begin
  for v_studio_id in
    select s.id from public.studios s where v_studio is null or s.id = v_studio order by s.id for update
  loop
    select private.special_days_json(d) into v_before from public.special_days d
    where d.studio_id = v_studio_id and (d.first_day, d.last_day) = (v_first, v_last);
    if v_outcome = 'no_studio' then v_outcome := 'none'; end if;
    if v_before is null and v_wanted is null then continue; end if;
    v_outcome := 'set';
    if v_before = v_wanted then continue; end if;
    if v_wanted is null and v_first <= v_today and v_last > v_today then
      update public.special_days d set last_day = v_today
      where d.studio_id = v_studio_id and (d.first_day, d.last_day) = (v_first, v_last);
      perform private.audit_prices(
        p_actor, 'special_days', v_studio_id, v_before, v_before || pg_catalog.jsonb_build_object('lastDay', v_today));
      continue;
    end if;
    if v_first < v_today or (v_first = v_today and v_before is not null) then
      raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
    end if;
    delete from public.special_days d
    where d.studio_id = v_studio_id and (d.first_day, d.last_day) = (v_first, v_last);
    if v_wanted is not null then
      insert into public.special_days (studio_id, name, first_day, last_day, hour_cents)
      values (v_studio_id, v_wanted ->> 'name', v_first, v_last, private.integers(v_wanted -> 'hourCents'));
    end if;
    perform private.audit_prices(p_actor, 'special_days', v_studio_id, v_before, v_wanted);
  end loop;
  return v_outcome;
end
$$;

-- Keeps special days that have begun, because they are history. The only update allowed gives up days to come, by an
-- earlier last day that is not before today. The special days of a deleted studio are deleted with it.
create or replace function private.keep_special_days()
returns trigger language plpgsql set search_path = '' as $$
declare
  v_today constant date := (pg_catalog.clock_timestamp() at time zone 'Australia/Sydney')::date;
begin
  if tg_op = 'UPDATE' and (pg_catalog.to_jsonb(new) - 'last_day' is distinct from pg_catalog.to_jsonb(old) - 'last_day'
      or new.last_day not between v_today and old.last_day)
    or tg_op = 'DELETE' and old.first_day <= v_today
      and exists (select from public.studios s where s.id = old.studio_id)
  then
    raise exception 'prices that have begun are kept' using errcode = '23514', constraint = 'price_history';
  end if;
  return case tg_op when 'UPDATE' then new else old end;
end
$$;

create trigger special_days_history before update or delete on public.special_days
  for each row execute function private.keep_special_days();

-- Returns special days as JSON, as the server reads them and the audit log stores them.
create or replace function private.special_days_json(d public.special_days)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'name', d.name, 'firstDay', d.first_day, 'lastDay', d.last_day, 'hourCents', d.hour_cents)
$$;
