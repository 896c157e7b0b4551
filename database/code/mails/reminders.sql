-- Queues the reminders that are due, and returns their number. A mail is due 24 hours before the start and can be sent
-- until 3 hours before; a text message is due 2 hours before and can be sent until half an hour before. A customer who
-- booked or moved less than 6 hours before the mail was due, or 1 hour before the text, gets none, because they have
-- just chosen the hours. Texts go to confirmed numbers only. `p_texts`: whether texts can be sent at all.
--
-- Idempotent: the outbox key contains the start, so each start of a booking has one reminder of each kind. The query
-- compares states rather than events, so moves, undone cancellations and a server that was down need no special cases.
create or replace function private.queue_reminders(p_now timestamptz, p_texts boolean)
returns integer language sql volatile set search_path = '' as $$
  with queued as (
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
    select k.kind, b.id, extract(epoch from b.start_time)::bigint::text,
      pg_catalog.jsonb_build_object('startTime', b.start_time), p_now, b.start_time - k.until
    from private.booking b
    left join auth.users u on u.id = b.user_id
    left join public.profiles p on p.user_id = b.user_id
    cross join (values
      ('mail.reminder', interval '24 hours', interval '3 hours', interval '6 hours'),
      ('text.reminder', interval '2 hours', interval '30 minutes', interval '1 hour')
    ) as k (kind, before, until, knows)
    where b.start_time > p_now and b.start_time <= p_now + interval '24 hours'
      and b.status = 'confirmed' and b.notes is distinct from 'test'
      and p_now between b.start_time - k.before and b.start_time - k.until
      and private.hours_since(b) <= b.start_time - k.before - k.knows
      and case k.kind
        when 'mail.reminder' then case when b.user_id is null then b.guest_email is not null else p.remind_by_email end
        else p_texts and p.remind_by_text and u.phone is not null and u.phone_confirmed_at is not null end
    on conflict do nothing returning 1
  )
  select count(*)::integer from queued
$$;

-- Returns when a booking got its present hours: when it was confirmed, or last moved.
create or replace function private.hours_since(b private.booking)
returns timestamptz language sql stable set search_path = '' as $$
  select greatest(
    b.confirmed_at, (select pg_catalog.max(m.created_at) from private.booking_move m where m.booking_id = b.id))
$$;

-- Queues the thank-you mails for sessions that ended at least half an hour ago, and returns how many were queued. A
-- booking gets one mail, however often it has moved. A session that ended more than twelve hours ago, while no server
-- was running, gets none: it is too late for a mail. Idempotent.
create or replace function private.queue_thanks(p_now timestamptz) returns integer
language sql volatile set search_path = '' as $$
  with queued as (
    insert into private.outbox (kind, subject_id, dedupe, due_at, deadline_at)
    select 'mail.thanks', b.id, '', p_now, b.end_time + interval '24 hours'
    from private.booking b join public.profiles p on p.user_id = b.user_id
    where b.start_time > p_now - interval '38 hours' and b.start_time < p_now
      and b.end_time <= p_now - interval '30 minutes' and b.end_time > p_now - interval '12 hours'
      and b.status = 'confirmed' and b.notes is distinct from 'test' and b.no_show_at is null and p.thank_by_email
    on conflict do nothing returning 1
  )
  select count(*)::integer from queued
$$;
