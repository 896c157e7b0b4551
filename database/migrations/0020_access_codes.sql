-- Access codes of the studios' doors. Staff see the public table; the digits are encrypted in the private one.

create table public.booking_access_codes (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references private.booking (id),
  attempt integer not null check (attempt > 0),
  status text not null default 'requested' check (status in ('requested', 'issued', 'revoke_pending', 'revoked', 'failed')),
  mode text not null check (mode in ('bridge', 'hourly', 'onetime')),
  -- The window that the lock was given.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  release_at timestamptz not null,
  issued_at timestamptz,
  used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  unique (booking_id, attempt),
  constraint access_code_ends_after_start check (ends_at > starts_at)
);
-- One code of a booking opens the door at a time.
create unique index access_code_one_live on public.booking_access_codes (booking_id) where status in ('requested', 'issued') and mode = 'bridge';
create index access_code_newest on public.booking_access_codes (created_at desc);
alter table public.booking_access_codes enable row level security, force row level security;
create policy "staff read the access codes" on public.booking_access_codes for select to authenticated using ((select public.is_staff()));
grant select on public.booking_access_codes to authenticated;

create table private.access_secret (
  code_id uuid primary key references public.booking_access_codes (id) on delete cascade,
  lock_id text not null,
  -- Which of the lock's codes for this window. Written before the lock is asked, so that a repeated request gives the same code.
  variant integer not null check (variant >= 0),
  pin_encrypted text,
  -- Keyed hash of the digits: finds a code that the lock reports as used, and keeps two live codes of one lock apart.
  pin_fingerprint text,
  provider_code_id text,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- False once the lock has deleted the code.
  live boolean not null default true
);
create unique index access_secret_variant on private.access_secret (lock_id, starts_at, ends_at, variant) where variant > 0;
create unique index access_secret_pin on private.access_secret (lock_id, pin_fingerprint) where live and pin_fingerprint is not null;
alter table private.access_secret enable row level security, force row level security;

-- Mails with the access code. A row is a request; a job of the outbox sends the mail.
create table public.scheduled_emails (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references private.booking (id),
  recipient_email text not null,
  email_type text not null check (email_type in ('access_code')),
  status text not null check (status in ('pending', 'pending_immediate', 'sent', 'cancelled')),
  scheduled_for timestamptz not null,
  sent_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index scheduled_emails_by_booking on public.scheduled_emails (booking_id);
alter table public.scheduled_emails enable row level security, force row level security;
create policy "staff read the scheduled mails" on public.scheduled_emails for select to authenticated using ((select public.is_staff()));
-- Staff request a mail; they cannot say that it was sent.
create policy "staff schedule a mail" on public.scheduled_emails for insert to authenticated
  with check ((select public.is_staff()) and status in ('pending', 'pending_immediate'));
grant select on public.scheduled_emails to authenticated;
grant insert (booking_id, recipient_email, email_type, status, scheduled_for) on public.scheduled_emails to authenticated;

-- Addresses the mail to the person who booked, whoever requests it, and queues its job. The mail is worth sending until the session ends.
create function private.schedule_mail() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  ends timestamptz;
begin
  select u.email, b.end_time into new.recipient_email, ends from private.booking b join auth.users u on u.id = b.user_id where b.id = new.booking_id;
  if new.recipient_email is null then
    raise exception 'there is nobody to write to for this booking' using errcode = '23514';
  end if;
  if new.status in ('pending', 'pending_immediate') then
    insert into private.outbox (kind, subject_id, dedupe, due_at, deadline_at)
    values ('mail.access-code', new.booking_id, new.id::text, new.scheduled_for, ends) on conflict do nothing;
  end if;
  return new;
end
$$;
create trigger scheduled_emails_recipient before insert on public.scheduled_emails for each row execute function private.schedule_mail();

-- Requests by hand only: the confirmation of a booking records the mails it schedules itself.
create function private.audit_scheduled_email() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.audit(auth.uid(), 'create', 'scheduled_email', new.id::text,
    pg_catalog.jsonb_build_object('booking_id', new.booking_id, 'status', new.status));
  return null;
end
$$;
create trigger scheduled_emails_audit after insert on public.scheduled_emails for each row
  when (auth.uid() is not null) execute function private.audit_scheduled_email();
