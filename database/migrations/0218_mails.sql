-- The mailing list: addresses that asked for news. The ID of a row is the secret in its unsubscribe link. Only the
-- service role can read it.
create table public.mailing_list (
  id uuid default gen_random_uuid() not null,
  email text not null,
  consented_at timestamptz default clock_timestamp() not null,
  unsubscribed_at timestamptz,
  created_at timestamptz default clock_timestamp() not null,
  bounced_at timestamptz,
  bounce_reason text,
  constraint mailing_list_pkey primary key (id),
  constraint mailing_list_bounce_reason_check check (char_length(bounce_reason) <= 200),
  constraint mailing_list_email_check check (
    (char_length(email) between 3 and 255) and (email ~~ '%_@_%')
  ),
  constraint mailing_list_plain check (private.is_plain(email))
);
-- A search for a word such as "alex@" first looks for addresses with that beginning, in this index. A search of
-- mailing_list_search for any part of an address takes longer the more addresses there are.
create index mailing_list_beginning on public.mailing_list (email text_pattern_ops);
create unique index mailing_list_email on public.mailing_list (lower(btrim(email)));
create index mailing_list_newest on public.mailing_list (created_at desc, id);
create index mailing_list_search on public.mailing_list using gin (email extensions.gin_trgm_ops);
alter table public.mailing_list enable row level security, force row level security;
grant insert (email) on public.mailing_list to anon;
grant insert (email) on public.mailing_list to authenticated;

-- The numbers of addresses that receive news, have unsubscribed and have bounced, in one row. Triggers keep them up to
-- date, because counting the list takes longer the more addresses there are.
create table private.mailing_list_count (
  singleton boolean default true not null,
  subscribed integer not null,
  gone integer not null,
  bounced integer not null,
  constraint mailing_list_count_pkey primary key (singleton),
  constraint mailing_list_count_bounced_check check (bounced >= 0),
  constraint mailing_list_count_gone_check check (gone >= 0),
  constraint mailing_list_count_singleton_check check (singleton),
  constraint mailing_list_count_subscribed_check check (subscribed >= 0)
);
alter table private.mailing_list_count enable row level security, force row level security;

-- Requests for emails with the access code. A job of the outbox sends each email.
create table public.scheduled_emails (
  id uuid default gen_random_uuid() not null,
  booking_id uuid not null,
  recipient_email text not null,
  email_type text not null,
  status text not null,
  scheduled_for timestamptz not null,
  sent_at timestamptz,
  created_at timestamptz default clock_timestamp() not null,
  constraint scheduled_emails_pkey primary key (id),
  constraint scheduled_emails_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint scheduled_emails_email_type_check check (email_type = 'access_code'),
  constraint scheduled_emails_status_check check (
    status = any (array['pending', 'pending_immediate', 'sent', 'cancelled'])
  )
);
create index scheduled_emails_by_booking on public.scheduled_emails (booking_id);
alter table public.scheduled_emails enable row level security, force row level security;
grant select on public.scheduled_emails to authenticated;
grant insert (booking_id, recipient_email, email_type, status, scheduled_for)
  on public.scheduled_emails to authenticated;

-- Campaigns: emails that staff write to all addresses on the mailing list. One campaign is sent at a time.
create table private.campaign (
  id uuid not null,
  subject text not null,
  body text not null,
  per_minute integer not null,
  -- The number of recipients, and how many emails had each outcome.
  recipients integer default 0 not null,
  sent integer default 0 not null,
  bounced integer default 0 not null,
  -- Recipients that left the list, or bounced in an earlier campaign, before their turn.
  skipped integer default 0 not null,
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz not null,
  -- When the next email is due, according to `per_minute`.
  next_at timestamptz not null,
  -- The end of the queue: an email that cannot be sent in its turn is sent at this time instead.
  tail_at timestamptz not null,
  stopped_at timestamptz,
  finished_at timestamptz,
  constraint campaign_pkey primary key (id),
  constraint campaign_body_check check (char_length(body) between 1 and 10000),
  constraint campaign_bounced_check check (bounced >= 0),
  constraint campaign_per_minute_check check (per_minute between 1 and 600),
  constraint campaign_recipients_check check (recipients >= 0),
  constraint campaign_sent_check check (sent >= 0),
  constraint campaign_skipped_check check (skipped >= 0),
  constraint campaign_subject_check check (
    (char_length(subject) between 1 and 150) and (subject !~ '[\r\n]')
  )
);
create index campaign_newest on private.campaign (created_at desc, id);
create unique index campaign_running on private.campaign ((true))
  where ((stopped_at is null) and (finished_at is null));
alter table private.campaign enable row level security, force row level security;

-- The recipients of campaigns. A recipient is stored as the ID of a row of the mailing list, so that the address is
-- gone once that row is deleted.
create table private.campaign_recipient (
  campaign_id uuid not null,
  subscription_id uuid not null,
  outcome text,
  decided_at timestamptz,
  constraint campaign_recipient_pkey primary key (campaign_id, subscription_id),
  constraint campaign_recipient_campaign_id_fkey
    foreign key (campaign_id) references private.campaign(id) on delete cascade,
  constraint campaign_recipient_decided check ((outcome is null) = (decided_at is null)),
  constraint campaign_recipient_outcome_check check (outcome = any (array['sent', 'bounced', 'skipped']))
);
create index campaign_recipient_by_subscription on private.campaign_recipient (subscription_id);
alter table private.campaign_recipient enable row level security, force row level security;
