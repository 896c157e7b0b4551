create policy "staff read the scheduled mails" on public.scheduled_emails for select to authenticated
  using ((select public.has_permission('bookings')));

-- Staff can request a mail, but cannot mark one as sent.
create policy "staff schedule a mail" on public.scheduled_emails for insert to authenticated
  with check ((select public.has_permission('bookings')) and status in ('pending', 'pending_immediate'));

-- Sets the recipient of a scheduled mail and queues its job. The recipient is always the customer of the booking,
-- regardless of who requests the mail; for a booking without an account, it is the address that staff entered. The
-- job's deadline is the end of the session, after which the mail is of no use. Raises 23514 if the booking has no
-- address.
create or replace function private.schedule_mail() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_ends timestamptz;
begin
  select coalesce(u.email, case when b.user_id is null then b.guest_email end), b.end_time
  into new.recipient_email, v_ends
  from private.booking b
  left join auth.users u on u.id = b.user_id
  where b.id = new.booking_id;
  if new.recipient_email is null then
    raise exception 'This booking has no email address to send to.' using errcode = '23514';
  end if;
  if new.status in ('pending', 'pending_immediate') then
    insert into private.outbox (kind, subject_id, dedupe, due_at, deadline_at)
    values ('mail.access-code', new.booking_id, new.id::text, new.scheduled_for, v_ends)
    on conflict do nothing;
  end if;
  return new;
end
$$;

create trigger scheduled_emails_recipient before insert on public.scheduled_emails
  for each row execute function private.schedule_mail();

-- Adds an audit entry for each mail that is requested by hand. The confirmation of a booking logs the mails that it
-- schedules itself.
create or replace function private.audit_scheduled_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.audit(auth.uid(), 'create', 'scheduled_email', new.id::text,
    pg_catalog.jsonb_build_object('booking_id', new.booking_id, 'status', new.status));
  return null;
end
$$;

create trigger scheduled_emails_audit after insert on public.scheduled_emails for each row
  when (auth.uid() is not null) execute function private.audit_scheduled_email();
