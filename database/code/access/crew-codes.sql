-- Queues the request for the code of a guest who has joined. It is due an hour before the session, together with the
-- request for the booking's own code.
create or replace function private.queue_crew_code(m private.crew_member) returns void
language sql volatile set search_path = '' as $$
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
  select 'access.request-crew', b.id, m.id || ':' || pg_catalog.gen_random_uuid(),
    pg_catalog.jsonb_build_object('memberId', m.id), b.start_time - interval '60 minutes', b.end_time
  from private.booking b
  where b.id = m.booking_id
$$;

-- Ends the live codes of one guest of a booking, or of all its guests if p_member is null: marks them 'revoking' and
-- queues their removal from the lock for p_due. Idempotent.
create or replace function private.end_crew_codes(p_booking uuid, p_member uuid, p_due timestamptz) returns void
language sql volatile set search_path = '' as $$
  with ended as (
    update private.crew_code c set status = 'revoking'
    from private.crew_member m
    where m.id = c.crew_member_id and m.booking_id = p_booking
      and (p_member is null or m.id = p_member) and c.status in ('requested', 'issued')
    returning c.id
  )
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
  select 'access.revoke-crew', p_booking, 'ended:' || e.id, pg_catalog.jsonb_build_object('codeId', e.id), p_due
  from ended e
  on conflict do nothing
$$;

-- Ends the guests' codes when the status, room or hours of their booking change, whatever makes the change, and queues
-- new codes if the booking is confirmed.
create or replace function private.follow_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.end_crew_codes(new.id, null, pg_catalog.now());
  if new.status = 'confirmed' then
    perform private.queue_crew_code(m)
    from private.crew_member m
    where m.booking_id = new.id and m.state = 'joined';
  end if;
  return null;
end
$$;

create trigger crew_follows_booking after update on private.booking for each row
  when ((old.status, old.studio_id, old.start_time, old.end_time)
    is distinct from (new.status, new.studio_id, new.start_time, new.end_time))
  execute function private.follow_booking();
