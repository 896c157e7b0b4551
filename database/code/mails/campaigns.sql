-- Starts a campaign to every subscribed address of the mailing list, with one job per address, spread over time at
-- `p_per_minute` mails a minute. Idempotent: the id comes from the caller. Returns {outcome, recipients}; the outcome
-- is 'started', 'exists' (repeated call), 'changed' (the same id with another mail), 'running' (another campaign is
-- still being sent) or 'nobody' (the list is empty). `recipients` is only there for the first three.
create or replace function private.start_campaign(
  p_id uuid, p_subject text, p_body text, p_per_minute integer, p_actor uuid, p_now timestamptz
)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_step constant interval := interval '60 seconds' / p_per_minute;
  v_earlier private.campaign;
  v_total integer;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('campaign', 0));
  select * into v_earlier from private.campaign c where c.id = p_id;
  if found then
    return pg_catalog.jsonb_build_object(
      'outcome', case when (v_earlier.subject, v_earlier.body) = (p_subject, p_body) then 'exists' else 'changed' end,
      'recipients', v_earlier.recipients);
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
    select 'mail.campaign', p_id, n.subscription_id::text,
      pg_catalog.jsonb_build_object('subscription', n.subscription_id), p_now + (n.place - 1) * v_step
    from (
      select c.subscription_id, pg_catalog.row_number() over (order by c.subscription_id) as place from chosen c
    ) n
    returning 1
  )
  select count(*) into v_total from queued;
  if v_total = 0 then
    delete from private.campaign c where c.id = p_id;
    return pg_catalog.jsonb_build_object('outcome', 'nobody');
  end if;
  update private.campaign c set recipients = v_total, tail_at = p_now + v_total * v_step where c.id = p_id;
  perform private.audit(p_actor, 'create', 'campaign', p_id::text,
    pg_catalog.jsonb_build_object('subject', p_subject, 'recipients', v_total, 'per_minute', p_per_minute));
  return pg_catalog.jsonb_build_object('outcome', 'started', 'recipients', v_total);
end
$$;

-- Stops a campaign and deletes its open jobs; a mail that is being sent still arrives. Returns false if there is no
-- such campaign. Idempotent.
create or replace function private.stop_campaign(p_id uuid, p_actor uuid, p_now timestamptz)
returns boolean language plpgsql volatile set search_path = '' as $$
declare
  v_stopped private.campaign;
begin
  update private.campaign c set stopped_at = p_now
  where c.id = p_id and c.stopped_at is null and c.finished_at is null
  returning * into v_stopped;
  if not found then
    return exists (select from private.campaign c where c.id = p_id);
  end if;
  delete from private.outbox o where o.kind = 'mail.campaign' and o.subject_id = p_id and o.done_at is null;
  perform private.audit(p_actor, 'update', 'campaign', p_id::text,
    pg_catalog.jsonb_build_object('stopped', true, 'sent', v_stopped.sent, 'recipients', v_stopped.recipients));
  return true;
end
$$;

-- Decides what the job of one recipient does. Returns {do: 'nothing'} if the campaign was stopped or the outcome for
-- this recipient is recorded already; {do: 'skip'} if the address has left the list or bounced; {do: 'wait', until}
-- if the pace allows no mail yet, with a new turn at the end of the campaign; otherwise {do: 'send', email, subject,
-- body}. At most ten seconds' worth of mails leave at once. Not idempotent: 'send' and 'wait' advance the pace of the
-- campaign.
create or replace function private.next_campaign_mail(p_campaign uuid, p_subscription uuid, p_now timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_mail private.campaign;
  v_step interval;
  v_address text;
begin
  select * into v_mail from private.campaign c where c.id = p_campaign for update;
  if v_mail.id is null or v_mail.stopped_at is not null or not exists (
    select from private.campaign_recipient r
    where r.campaign_id = p_campaign and r.subscription_id = p_subscription and r.outcome is null)
  then
    return '{"do": "nothing"}';
  end if;
  select m.email into v_address from public.mailing_list m
  where m.id = p_subscription and m.unsubscribed_at is null and m.bounced_at is null;
  if v_address is null then return '{"do": "skip"}'; end if;
  v_step := interval '60 seconds' / v_mail.per_minute;
  if v_mail.next_at > p_now + interval '10 seconds' then
    update private.campaign c set tail_at = greatest(c.tail_at, p_now) + v_step
    where c.id = p_campaign
    returning * into v_mail;
    return pg_catalog.jsonb_build_object('do', 'wait', 'until', v_mail.tail_at);
  end if;
  update private.campaign c set next_at = greatest(c.next_at, p_now) + v_step where c.id = p_campaign;
  return pg_catalog.jsonb_build_object(
    'do', 'send', 'email', v_address, 'subject', v_mail.subject, 'body', v_mail.body);
end
$$;

-- Records what became of the mail to a recipient: `p_outcome` is 'sent', 'bounced' or 'skipped'. The last recipient
-- finishes the campaign. A bounced address gets no more news. Idempotent: only the first outcome is recorded.
create or replace function private.record_campaign_mail(
  p_campaign uuid, p_subscription uuid, p_outcome text, p_reason text, p_now timestamptz
)
returns void language plpgsql volatile set search_path = '' as $$
begin
  -- Locks the campaign first, as next_campaign_mail() does.
  perform from private.campaign c where c.id = p_campaign for update;
  update private.campaign_recipient r set outcome = p_outcome, decided_at = p_now
  where r.campaign_id = p_campaign and r.subscription_id = p_subscription and r.outcome is null;
  if not found then return; end if;
  update private.campaign c
  set sent = c.sent + (p_outcome = 'sent')::integer,
    bounced = c.bounced + (p_outcome = 'bounced')::integer,
    skipped = c.skipped + (p_outcome = 'skipped')::integer
  where c.id = p_campaign;
  -- This is a separate statement because the trigger below fires for every statement that names the column.
  update private.campaign c set finished_at = p_now
  where c.id = p_campaign and c.sent + c.bounced + c.skipped >= c.recipients;
  if p_outcome = 'bounced' then
    update public.mailing_list m set bounced_at = p_now, bounce_reason = pg_catalog.left(p_reason, 200)
    where m.id = p_subscription and m.bounced_at is null;
  end if;
end
$$;

-- Publishes the event `campaign` to staff when a campaign starts, stops or finishes, so that their pages reload the
-- campaigns; they poll for the progress of a running one.
create or replace function private.publish_campaign()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'campaign', 'staff', true);
  return null;
end
$$;

create trigger publish_campaign after insert or update of stopped_at, finished_at on private.campaign
  for each row execute function private.publish_campaign();

-- Returns the newest campaigns with their counts, at most 200. Requires the permission `settings`.
create or replace function public.campaigns(most integer default 50)
returns table (
  id uuid, subject text, body text, made_by text, created_at timestamptz, per_minute integer, recipients integer,
  sent integer, bounced integer, skipped integer, stopped_at timestamptz, finished_at timestamptz
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query
    select c.id, c.subject, c.body, coalesce(p.full_name, p.email), c.created_at, c.per_minute, c.recipients,
      c.sent, c.bounced, c.skipped, c.stopped_at, c.finished_at
    from private.campaign c left join public.profiles p on p.user_id = c.made_by
    order by c.created_at desc, c.id limit least(most, 200);
end
$$;
grant execute on function public.campaigns(integer) to authenticated;
