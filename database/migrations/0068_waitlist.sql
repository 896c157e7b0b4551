-- The wait list: people ask to be told when taken hours are free. Free hours are held at once for the first who waits for them, for a quarter of an
-- hour, by a claim: a pending row of private.booking without price and payment. So the exclusion constraint, closures, moves, live pages and the
-- task that releases expired holds treat it as any hold. The person's own hold replaces it, and nothing else confirms it.

create table public.waitlist_entries (
  id uuid primary key default gen_random_uuid(),
  -- Who asked first is asked first.
  place bigint generated always as identity,
  user_id uuid not null references auth.users (id) on delete cascade,
  studio_id uuid not null references public.studios (id),
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- used: the person held the hours; passed: the claim expired; left: the person does not want them any more.
  state text not null default 'waiting' check (state in ('waiting', 'asked', 'used', 'passed', 'left')),
  claim_until timestamptz,
  created_at timestamptz not null,
  constraint waitlist_entries_end_after_start check (end_time > start_time),
  constraint waitlist_entries_asked check (state <> 'asked' or claim_until is not null)
);
create unique index waitlist_entries_once on public.waitlist_entries (user_id, studio_id, start_time, end_time) where state in ('waiting', 'asked');
create index waitlist_entries_by_user on public.waitlist_entries (user_id, start_time);
create index waitlist_entries_waiting on public.waitlist_entries using gist (studio_id, tstzrange(start_time, end_time, '[)')) where state = 'waiting';
alter table public.waitlist_entries enable row level security, force row level security;
create policy "people read their own entries" on public.waitlist_entries for select to authenticated
  using (user_id = (select auth.uid()) or (select public.has_permission('bookings')));
grant select on public.waitlist_entries to authenticated;
revoke insert, update, delete, truncate on public.waitlist_entries from service_role;

alter table private.booking
  -- The entry that a claim belongs to; null for every other booking.
  add column waitlist_entry_id uuid references public.waitlist_entries (id) on delete set null,
  add constraint booking_claim_is_no_booking check (waitlist_entry_id is null or status <> 'confirmed');
create index booking_claims on private.booking (waitlist_entry_id) where waitlist_entry_id is not null;

create function private.publish_waitlist() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(new.user_id, 'waitlist', pg_catalog.jsonb_build_object('entry_id', new.id, 'state', new.state));
  return null;
end
$$;
create trigger publish_waitlist after insert or update on public.waitlist_entries for each row execute function private.publish_waitlist();

-- Whether nobody has any of these hours and the studio is open.
create function private.is_free(p_studio uuid, p_span tstzrange) returns boolean language sql stable set search_path = '' as $$
  select not exists (select from private.booking b where b.studio_id = p_studio and b.status in ('pending', 'confirmed') and b.during && p_span)
    and not exists (select from private.closed_span c where c.studio_id = p_studio and c.during && p_span)
$$;

-- Holds free hours for those who wait for some of these, in their order, and queues the mails that ask them. `p_ask_at`: when the mails go out; the
-- claims end a quarter of an hour later. Returns how many people are asked. When another transaction is in the way for half a second, the task that
-- follows the wait list tries again: waiting longer could end in a deadlock, and a transaction that frees hours must not fail because of people who wait.
create function private.offer_hours(p_studio uuid, p_span tstzrange, p_now timestamptz, p_ask_at timestamptz) returns integer
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
  exception when lock_not_available or deadlock_detected then
    return 0;
  end;
  return asked;
end
$$;

-- What happens when a booking, hold or claim lets go of hours. Deferred, so that it sees what the transaction made of them: an own hold that replaces
-- another frees only the hours that it does not take again.
create function private.offer_freed_hours() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_now constant timestamptz := coalesce(
    case when new.status = 'cancelled' then new.cancelled_at
      else (select m.created_at from private.booking_move m where m.booking_id = new.id and m.number = new.moves) end,
    pg_catalog.now());
  -- Nobody is asked while staff can undo.
  v_undo constant timestamptz := (select pg_catalog.max(u.until) from private.undo u where u.booking_id = new.id and u.undone_at is null);
begin
  if new.waitlist_entry_id is not null then
    update public.waitlist_entries e set state = case when new.cancel_reason = 'replaced' then 'used' else 'passed' end
    where e.id = new.waitlist_entry_id and e.state = 'asked';
  end if;
  perform private.offer_hours(old.studio_id, pg_catalog.tstzrange(old.start_time, old.end_time, '[)'), v_now, greatest(v_now, v_undo));
  return null;
end
$$;
create constraint trigger booking_freed after update on private.booking deferrable initially deferred for each row
  when (old.status <> 'cancelled' and (new.status = 'cancelled'
    or (new.studio_id, new.start_time, new.end_time) is distinct from (old.studio_id, old.start_time, old.end_time)))
  execute function private.offer_freed_hours();

create function private.offer_reopened_hours() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.offer_hours(old.studio_id, pg_catalog.tstzrange(old.start_time, old.end_time, '[)'), pg_catalog.now(), pg_catalog.now());
  return null;
end
$$;
create constraint trigger closed_span_freed after delete on private.closed_span deferrable initially deferred for each row
  execute function private.offer_reopened_hours();
revoke execute on function private.publish_waitlist(), private.offer_hours(uuid, tstzrange, timestamptz, timestamptz), private.offer_freed_hours(),
  private.offer_reopened_hours() from public;

-- Periodic task: asks those whose hours are free although nobody asked them yet, because another transaction was in the way.
create function private.follow_waitlist(p_now timestamptz) returns integer language plpgsql volatile set search_path = '' as $$
declare
  asked integer := 0;
  entry record;
