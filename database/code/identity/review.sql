-- Returns the IDs that wait for a decision, at most `most` and never more than 1,000: what was read from each ID, next
-- to what the account says. Customers whose booking starts soonest come first, then the oldest IDs. `next_session` is
-- the start of the customer's first booking or hold that ends after `ends_after`. Throws 42501 unless the caller has
-- the permission for IDs or is the service key.
create or replace function public.waiting_reviews(
  ends_after timestamptz default now(), most integer default 100
) returns table (
  id uuid, user_id uuid, created_at timestamptz, next_session timestamptz, source text, has_picture boolean,
  failure_reasons text[], first_name text, middle_name text, last_name text, date_of_birth date, expiry_date date,
  confidence numeric, account_name text, account_date_of_birth date, account_email text
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('identity');
  return query
    select v.id, v.user_id, v.created_at, next.start_time, v.source, v.image_path is not null, v.failure_reasons,
      v.extracted_first_name, v.extracted_middle_name, v.extracted_last_name, v.extracted_dob,
      v.extracted_expiry_date, v.ai_confidence_score, p.full_name, p.date_of_birth, p.email
    from public.id_verifications v
    join public.profiles p on p.user_id = v.user_id
    left join lateral (
      select b.start_time
      from private.booking b
      where b.user_id = v.user_id and b.status in ('pending', 'confirmed') and b.end_time > ends_after
      order by b.start_time
      limit 1) next on true
    where v.verification_status = 'review'
    order by next.start_time nulls last, v.created_at, v.id
    limit least(most, 1000);
end
$$;
grant execute on function public.waiting_reviews(timestamp with time zone, integer) to authenticated;

-- Queues a mail about a waiting ID to each member of staff who can decide, at most one an hour. A mail that has not
-- been sent yet covers this ID too: its row is locked, so that it cannot be sent before this ID can be read.
create or replace function private.queue_review_mails()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_staff record;
begin
  for v_staff in
    select distinct p.user_id
    from public.staff_permissions p
    where p.permission in ('identity', 'owner')
    order by p.user_id
  loop
    perform from private.outbox o
    where o.kind = 'mail.review-waiting' and o.subject_id = v_staff.user_id and o.done_at is null
      and o.closed_at is null and o.lease_until < new.created_at
    for update;
    if found then continue; end if;
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    select 'mail.review-waiting', v_staff.user_id, new.id::text,
      greatest(new.created_at, pg_catalog.max(o.due_at) + interval '1 hour')
    from private.outbox o
    where o.kind = 'mail.review-waiting' and o.subject_id = v_staff.user_id
    on conflict do nothing;
  end loop;
  return null;
end
$$;

create trigger id_verifications_mail_staff after insert on public.id_verifications
  for each row when (new.verification_status = 'review') execute function private.queue_review_mails();

-- A newer ID of the same person that is verified or waits for a decision replaces older ones that wait.
create or replace function private.supersede_waiting()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.id_verifications v set verification_status = 'superseded'
  where v.user_id = new.user_id and v.id <> new.id and v.verification_status = 'review';
  return null;
end
$$;

create trigger id_verifications_supersede_waiting after insert on public.id_verifications
  for each row when (new.verification_status in ('verified', 'review')) execute function private.supersede_waiting();

-- Publishes the event `review` to staff when an ID begins or stops waiting, so that their pages reload the queue.
create or replace function private.publish_review()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if (tg_op <> 'INSERT' and old.verification_status = 'review')
    or (tg_op <> 'DELETE' and new.verification_status = 'review') then
    perform realtime.send('{}', 'review', 'staff', true);
  end if;
  return null;
end
$$;

create trigger publish_review after insert or update or delete on public.id_verifications
  for each row execute function private.publish_review();
