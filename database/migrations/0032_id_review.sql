-- ID review: a person decides about an ID that the reader could not judge.

-- What staff decided. The key makes a second decision impossible.
create table private.id_review (
  verification_id uuid primary key references public.id_verifications (id) on delete cascade,
  decision text not null check (decision in ('approve', 'refuse', 'retake')),
  -- What the customer is told; null: the usual words.
  reason text check (char_length(reason) between 1 and 500),
  -- The nil UUID for the service key.
  decided_by uuid not null,
  decided_at timestamptz not null
);
alter table private.id_review enable row level security, force row level security;

create index id_verifications_waiting on public.id_verifications (created_at) where verification_status = 'review';

-- The IDs that wait for a decision, for staff: what was read beside what the account says. Those with the next session first, then the oldest.
create function public.waiting_reviews(ends_after timestamptz default now(), most integer default 100) returns table (
  id uuid, user_id uuid, created_at timestamptz, next_session timestamptz, source text, has_picture boolean, failure_reasons text[],
  first_name text, middle_name text, last_name text, date_of_birth date, expiry_date date, confidence numeric,
  account_name text, account_date_of_birth date, account_email text
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('identity');
  return query
    select v.id, v.user_id, v.created_at, next.start_time, v.source, v.image_path is not null, v.failure_reasons,
      v.extracted_first_name, v.extracted_middle_name, v.extracted_last_name, v.extracted_dob, v.extracted_expiry_date, v.ai_confidence_score,
      p.full_name, p.date_of_birth, p.email
    from public.id_verifications v
    join public.profiles p on p.user_id = v.user_id
    left join lateral (
      select b.start_time from private.booking b
      where b.user_id = v.user_id and b.status in ('pending', 'confirmed') and b.end_time > ends_after
      order by b.start_time limit 1) next on true
    where v.verification_status = 'review'
    order by next.start_time nulls last, v.created_at, v.id
    limit least(most, 1000);
end
$$;
grant execute on function public.waiting_reviews(timestamptz, integer) to authenticated;

-- A newer ID that is verified or waits replaces older ones that wait.
create function private.supersede_waiting() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.id_verifications v set verification_status = 'superseded'
  where v.user_id = new.user_id and v.id <> new.id and v.verification_status = 'review';
  return null;
end
$$;
create trigger id_verifications_supersede_waiting after insert on public.id_verifications for each row
  when (new.verification_status in ('verified', 'review')) execute function private.supersede_waiting();

-- The picture is deleted as soon as nobody has to look at it any more: its job runs now, and again until it has worked.
create function private.delete_decided_picture() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update private.outbox o set due_at = least(o.due_at, pg_catalog.now())
  where o.kind = 'image.delete' and o.subject_id = old.id and o.done_at is null and o.closed_at is null;
  if not found then
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
    values ('image.delete', old.id, 'decided', pg_catalog.jsonb_build_object('key', old.image_path), pg_catalog.now())
    on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger id_verifications_decided after update of verification_status on public.id_verifications for each row
  when (old.image_path is not null and old.verification_status = 'review' and new.verification_status <> 'review')
  execute function private.delete_decided_picture();
create trigger id_verifications_deleted after delete on public.id_verifications for each row
  when (old.image_path is not null) execute function private.delete_decided_picture();

-- Mails each member of staff who may decide that an ID waits, at most once an hour. A mail that is not on its way yet counts this ID too; its row is locked,
-- so that it cannot leave before this ID can be read.
create function private.queue_review_mails() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  staff record;
begin
  for staff in
    select distinct p.user_id from public.staff_permissions p where p.permission in ('identity', 'owner') order by p.user_id
  loop
    perform from private.outbox o
    where o.kind = 'mail.review-waiting' and o.subject_id = staff.user_id and o.done_at is null and o.closed_at is null
      and o.lease_until < new.created_at
    for update;
    if found then continue; end if;
    insert into private.outbox (kind, subject_id, dedupe, due_at)
    select 'mail.review-waiting', staff.user_id, new.id::text,
      greatest(new.created_at, pg_catalog.max(o.due_at) + interval '1 hour')
    from private.outbox o where o.kind = 'mail.review-waiting' and o.subject_id = staff.user_id
    on conflict do nothing;
  end loop;
  return null;
end
$$;
create trigger id_verifications_mail_staff after insert on public.id_verifications for each row
  when (new.verification_status = 'review') execute function private.queue_review_mails();

-- The pages of staff read the queue again.
create function private.publish_review() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if (tg_op <> 'INSERT' and old.verification_status = 'review') or (tg_op <> 'DELETE' and new.verification_status = 'review') then
    perform realtime.send('{}', 'review', 'staff', true);
  end if;
  return null;
end
$$;
create trigger publish_review after insert or update or delete on public.id_verifications for each row
  execute function private.publish_review();
revoke execute on function private.supersede_waiting(), private.delete_decided_picture(), private.queue_review_mails(), private.publish_review()
  from public;
