-- Offers free hours to the people on the wait list for them, in the order in which they joined. For a person who may
-- claim them, the hours are held and a mail is sent at `p_ask_at`; the claim ends 15 minutes later. Hours that are
-- still free after that are not held: everyone else who waits for them gets a mail. Returns how many people get a mail.
--
-- Returns 0 if another transaction blocks it for half a second, and the task follow_waitlist() tries again: waiting
-- longer could end in a deadlock, and a transaction that frees hours must not fail because of the wait list.
create or replace function private.offer_hours(
  p_studio uuid, p_span tstzrange, p_now timestamptz, p_ask_at timestamptz
)
returns integer language plpgsql volatile security definer set search_path = '' set lock_timeout = '500ms' as $$
declare
  v_until constant timestamptz := p_ask_at + interval '15 minutes';
  v_asked integer := 0;
  v_entry public.waitlist_entries;
  v_claim uuid;
begin
  if not exists (
    select from public.waitlist_entries e
    where e.studio_id = p_studio and e.state = 'waiting'
      and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && p_span and e.start_time > p_now
  ) then return 0; end if;
  begin
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('waitlist:' || p_studio::text, 0));
    -- A closure and a claim of the same room wait for each other here.
    perform from public.studios s where s.id = p_studio and s.active for key share;
    if not found then return 0; end if;
    for v_entry in
      select * from public.waitlist_entries e
      where e.studio_id = p_studio and e.state = 'waiting'
        and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && p_span and e.start_time > p_now
      order by e.place
    loop
      continue when not private.is_free(p_studio, pg_catalog.tstzrange(v_entry.start_time, v_entry.end_time, '[)'))
        or private.is_blocked(v_entry.user_id, p_now);
      -- The same lock as in hold_booking(), so that a hold and a claim count each other.
      perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || v_entry.user_id::text, 0));
      continue when not private.may_claim(v_entry, p_now);
      insert into private.booking (
        reference, user_id, waitlist_entry_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at,
        total_hours, base_cost_cents, final_cost_cents, created_at)
      select private.new_reference(), v_entry.user_id, v_entry.id, s.id, s.name, v_entry.start_time, v_entry.end_time,
        'pending', v_until, least(24, extract(epoch from v_entry.end_time - v_entry.start_time) / 3600), 0, 0, p_now
      from public.studios s
      where s.id = p_studio
      on conflict do nothing
      returning id into v_claim;
      continue when v_claim is null;
      update public.waitlist_entries e set state = 'asked', claim_until = v_until where e.id = v_entry.id;
      insert into private.outbox (kind, subject_id, due_at, deadline_at)
      values ('mail.waitlist', v_entry.id, p_ask_at, v_until)
      on conflict do nothing;
      perform private.audit(
        null, 'create', 'booking', v_claim::text, '{"status": "pending", "reason": "waitlist"}');
      v_asked := v_asked + 1;
    end loop;
    for v_entry in
      select * from public.waitlist_entries e
      where e.studio_id = p_studio and e.state = 'waiting'
        and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && p_span and e.start_time > p_now
        and private.is_free(p_studio, pg_catalog.tstzrange(e.start_time, e.end_time, '[)'))
        and not private.is_blocked(e.user_id, p_now) and not private.may_claim(e, p_now)
      order by e.place
    loop
      update public.waitlist_entries e set state = 'told' where e.id = v_entry.id;
      insert into private.outbox (kind, subject_id, due_at, deadline_at)
      values ('mail.waitlist', v_entry.id, p_ask_at, v_entry.start_time)
      on conflict do nothing;
      v_asked := v_asked + 1;
    end loop;
  exception when lock_not_available or deadlock_detected then
    return 0;
  end;
  return v_asked;
end
$$;

-- Returns whether the hours are neither booked, held nor claimed, and the room is open.
create or replace function private.is_free(p_studio uuid, p_span tstzrange)
returns boolean language sql stable set search_path = '' as $$
  select not exists (
      select from private.booking b
      where b.studio_id = p_studio and b.status in ('pending', 'confirmed') and b.during && p_span)
    and not exists (
      select from private.closed_span c where c.studio_id = p_studio and c.during && p_span)
$$;

-- Returns whether free hours may be held for this entry: the customer's ID is verified until their end, no claim of the
-- customer held some of them in the last 24 hours, and they fit into the unpaid hours that the account may have. A
-- claim that staff took back before its mail was sent does not count.
create or replace function private.may_claim(p_entry public.waitlist_entries, p_now timestamptz)
returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_span constant tstzrange := pg_catalog.tstzrange(p_entry.start_time, p_entry.end_time, '[)');
  v_hours constant numeric := least(24, extract(epoch from p_entry.end_time - p_entry.start_time) / 3600);
