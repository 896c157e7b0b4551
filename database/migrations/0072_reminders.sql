-- Reminders of a session: a mail the day before, a text message two hours before. Everybody switches each on or off.

alter table public.profiles
  add column remind_by_email boolean not null default true,
  add column remind_by_text boolean not null default true;
grant update (remind_by_email, remind_by_text) on public.profiles to authenticated;

-- When the booking got the hours that it has.
create function private.hours_since(b private.booking) returns timestamptz language sql stable set search_path = '' as $$
  select greatest(b.confirmed_at, (select pg_catalog.max(m.created_at) from private.booking_move m where m.booking_id = b.id))
$$;

-- Queues the reminders that are due, and returns their number. It compares states, so moves, cancellations that are undone and a server that was down need
-- no cases of their own: the key has the start, so a booking has one reminder of each kind for each start, and a new start has new ones.
-- Whoever booked or moved less than six hours before the mail, or one hour before the text, knows. A mail goes until three hours before the start, a text until
-- half an hour before. Only confirmed numbers get texts; p_texts: whether texts can be sent at all.
create function private.queue_reminders(p_now timestamptz, p_texts boolean) returns integer language sql volatile set search_path = '' as $$
  with queued as (
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
    select k.kind, b.id, extract(epoch from b.start_time)::bigint::text, pg_catalog.jsonb_build_object('startTime', b.start_time), p_now,
      b.start_time - k.until
    from private.booking b
    left join auth.users u on u.id = b.user_id
    left join public.profiles p on p.user_id = b.user_id
    cross join (values ('mail.reminder', interval '24 hours', interval '3 hours', interval '6 hours'),
      ('text.reminder', interval '2 hours', interval '30 minutes', interval '1 hour')) as k (kind, before, until, knows)
    where b.start_time > p_now and b.start_time <= p_now + interval '24 hours' and b.status = 'confirmed' and b.notes is distinct from 'test'
      and p_now between b.start_time - k.before and b.start_time - k.until
      and private.hours_since(b) <= b.start_time - k.before - k.knows
      and case k.kind when 'mail.reminder' then case when b.user_id is null then b.guest_email is not null else p.remind_by_email end
        else p_texts and p.remind_by_text and u.phone is not null and u.phone_confirmed_at is not null end
    on conflict do nothing returning 1
  )
  select count(*)::integer from queued
$$;