begin
  for entry in
    select e.studio_id, pg_catalog.tstzrange(e.start_time, e.end_time, '[)') as span from public.waitlist_entries e
    where e.state = 'waiting' and e.start_time > p_now and private.is_free(e.studio_id, pg_catalog.tstzrange(e.start_time, e.end_time, '[)'))
      and not private.is_blocked(e.user_id, p_now)
    order by e.place limit 50
  loop
    asked := asked + private.offer_hours(entry.studio_id, entry.span, p_now, p_now);
  end loop;
  return asked;
end
$$;

-- Puts a person on the wait list for a span: {outcome: 'joined', entryId, ahead}; or {outcome} alone: 'free' when nobody has the hours, 'own' when
-- the person has some of them, 'too_many' when the person waits for `p_max` spans to come. Joining again answers the same.
create function private.join_waitlist(p_user uuid, p_studio uuid, p_start timestamptz, p_end timestamptz, p_max integer, p_now timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_span constant tstzrange := pg_catalog.tstzrange(p_start, p_end, '[)');
  entry public.waitlist_entries;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('waiting:' || p_user::text, 0));
  -- Whoever frees these hours at this moment has either freed them before or finds the entry.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('waitlist:' || p_studio::text, 0));
  select * into entry from public.waitlist_entries e
  where (e.user_id, e.studio_id, e.start_time, e.end_time) = (p_user, p_studio, p_start, p_end) and e.state in ('waiting', 'asked');
  if not found then
    if exists (select from private.booking b where b.user_id = p_user and b.studio_id = p_studio and b.status <> 'cancelled' and b.during && v_span) then
      return '{"outcome": "own"}';
    end if;
    if private.is_free(p_studio, v_span) then return '{"outcome": "free"}'; end if;
    if (select count(*) from public.waitlist_entries e where e.user_id = p_user and e.state in ('waiting', 'asked') and e.start_time > p_now) >= p_max then
      return '{"outcome": "too_many"}';
    end if;
    insert into public.waitlist_entries (user_id, studio_id, start_time, end_time, created_at) values (p_user, p_studio, p_start, p_end, p_now)
    returning * into entry;
  end if;
  return pg_catalog.jsonb_build_object('outcome', 'joined', 'entryId', entry.id, 'ahead', (
    select count(*) from public.waitlist_entries e
    where e.studio_id = p_studio and e.state in ('waiting', 'asked') and e.place < entry.place
      and pg_catalog.tstzrange(e.start_time, e.end_time, '[)') && v_span));
end
$$;

-- Takes a person's entry off the wait list and ends its claim, so that the next one is asked. Returns false when the person has no such entry; taking
-- it off again changes nothing.
create function private.leave_waitlist(p_user uuid, p_entry uuid, p_now timestamptz) returns boolean language plpgsql volatile set search_path = '' as $$
declare
  v_claim uuid;
begin
  -- The claim is locked before the entry, as by the hold that replaces it.
  select b.id into v_claim from private.booking b
  where b.waitlist_entry_id = p_entry and b.user_id = p_user and b.status = 'pending' for update;
  update public.waitlist_entries e set state = 'left' where e.id = p_entry and e.user_id = p_user and e.state in ('waiting', 'asked');
  if not found then
    return exists (select from public.waitlist_entries e where e.id = p_entry and e.user_id = p_user);
  end if;
  if v_claim is not null then
    update private.booking b set status = 'cancelled', cancel_reason = 'abandoned', cancelled_at = p_now where b.id = v_claim;
    perform private.audit(p_user, 'update', 'booking', v_claim::text, '{"status": "cancelled", "reason": "abandoned"}');
  end if;
  return true;
end
$$;

-- Takes claims of these hours back whose people nobody has asked yet, for staff who undo: those people wait again.
create function private.withdraw_claims(p_studio uuid, p_start timestamptz, p_end timestamptz, p_now timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  claim record;
begin
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

-- As before, without claims: nobody has tried to pay for them.
create or replace function private.unpaid_holds(p_user uuid, p_now timestamptz) returns setof private.booking language sql stable set search_path = '' as $$
  select b.* from private.booking b
  where b.user_id = p_user and b.status <> 'confirmed' and b.confirmed_at is null and b.notes is distinct from 'test' and b.made_by is null
    and b.waitlist_entry_id is null
    and (b.status = 'pending' or b.created_at > p_now - interval '1 hour') and b.cancel_reason is distinct from 'payment_failed'
    and not private.payment_is_processing(b.id)
$$;

-- As before, without claims: they are entries of the wait list.
create or replace function public.own_bookings() returns table (
  id uuid, reference text, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, cancel_reason text,
  hold_expires_at timestamptz, total_hours numeric, final_cost numeric, coupon_code text, coupon_type text, coupon_value numeric,
  free_cancel_hours numeric, created_at timestamptz, base_cost numeric, volume_discount numeric, slots jsonb
)
language sql stable security definer set search_path = '' as $$
  select b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.cancel_reason,
    b.hold_expires_at, b.total_hours, (b.final_cost_cents / 100.0)::numeric(10, 2), b.coupon_terms ->> 'code', b.coupon_terms ->> 'discountType',
    (b.coupon_terms ->> 'discountValue')::numeric, (b.policy ->> 'freeCancelHours')::numeric, b.created_at,
    (b.base_cost_cents / 100.0)::numeric(10, 2), (b.discount_cents / 100.0)::numeric(10, 2), case when b.status = 'pending' then b.slots end
  from private.booking b
  where b.user_id = auth.uid() and b.waitlist_entry_id is null
    and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;
