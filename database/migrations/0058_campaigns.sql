-- Mails to everybody on the mailing list. Each address has a job of its own; the campaign keeps the pace and the counts.

alter table public.mailing_list
  -- When the mail server refused the address for good. It gets no more news.
  add bounced_at timestamptz,
  add bounce_reason text check (char_length(bounce_reason) <= 200);
create index mailing_list_search on public.mailing_list using gin (email extensions.gin_trgm_ops);
create index mailing_list_newest on public.mailing_list (created_at desc, id);

create table private.campaign (
  id uuid primary key,
  subject text not null check (char_length(subject) between 1 and 150 and subject !~ '[\r\n]'),
  body text not null check (char_length(body) between 1 and 10000),
  per_minute integer not null check (per_minute between 1 and 600),
  recipients integer not null default 0 check (recipients >= 0),
  sent integer not null default 0 check (sent >= 0),
  bounced integer not null default 0 check (bounced >= 0),
  -- Left the list, or bounced in an earlier campaign, before its turn came.
  skipped integer not null default 0 check (skipped >= 0),
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz not null,
  -- The pace: when the next mail is due, and where mails go that cannot keep their turn.
  next_at timestamptz not null,
  tail_at timestamptz not null,
  stopped_at timestamptz,
  finished_at timestamptz
);
create unique index campaign_running on private.campaign ((true)) where stopped_at is null and finished_at is null;
create index campaign_newest on private.campaign (created_at desc, id);
alter table private.campaign enable row level security, force row level security;

-- Who gets a campaign, by the id of the subscription: an address that leaves the list takes its row there with it.
create table private.campaign_recipient (
  campaign_id uuid not null references private.campaign (id) on delete cascade,
  subscription_id uuid not null,
  outcome text check (outcome in ('sent', 'bounced', 'skipped')),
  decided_at timestamptz,
  primary key (campaign_id, subscription_id),
  constraint campaign_recipient_decided check ((outcome is null) = (decided_at is null))
);
create index campaign_recipient_by_subscription on private.campaign_recipient (subscription_id);
alter table private.campaign_recipient enable row level security, force row level security;

-- Starts a campaign to all who are on the list, with one job for each. Returns {outcome, recipients}: 'started'; 'exists' for a repeated call; 'changed'
-- for the same id with another mail; 'running' while another campaign is sent; 'nobody' when the list is empty.
create function private.start_campaign(p_id uuid, p_subject text, p_body text, p_per_minute integer, p_actor uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  step constant interval := interval '60 seconds' / p_per_minute;
  earlier private.campaign;
  total integer;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('campaign', 0));
  select * into earlier from private.campaign c where c.id = p_id;
  if found then
    return pg_catalog.jsonb_build_object('outcome', case when (earlier.subject, earlier.body) = (p_subject, p_body) then 'exists' else 'changed' end,
      'recipients', earlier.recipients);
  end if;
  if exists (select from private.campaign c where c.stopped_at is null and c.finished_at is null) then
    return pg_catalog.jsonb_build_object('outcome', 'running');
  end if;
  insert into private.campaign (id, subject, body, per_minute, made_by, created_at, next_at, tail_at)
  values (p_id, p_subject, p_body, p_per_minute, p_actor, p_now, p_now, p_now);
  with chosen as (
    insert into private.campaign_recipient (campaign_id, subscription_id)
    select p_id, m.id from public.mailing_list m where m.unsubscribed_at is null and m.bounced_at is null
    returning subscription_id
  ), queued as (
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
    select 'mail.campaign', p_id, n.subscription_id::text, pg_catalog.jsonb_build_object('subscription', n.subscription_id), p_now + (n.place - 1) * step
    from (select c.subscription_id, pg_catalog.row_number() over (order by c.subscription_id) as place from chosen c) n
    returning 1
  )
  select count(*) into total from queued;
  if total = 0 then
    delete from private.campaign c where c.id = p_id;
    return pg_catalog.jsonb_build_object('outcome', 'nobody');
  end if;
  update private.campaign c set recipients = total, tail_at = p_now + total * step where c.id = p_id;
  perform private.audit(p_actor, 'create', 'campaign', p_id::text,
    pg_catalog.jsonb_build_object('subject', p_subject, 'recipients', total, 'per_minute', p_per_minute));
  return pg_catalog.jsonb_build_object('outcome', 'started', 'recipients', total);
end
$$;

-- Stops a campaign and deletes its open jobs; a mail that is being sent still arrives. Returns false when there is no such campaign.
create function private.stop_campaign(p_id uuid, p_actor uuid, p_now timestamptz) returns boolean language plpgsql volatile set search_path = '' as $$
declare
  stopped private.campaign;
begin
  update private.campaign c set stopped_at = p_now where c.id = p_id and c.stopped_at is null and c.finished_at is null returning * into stopped;
  if not found then
    return exists (select from private.campaign c where c.id = p_id);
  end if;
  delete from private.outbox o where o.kind = 'mail.campaign' and o.subject_id = p_id and o.done_at is null;
  perform private.audit(p_actor, 'update', 'campaign', p_id::text,
    pg_catalog.jsonb_build_object('stopped', true, 'sent', stopped.sent, 'recipients', stopped.recipients));
  return true;
end
$$;

