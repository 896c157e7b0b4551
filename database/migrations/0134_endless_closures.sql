-- Weekly closures without an end: the weeks that come into reach are added to them.

alter table private.closure
  add column endless boolean not null default false,
  drop constraint closure_weeks_check,
  -- A hundred years; what staff ask for at once is limited where they ask.
  add constraint closure_weeks_check check (weeks between 1 and 5200);
comment on column private.closure.endless is 'Whether it goes on every week; `weeks` then says how many there are so far.';

-- This replaces the view of 0100. It also says whether a closure is endless.
create or replace view public.closed_hours with (security_barrier = true) as
select s.closure_id, s.studio_id, s.start_time, s.end_time, c.public,
  case when c.public or (select public.is_staff()) or (select auth.role()) = 'service_role' then c.reason end as reason, c.weeks, c.endless
from private.closed_span s
cross join lateral (select x.public, x.reason, x.weeks, x.endless from private.closure x where x.id = s.closure_id offset 0) c;

-- Closes hours every week without an end. p and the answer are those of private.close_hours(); p.weeks says how many weeks there are from the start.
create function private.close_hours_endlessly(p jsonb, p_actor uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_outcome constant jsonb := private.close_hours(p, p_actor, p_now);
  v_closure constant uuid := (v_outcome ->> 'closureId')::uuid;
begin
  update private.closure c set endless = true where c.id = v_closure and not c.endless;
  if found then perform private.audit(p_actor, 'update', 'closure', v_closure::text, '{"after": {"endless": true}}'); end if;
  return v_outcome;
end
$$;

-- Adds the weeks that begin before p_until to closures without an end, in the rooms that they close. A room that has a booking at that time is left out: that can
-- only be a booking further ahead than customers can book. Returns how many weeks were added.
create function private.extend_closures(p_until timestamptz) returns integer language plpgsql volatile set search_path = '' as $$
declare
  c private.closure;
  v_added integer := 0;
  v_start timestamptz;
  v_end timestamptz;
begin
  if not exists (select from private.closure x where x.endless and x.reopened_at is null and private.weeks_later(x.start_time, x.weeks) <= p_until)
  then return 0; end if;
  -- Rooms are locked before closures, as private.close_hours() does.
  perform from public.studios s order by s.id for update;
  for c in
    select * from private.closure x where x.endless and x.reopened_at is null and private.weeks_later(x.start_time, x.weeks) <= p_until
    order by x.id for update
  loop
    loop
      v_start := private.weeks_later(c.start_time, c.weeks);
      exit when v_start > p_until;
      v_end := private.weeks_later(c.end_time, c.weeks);
      insert into private.closed_span (closure_id, studio_id, start_time, end_time)
      select c.id, r.studio_id, v_start, v_end from (select distinct p.studio_id from private.closed_span p where p.closure_id = c.id) r
      where v_end > v_start and not exists (select from private.booking b
        where b.studio_id = r.studio_id and b.status in ('pending', 'confirmed') and b.during && pg_catalog.tstzrange(v_start, v_end, '[)'));
      c.weeks := c.weeks + 1;
      v_added := v_added + 1;
    end loop;
    update private.closure x set weeks = c.weeks where x.id = c.id;
    perform realtime.send(pg_catalog.jsonb_build_object('closure_id', c.id), 'closure', 'staff', true);
  end loop;
  return v_added;
end
$$;
create index closure_endless on private.closure (id) where endless and reopened_at is null;

-- This replaces private.reopen_hours() of 0052. Opening a week with all that follow also ends a closure without an end.
create or replace function private.reopen_hours(p_closure uuid, p_from timestamptz, p_following boolean, p_actor uuid, p_now timestamptz) returns text
language plpgsql volatile set search_path = '' as $$
declare
  closed private.closure;
  before jsonb;
  v_opened boolean;
begin
  select * into closed from private.closure c where c.id = p_closure for update;
  if not found then return 'no_closure'; end if;
  if p_from is not null
    and not exists (select from pg_catalog.generate_series(0, closed.weeks - 1) n where private.weeks_later(closed.start_time, n) = p_from)
  then return 'no_week'; end if;
  if closed.reopened_at is not null then return 'reopened'; end if;
  before := private.closure_json(closed) || pg_catalog.jsonb_build_object('starts', private.closure_starts(p_closure, p_now));
  delete from private.closed_span s
  where s.closure_id = p_closure and s.end_time > p_now
    and (p_from is null or s.start_time = p_from or p_following and s.start_time > p_from);
  v_opened := found;
  if p_from is null or p_following then update private.closure c set endless = false where c.id = p_closure and c.endless; end if;
  if not v_opened and p_from is not null then return 'reopened'; end if;
  if exists (select from private.closed_span s where s.closure_id = p_closure and s.end_time > p_now) then
    perform private.changed_closure(closed, before, p_actor, p_now);
  else
    update private.closure c set reopened_at = p_now where c.id = p_closure;
    perform private.audit(p_actor, 'delete', 'closure', p_closure::text, pg_catalog.jsonb_build_object('before', before));
  end if;
  return 'reopened';
end
$$;