begin
  return exists (
      select from public.id_verifications v
      where v.user_id = p_entry.user_id and v.verification_status = 'verified'
        and v.expires_at >= p_entry.end_time and v.expires_at > p_now)
    and not exists (
      select from private.booking b
      where b.user_id = p_entry.user_id and b.studio_id = p_entry.studio_id and b.waitlist_entry_id is not null
        and b.during && v_span and b.created_at > p_now - interval '24 hours'
        and b.cancel_reason is distinct from 'slot_lost')
    and (
      select v_hours <= least(a.fit, a.most_of_booking)
      from private.unpaid_allowance(p_entry.user_id, p_now, '{}') a);
end
$$;

-- Offers the hours that a booking, hold or claim has freed. Deferred to the end of the transaction, so that a hold that
-- replaces another hold of the same person frees only the hours that it does not take again.
create or replace function private.offer_freed_hours()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_now constant timestamptz := coalesce(
    case
      when new.status = 'cancelled' then new.cancelled_at
      else (
        select m.created_at from private.booking_move m where m.booking_id = new.id and m.number = new.moves) end,
    pg_catalog.now());
  -- The mails wait until staff can no longer undo the change.
  v_undo constant timestamptz := (
    select pg_catalog.max(u.until) from private.undo u where u.booking_id = new.id and u.undone_at is null);
begin
  if new.waitlist_entry_id is not null then
    update public.waitlist_entries e
    set state = case when new.cancel_reason = 'replaced' then 'used' else 'passed' end
    where e.id = new.waitlist_entry_id and e.state = 'asked';
  end if;
  perform private.offer_hours(
    old.studio_id, pg_catalog.tstzrange(old.start_time, old.end_time, '[)'), v_now, greatest(v_now, v_undo));
  return null;
end
$$;

create constraint trigger booking_freed after update on private.booking deferrable initially deferred
  for each row when (
    old.status <> 'cancelled' and (
      new.status = 'cancelled'
      or (new.studio_id, new.start_time, new.end_time)
        is distinct from (old.studio_id, old.start_time, old.end_time)))
  execute function private.offer_freed_hours();

-- Offers the hours of a closure that has ended.
create or replace function private.offer_reopened_hours()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.offer_hours(
    old.studio_id, pg_catalog.tstzrange(old.start_time, old.end_time, '[)'), pg_catalog.now(), pg_catalog.now());
  return null;
end
$$;

create constraint trigger closed_span_freed after delete on private.closed_span deferrable initially deferred
  for each row execute function private.offer_reopened_hours();

-- Periodic task: offers hours that are free but were not offered, because another transaction blocked offer_hours().
-- Returns how many people get a mail. Looks at up to 50 entries.
create or replace function private.follow_waitlist(p_now timestamptz)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  v_asked integer := 0;
  v_entry record;
begin
  for v_entry in
    select e.studio_id, pg_catalog.tstzrange(e.start_time, e.end_time, '[)') as span
    from public.waitlist_entries e
    where e.state = 'waiting' and e.start_time > p_now
      and private.is_free(e.studio_id, pg_catalog.tstzrange(e.start_time, e.end_time, '[)'))
      and not private.is_blocked(e.user_id, p_now)
    order by e.place
    limit 50
  loop
    v_asked := v_asked + private.offer_hours(v_entry.studio_id, v_entry.span, p_now, p_now);
  end loop;
  return v_asked;
end
$$;

-- Takes back the claims and notices for these hours whose mails have not been sent, so that staff can undo the change
-- that freed them. The people wait again.
create or replace function private.withdraw_claims(
  p_studio uuid, p_start timestamptz, p_end timestamptz, p_now timestamptz
)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_claim record;
begin
  with unsent as (
    delete from private.outbox o
    using public.waitlist_entries e
    where o.kind = 'mail.waitlist' and o.subject_id = e.id and o.tries = 0 and o.done_at is null
      and e.studio_id = p_studio and e.state = 'told'
      and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && pg_catalog.tstzrange(p_start, p_end, '[)')
    returning e.id)
  update public.waitlist_entries e set state = 'waiting' from unsent u where e.id = u.id;
  for v_claim in
    select b.id, b.waitlist_entry_id as entry
    from private.booking b
    where b.studio_id = p_studio and b.status = 'pending' and b.waitlist_entry_id is not null
      and b.during && pg_catalog.tstzrange(p_start, p_end, '[)')
    order by b.id
    for update
  loop
    delete from private.outbox o
    where o.kind = 'mail.waitlist' and o.subject_id = v_claim.entry and o.tries = 0 and o.done_at is null;
    continue when not found;
    update public.waitlist_entries e set state = 'waiting', claim_until = null where e.id = v_claim.entry;
    update private.booking b set status = 'cancelled', cancel_reason = 'slot_lost', cancelled_at = p_now
    where b.id = v_claim.id;
  end loop;
end
$$;