-- What the job of one recipient does now: {do: 'nothing'} when the campaign was stopped or the mail was sent; {do: 'skip'} for an address that has left or
-- bounced; {do: 'wait', until} when the pace allows no more; else {do: 'send', email, subject, body}. Up to ten seconds' worth of mails may go at once.
create function private.next_campaign_mail(p_campaign uuid, p_subscription uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  mail private.campaign;
  step interval;
  address text;
begin
  select * into mail from private.campaign c where c.id = p_campaign for update;
  if mail.id is null or mail.stopped_at is not null or not exists (
      select from private.campaign_recipient r where r.campaign_id = p_campaign and r.subscription_id = p_subscription and r.outcome is null) then
    return '{"do": "nothing"}';
  end if;
  select m.email into address from public.mailing_list m where m.id = p_subscription and m.unsubscribed_at is null and m.bounced_at is null;
  if address is null then return '{"do": "skip"}'; end if;
  step := interval '60 seconds' / mail.per_minute;
  if mail.next_at > p_now + interval '10 seconds' then
    update private.campaign c set tail_at = greatest(c.tail_at, p_now) + step where c.id = p_campaign returning * into mail;
    return pg_catalog.jsonb_build_object('do', 'wait', 'until', mail.tail_at);
  end if;
  update private.campaign c set next_at = greatest(c.next_at, p_now) + step where c.id = p_campaign;
  return pg_catalog.jsonb_build_object('do', 'send', 'email', address, 'subject', mail.subject, 'body', mail.body);
end
$$;

-- Records once what became of the mail of a recipient; the last one finishes the campaign.
create function private.record_campaign_mail(p_campaign uuid, p_subscription uuid, p_outcome text, p_reason text, p_now timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- In the order of next_campaign_mail.
  perform from private.campaign c where c.id = p_campaign for update;
  update private.campaign_recipient r set outcome = p_outcome, decided_at = p_now
  where r.campaign_id = p_campaign and r.subscription_id = p_subscription and r.outcome is null;
  if not found then return; end if;
  update private.campaign c set sent = c.sent + (p_outcome = 'sent')::integer, bounced = c.bounced + (p_outcome = 'bounced')::integer,
    skipped = c.skipped + (p_outcome = 'skipped')::integer,
    finished_at = case when c.sent + c.bounced + c.skipped + 1 >= c.recipients then p_now end
  where c.id = p_campaign;
  if p_outcome = 'bounced' then
    update public.mailing_list m set bounced_at = p_now, bounce_reason = pg_catalog.left(p_reason, 200) where m.id = p_subscription and m.bounced_at is null;
  end if;
end
$$;

-- The pages of staff read the campaigns again when one starts or ends; its progress they ask for.
create function private.publish_campaign() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'campaign', 'staff', true);
  return null;
end
$$;
create trigger publish_campaign after insert or update of stopped_at, finished_at on private.campaign for each row execute function private.publish_campaign();
revoke execute on function private.publish_campaign() from public;

-- The newest campaigns with their counts.
create function public.campaigns(most integer default 50) returns table (
  id uuid, subject text, body text, made_by text, created_at timestamptz, per_minute integer, recipients integer, sent integer, bounced integer,
  skipped integer, stopped_at timestamptz, finished_at timestamptz
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query
    select c.id, c.subject, c.body, coalesce(p.full_name, p.email), c.created_at, c.per_minute, c.recipients, c.sent, c.bounced, c.skipped, c.stopped_at,
      c.finished_at
    from private.campaign c left join public.profiles p on p.user_id = c.made_by
    order by c.created_at desc, c.id limit least(most, 200);
end
$$;

-- Addresses of the mailing list that contain the words, newest first. Without the id, which is the secret of the link that leaves the list.
create function public.search_mailing_list(words text default '', most integer default 50) returns table (
  email text, joined_at timestamptz, left_at timestamptz, bounced_at timestamptz, bounce_reason text
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  pattern constant text := '%' || pg_catalog.regexp_replace(pg_catalog.lower(pg_catalog.btrim(pg_catalog.left(coalesce(words, ''), 200))), '([\\%_])', '\\\1', 'g') || '%';
begin
  perform private.require_permission('settings');
  return query
    select m.email, m.consented_at, m.unsubscribed_at, m.bounced_at, m.bounce_reason from public.mailing_list m
    where m.email like pattern order by m.created_at desc, m.id limit least(most, 200);
end
$$;

-- How many addresses get news, have left, and have bounced.
create function public.mailing_list_counts() returns table (subscribed integer, gone integer, bounced integer)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query
    select count(*) filter (where m.unsubscribed_at is null and m.bounced_at is null)::integer, count(m.unsubscribed_at)::integer,
      count(*) filter (where m.unsubscribed_at is null and m.bounced_at is not null)::integer
    from public.mailing_list m;
end
$$;

-- Takes an address off the list for its owner, who asked for it. Returns false when it is not on it.
create function public.remove_from_mailing_list(address text) returns boolean language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  update public.mailing_list m set unsubscribed_at = pg_catalog.clock_timestamp()
  where m.email = pg_catalog.lower(pg_catalog.btrim(address)) and m.unsubscribed_at is null;
  if not found then return false; end if;
  perform private.audit(auth.uid(), 'update', 'mailing_list', null,
    pg_catalog.jsonb_build_object('email', pg_catalog.lower(pg_catalog.btrim(address)), 'before', 'subscribed', 'after', 'left'));
  return true;
end
$$;
grant execute on function public.campaigns(integer), public.search_mailing_list(text, integer), public.mailing_list_counts(),
  public.remove_from_mailing_list(text) to authenticated;
