-- Weekly closures without an end: some weeks are closed ahead, and a periodic task adds the weeks that come into
-- reach.

-- Closes hours every week without an end. Takes and returns the same as private.close_hours(); `p.weeks` is the
-- number of weeks that are closed at once.
create or replace function private.close_hours_endlessly(p jsonb, p_actor uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_outcome constant jsonb := private.close_hours(p, p_actor, p_now);
  v_closure constant uuid := (v_outcome ->> 'closureId')::uuid;
begin
  update private.closure c set endless = true where c.id = v_closure and not c.endless;
  if found then
    perform private.audit(p_actor, 'update', 'closure', v_closure::text, '{"after": {"endless": true}}');
  end if;
  return v_outcome;
end
$$;

-- Adds to each endless closure the weeks that start by `p_until`, in the rooms that it closes. If a room has a
-- booking or hold at that time, the week is not closed in this room: such a booking can only be further ahead than
-- customers can book. Returns the number of weeks added. Idempotent.
create or replace function private.extend_closures(p_until timestamptz) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  v_c private.closure;
  v_added integer := 0;
  v_start timestamptz;
  v_end timestamptz;
begin
  if not exists (
    select from private.closure x
    where x.endless and x.reopened_at is null and private.weeks_later(x.start_time, x.weeks) <= p_until)
  then return 0; end if;
  -- Rooms are locked before closures, as in private.close_hours().
  perform from public.studios s order by s.id for update;
  for v_c in
    select * from private.closure x
    where x.endless and x.reopened_at is null and private.weeks_later(x.start_time, x.weeks) <= p_until
    order by x.id for update
  loop
    loop
      v_start := private.weeks_later(v_c.start_time, v_c.weeks);
      exit when v_start > p_until;
      v_end := private.weeks_later(v_c.end_time, v_c.weeks);
      insert into private.closed_span (closure_id, studio_id, start_time, end_time)
      select v_c.id, r.studio_id, v_start, v_end
      from (select distinct p.studio_id from private.closed_span p where p.closure_id = v_c.id) r
      where v_end > v_start and not exists (
        select from private.booking b
        where b.studio_id = r.studio_id and b.status in ('pending', 'confirmed')
          and b.during && pg_catalog.tstzrange(v_start, v_end, '[)'));
      v_c.weeks := v_c.weeks + 1;
      v_added := v_added + 1;
    end loop;
    update private.closure x set weeks = v_c.weeks where x.id = v_c.id;
    perform realtime.send(pg_catalog.jsonb_build_object('closure_id', v_c.id), 'closure', 'staff', true);
  end loop;
  return v_added;
end
$$;
