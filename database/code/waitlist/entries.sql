create policy "people read their own entries" on public.waitlist_entries for select to authenticated
  using (user_id = (select auth.uid()) or (select public.has_permission('bookings')));

-- Puts a person on the wait list for a room and a span. Idempotent. Returns {outcome: 'joined', entryId, ahead}, where
-- `ahead` is the number of people who wait for some of these hours and joined earlier; otherwise only {outcome}: 'free'
-- (the hours are free), 'own' (the person has some of them) or 'too_many' (the person already waits for `p_max` spans
-- that have not begun).
create or replace function private.join_waitlist(
  p_user uuid, p_studio uuid, p_start timestamptz, p_end timestamptz, p_max integer, p_now timestamptz
)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_span constant tstzrange := pg_catalog.tstzrange(p_start, p_end, '[)');
  v_entry public.waitlist_entries;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('waiting:' || p_user::text, 0));
  -- A transaction that frees these hours at the same moment either has freed them already or will find the entry.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('waitlist:' || p_studio::text, 0));
  select * into v_entry
  from public.waitlist_entries e
  where (e.user_id, e.studio_id, e.start_time, e.end_time) = (p_user, p_studio, p_start, p_end)
    and e.state in ('waiting', 'asked');
  if not found then
    if exists (
      select from private.booking b
      where b.user_id = p_user and b.studio_id = p_studio and b.status <> 'cancelled' and b.during && v_span
    ) then
      return '{"outcome": "own"}';
    end if;
    if private.is_free(p_studio, v_span) then return '{"outcome": "free"}'; end if;
    if (
      select count(*)
      from public.waitlist_entries e
      where e.user_id = p_user and e.state in ('waiting', 'asked') and e.start_time > p_now) >= p_max then
      return '{"outcome": "too_many"}';
    end if;
    insert into public.waitlist_entries (user_id, studio_id, start_time, end_time, created_at)
    values (p_user, p_studio, p_start, p_end, p_now)
    returning * into v_entry;
  end if;
  return pg_catalog.jsonb_build_object('outcome', 'joined', 'entryId', v_entry.id, 'ahead', (
    select count(*)
    from public.waitlist_entries e
    where e.studio_id = p_studio and e.state in ('waiting', 'asked') and e.place < v_entry.place
      and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && v_span));
end
$$;

-- Takes a person's entry off the wait list and ends its claim, so that the next person in line is asked. Idempotent.
-- Returns false if the person has no such entry.
create or replace function private.leave_waitlist(p_user uuid, p_entry uuid, p_now timestamptz)
returns boolean language plpgsql volatile set search_path = '' as $$
declare
  v_claim uuid;
begin
  -- The claim is locked before the entry, in the same order as in the hold that replaces a claim.
  select b.id into v_claim
  from private.booking b
  where b.waitlist_entry_id = p_entry and b.user_id = p_user and b.status = 'pending'
  for update;
  update public.waitlist_entries e set state = 'left'
  where e.id = p_entry and e.user_id = p_user and e.state in ('waiting', 'asked');
  if not found then
    return exists (select from public.waitlist_entries e where e.id = p_entry and e.user_id = p_user);
  end if;
  if v_claim is not null then
    update private.booking b set status = 'cancelled', cancel_reason = 'abandoned', cancelled_at = p_now
    where b.id = v_claim;
    perform private.audit(
      p_user, 'update', 'booking', v_claim::text, '{"status": "cancelled", "reason": "abandoned"}');
  end if;
  return true;
end
$$;

-- Publishes each change of an entry to the account that waits, as {entry_id, state}.
create or replace function private.publish_waitlist()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(
    new.user_id, 'waitlist', pg_catalog.jsonb_build_object('entry_id', new.id, 'state', new.state));
  return null;
end
$$;

create trigger publish_waitlist after insert or update on public.waitlist_entries
  for each row execute function private.publish_waitlist();
