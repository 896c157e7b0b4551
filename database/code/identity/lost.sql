-- Maintains private.lost_verification: an account that loses its last verified ID is added, and the next verified ID
-- removes it.
create or replace function private.follow_verification()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.verification_status = 'verified' then
    delete from private.lost_verification l where l.user_id = new.user_id;
  elsif not exists (
    select from public.id_verifications v
    where v.user_id = new.user_id and v.verification_status = 'verified' and v.expires_at > pg_catalog.now()
  ) then
    insert into private.lost_verification (user_id, lost_at) values (new.user_id, pg_catalog.now())
    on conflict do nothing;
  end if;
  return null;
end
$$;

create trigger id_verifications_verified after insert or update of verification_status on public.id_verifications
  for each row when (new.verification_status = 'verified') execute function private.follow_verification();

create trigger id_verifications_lost after update of verification_status on public.id_verifications
  for each row when (old.verification_status = 'verified' and new.verification_status <> 'verified')
  execute function private.follow_verification();

-- Raises the confirmed bookings that start within `p_before` and whose customer has lost the ID check: with an alert, a
-- mail to the staff who can decide, and a mail to the customer. Each booking is raised once. Bookings that staff made
-- are left out, because they need no ID. Returns how many bookings were raised.
create or replace function private.raise_missing_ids(p_now timestamptz, p_before interval)
returns integer language plpgsql volatile set search_path = '' as $$
declare
  v_booking uuid;
  v_raised integer := 0;
begin
  for v_booking in
    insert into private.missing_id (booking_id, raised_at)
    select b.id, p_now
    from private.lost_verification l
    join private.booking b on b.user_id = l.user_id and b.status = 'confirmed' and b.made_by is null
      and b.notes is distinct from 'test'
    where b.start_time > p_now and b.start_time <= p_now + p_before
      and not exists (select from private.missing_id m where m.booking_id = b.id)
    -- Locked, so that an ID that is verified at the same moment ends the loss either before or after this transaction.
    for update of l
    on conflict do nothing
    returning booking_id
  loop
    v_raised := v_raised + 1;
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
    select 'mail.id-missing', v_booking, p.user_id::text, pg_catalog.jsonb_build_object('staff', p.user_id), p_now
    from public.staff_permissions p
    where p.permission in ('identity', 'bookings', 'owner')
    group by p.user_id
    on conflict do nothing;
    insert into private.outbox (kind, subject_id, due_at)
    values ('mail.id-needed', v_booking, p_now)
    on conflict do nothing;
    perform private.audit(
      null, 'alert', 'booking', v_booking::text, '{"reason": "the customer has lost the ID check"}');
  end loop;
  if v_raised > 0 then perform realtime.send('{}', 'missing-ids', 'staff', true); end if;
  return v_raised;
end
$$;

-- Returns the raised bookings that must be cancelled now, because staff have not decided to keep them and the ID is
-- still missing: those that start within `p_before` and were raised at least `p_notice` ago. A session that has begun
-- is never among them.
create or replace function private.missing_ids_due(p_now timestamptz, p_before interval, p_notice interval)
returns setof uuid language sql stable set search_path = '' as $$
  select m.booking_id
  from private.missing_id m
  join private.booking b on b.id = m.booking_id and b.status = 'confirmed'
    and b.start_time > p_now and b.start_time <= p_now + p_before
  join private.lost_verification l on l.user_id = b.user_id
  where m.kept_at is null and m.raised_at <= p_now - p_notice
  order by b.start_time
$$;
