-- What the staff's and the developer pages need of the rows (decisions T-62, T-65): whether the pages are on, test bookings that
-- can be ended again, code mails asked for by hand, and the log searched.

-- Asked by the pages before they show themselves; false for everybody but staff, so that nobody else learns of them.
create function public.developer_pages_open() returns boolean
language sql stable security definer set search_path = '' as $$
  select public.is_staff() and coalesce((select s.value = 'true' from private.settings s where s.name = 'developer_pages'), false)
$$;
revoke all on function public.developer_pages_open() from public;
grant execute on function public.developer_pages_open() to anon, authenticated;

-- As in 0009, and staff may end a test booking: it gives its hour back and the lock forgets its code.
create or replace function private.write_bookings() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  is_service constant boolean := coalesce(auth.role() = 'service_role', false);
  made private.booking;
begin
  if tg_op = 'UPDATE' then
    if is_service then
      update private.booking b set status = new.status, cancel_reason = case when new.status = 'cancelled' then coalesce(new.cancel_reason, 'staff') end,
        notes = new.notes, guest_email = new.guest_email
      where b.id = old.id;
      return new;
    end if;
    if old.user_id is not distinct from auth.uid() and old.status = 'confirmed'
       and pg_catalog.to_jsonb(new) = pg_catalog.to_jsonb(old) then
      return new;
    end if;
    if old.notes is not distinct from 'test' and old.status <> 'cancelled' and new.status = 'cancelled'
       and pg_catalog.to_jsonb(new) - 'status' = pg_catalog.to_jsonb(old) - 'status' and public.developer_pages_open() then
      update private.booking b set status = 'cancelled', cancel_reason = 'test_over' where b.id = old.id and b.notes = 'test';
      insert into private.outbox (kind, subject_id, dedupe, due_at) values ('access.revoke', old.id, 'test_over', pg_catalog.now())
      on conflict do nothing;
      perform private.audit(auth.uid(), 'update', 'booking', old.id::text, '{"status": "cancelled", "cancel_reason": "test_over"}');
      new.cancel_reason := 'test_over';
      return new;
    end if;
    raise exception 'permission denied for bookings' using errcode = '42501';
  end if;

  if not is_service and not (new.notes is not distinct from 'test' and public.developer_pages_open()) then
    raise exception 'permission denied for bookings' using errcode = '42501';
  end if;
  insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours,
    base_cost_cents, final_cost_cents, notes, guest_email)
  select private.new_reference(), coalesce(new.user_id, auth.uid()), s.id, s.name, new.start_time, new.end_time,
    coalesce(new.status, 'confirmed'), case when new.status = 'pending' then pg_catalog.now() + interval '15 minutes' end, coalesce(new.total_hours, 1),
    pg_catalog.round(coalesce(new.base_cost, 0) * 100)::integer, pg_catalog.round(coalesce(new.final_cost, new.base_cost, 0) * 100)::integer, new.notes, new.guest_email
  from public.studios s where s.id = new.studio_id
  on conflict do nothing returning * into made;
  if made.id is null then
    raise exception 'that time is taken' using errcode = '23P01';
  end if;
  perform private.audit(auth.uid(), 'create', 'booking', made.id::text, pg_catalog.jsonb_build_object('notes', made.notes));
  new.id := made.id;
  new.user_id := made.user_id;
  new.studio_name := made.studio_name;
  new.status := made.status;
  new.reference := made.reference;
  new.total_hours := made.total_hours;
  new.created_at := made.created_at;
  return new;
end
$$;

-- Staff ask for a mail; they do not say that it went.
drop policy "staff schedule a mail" on public.scheduled_emails;
create policy "staff schedule a mail" on public.scheduled_emails for insert to authenticated
  with check ((select public.is_staff()) and status in ('pending', 'pending_immediate'));

create function private.audit_scheduled_email() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.audit(auth.uid(), 'create', 'scheduled_email', new.id::text,
    pg_catalog.jsonb_build_object('booking_id', new.booking_id, 'status', new.status));
  return null;
end
$$;
revoke all on function private.audit_scheduled_email() from public;
-- What settling a booking schedules is told by the booking's own row.
create trigger scheduled_emails_audit after insert on public.scheduled_emails for each row
  when (auth.uid() is not null) execute function private.audit_scheduled_email();

-- The log, newest first, a hundred rows at a time: those that hold every word of `words` somewhere, before the row named last.
-- Runs with its caller's rights, so the policies of audit_logs decide who gets a row.
create function public.search_audit_logs(words text default '', before_at timestamptz default null, before_id uuid default null)
returns setof public.audit_logs language sql stable security invoker set search_path = '' as $$
  select a.*
  from public.audit_logs a
  where (search_audit_logs.before_at is null or (a.created_at, a.id) < (search_audit_logs.before_at, coalesce(search_audit_logs.before_id, a.id)))
    and not exists (
      select from pg_catalog.regexp_split_to_table(pg_catalog.lower(pg_catalog.left(coalesce(search_audit_logs.words, ''), 200)), '\s+') as w (word)
      where w.word <> '' and pg_catalog.strpos(
        pg_catalog.lower(pg_catalog.concat_ws(' ', a.action, a.resource_type, a.resource_id, a.actor, a.details,
          (select p.email from public.profiles p where p.user_id = a.actor))),
        w.word) = 0
    )
  order by a.created_at desc, a.id desc
  limit 100
$$;
revoke all on function public.search_audit_logs(text, timestamptz, uuid) from public;
grant execute on function public.search_audit_logs(text, timestamptz, uuid) to authenticated;
