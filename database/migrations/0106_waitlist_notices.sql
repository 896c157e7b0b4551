-- Claims of the wait list hold hours only for customers with a verified ID, once in a day for the same hours, and within the limit of unpaid hours.
-- Everybody else who waits gets a notice that holds nothing.

-- told: the hours were free, and the person was told; they were held for nobody.
alter table public.waitlist_entries drop constraint waitlist_entries_state_check,
  add constraint waitlist_entries_state_check check (state in ('waiting', 'asked', 'used', 'passed', 'left', 'told'));

-- Whether hours may be held for this entry when they are free: the customer's ID is verified until their end, no claim of the customer held some of them
-- in the last 24 hours, and they fit among the unpaid hours of the account. A claim that staff took back before its mail does not count.
create function private.may_claim(p_entry public.waitlist_entries, p_now timestamptz) returns boolean language plpgsql stable set search_path = '' as $$
declare
  v_span constant tstzrange := pg_catalog.tstzrange(p_entry.start_time, p_entry.end_time, '[)');
  v_hours constant numeric := least(24, extract(epoch from p_entry.end_time - p_entry.start_time) / 3600);
begin
  return exists (
      select from public.id_verifications v
      where v.user_id = p_entry.user_id and v.verification_status = 'verified' and v.expires_at >= p_entry.end_time and v.expires_at > p_now)
    and not exists (
      select from private.booking b
      where b.user_id = p_entry.user_id and b.studio_id = p_entry.studio_id and b.waitlist_entry_id is not null and b.during && v_span
        and b.created_at > p_now - interval '24 hours' and b.cancel_reason is distinct from 'slot_lost')
    and (select v_hours <= least(a.fit, a.most_of_booking) from private.unpaid_allowance(p_entry.user_id, p_now, '{}') a);
end
$$;

-- Holds free hours for those who wait for some of these and may claim them, in their order, and queues the mails that ask them. `p_ask_at`: when the
-- mails go out; the claims end a quarter of an hour later. Hours that are still free then are held for nobody: all others who wait for them are told by
-- mail. Returns how many people get a mail. When another transaction is in the way for half a second, the task that
-- follows the wait list tries again: waiting longer could end in a deadlock, and a transaction that frees hours must not fail because of people who wait.
create or replace function private.offer_hours(p_studio uuid, p_span tstzrange, p_now timestamptz, p_ask_at timestamptz) returns integer
language plpgsql volatile security definer set search_path = '' set lock_timeout = '500ms' as $$
declare
  v_until constant timestamptz := p_ask_at + interval '15 minutes';
  asked integer := 0;
  entry public.waitlist_entries;
  v_claim uuid;
begin
  if not exists (
    select from public.waitlist_entries e
    where e.studio_id = p_studio and e.state = 'waiting' and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && p_span and e.start_time > p_now
  ) then return 0; end if;
  begin
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('waitlist:' || p_studio::text, 0));
    -- A closure and a booking of a studio wait for each other here.
    perform from public.studios s where s.id = p_studio and s.active for key share;
    if not found then return 0; end if;
    for entry in
      select * from public.waitlist_entries e
      where e.studio_id = p_studio and e.state = 'waiting' and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && p_span and e.start_time > p_now
      order by e.place
    loop
      continue when not private.is_free(p_studio, pg_catalog.tstzrange(entry.start_time, entry.end_time, '[)'))
        or private.is_blocked(entry.user_id, p_now);
      -- As in hold_booking, so that a hold and a claim count each other.
      perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || entry.user_id::text, 0));
      continue when not private.may_claim(entry, p_now);
      insert into private.booking (reference, user_id, waitlist_entry_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at,
        total_hours, base_cost_cents, final_cost_cents, created_at)
      select private.new_reference(), entry.user_id, entry.id, s.id, s.name, entry.start_time, entry.end_time, 'pending', v_until,
        least(24, extract(epoch from entry.end_time - entry.start_time) / 3600), 0, 0, p_now
      from public.studios s where s.id = p_studio
      on conflict do nothing returning id into v_claim;
      continue when v_claim is null;
      update public.waitlist_entries e set state = 'asked', claim_until = v_until where e.id = entry.id;
      insert into private.outbox (kind, subject_id, due_at, deadline_at) values ('mail.waitlist', entry.id, p_ask_at, v_until)
      on conflict do nothing;
      perform private.audit(null, 'create', 'booking', v_claim::text, '{"status": "pending", "reason": "waitlist"}');
      asked := asked + 1;
    end loop;
    for entry in
      select * from public.waitlist_entries e
      where e.studio_id = p_studio and e.state = 'waiting' and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && p_span and e.start_time > p_now
        and private.is_free(p_studio, pg_catalog.tstzrange(e.start_time, e.end_time, '[)')) and not private.is_blocked(e.user_id, p_now)
        and not private.may_claim(e, p_now)
      order by e.place
    loop
      update public.waitlist_entries e set state = 'told' where e.id = entry.id;
      insert into private.outbox (kind, subject_id, due_at, deadline_at) values ('mail.waitlist', entry.id, p_ask_at, entry.start_time)
      on conflict do nothing;
      asked := asked + 1;
    end loop;
  exception when lock_not_available or deadlock_detected then
    return 0;
  end;
  return asked;
end
$$;

-- Takes claims and notices of these hours back whose mail has not left, for staff who undo: those people wait again.
create or replace function private.withdraw_claims(p_studio uuid, p_start timestamptz, p_end timestamptz, p_now timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  claim record;
begin
  with unsent as (
    delete from private.outbox o using public.waitlist_entries e
    where o.kind = 'mail.waitlist' and o.subject_id = e.id and o.tries = 0 and o.done_at is null and e.studio_id = p_studio and e.state = 'told'
      and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && pg_catalog.tstzrange(p_start, p_end, '[)')
    returning e.id)
  update public.waitlist_entries e set state = 'waiting' from unsent u where e.id = u.id;
  for claim in
    select b.id, b.waitlist_entry_id as entry from private.booking b
    where b.studio_id = p_studio and b.status = 'pending' and b.waitlist_entry_id is not null
      and b.during && pg_catalog.tstzrange(p_start, p_end, '[)')
    order by b.id for update
  loop
    delete from private.outbox o where o.kind = 'mail.waitlist' and o.subject_id = claim.entry and o.tries = 0 and o.done_at is null;
    continue when not found;
    update public.waitlist_entries e set state = 'waiting', claim_until = null where e.id = claim.entry;
    update private.booking b set status = 'cancelled', cancel_reason = 'slot_lost', cancelled_at = p_now where b.id = claim.id;
  end loop;
end
$$;
