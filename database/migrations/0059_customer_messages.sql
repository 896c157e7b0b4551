-- What staff note about a customer and write to them, and the mails that a customer got.

-- Notes are only added, so they are their own history. Customers do not read them.
create table private.customer_note (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  note text not null check (char_length(note) between 1 and 2000),
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz not null default clock_timestamp()
);
create index customer_note_by_user on private.customer_note (user_id, created_at desc);
alter table private.customer_note enable row level security, force row level security;

-- Mails that staff wrote to a customer.
create table private.customer_message (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  subject text not null check (char_length(subject) between 1 and 150 and subject !~ '[\r\n]'),
  body text not null check (char_length(body) between 1 and 10000),
  made_by uuid not null,
  created_at timestamptz not null
);
create index customer_message_by_user on private.customer_message (user_id, created_at desc);
alter table private.customer_message enable row level security, force row level security;

create index outbox_mails_by_subject on private.outbox (subject_id) where kind like 'mail.%';

-- Adds a note. The id tells a repeated call, which adds none. Returns false when there is no such account.
create function public.add_customer_note(note_id uuid, customer uuid, note text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  words constant text := pg_catalog.btrim(coalesce(note, ''), E' \t\r\n');
begin
  perform private.require_permission('bookings');
  if not exists (select from auth.users u where u.id = customer and u.deleted_at is null) then return false; end if;
  insert into private.customer_note (id, user_id, note, made_by)
  values (note_id, customer, words, coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000')) on conflict (id) do nothing;
  if found then
    perform private.audit(auth.uid(), 'create', 'customer_note', customer::text, pg_catalog.jsonb_build_object('after', words));
  end if;
  return true;
end
$$;

-- The notes about a customer, newest first, with who wrote each.
create function public.customer_notes(customer uuid, most integer default 50) returns table (id uuid, note text, made_by text, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('bookings');
  return query
    select n.id, n.note, coalesce(p.full_name, p.email), n.created_at
    from private.customer_note n left join public.profiles p on p.user_id = n.made_by
    where n.user_id = customer order by n.created_at desc, n.id limit least(most, 200);
end
$$;

-- Stores a mail to a customer and its job. Returns 'sent', also for a repeated call; 'changed' for the same id with another mail; 'not_found'.
create function private.write_customer(p_id uuid, p_user uuid, p_subject text, p_body text, p_actor uuid, p_now timestamptz) returns text
language plpgsql volatile set search_path = '' as $$
begin
  if not exists (select from auth.users u where u.id = p_user and u.deleted_at is null and u.email is not null) then return 'not_found'; end if;
  insert into private.customer_message (id, user_id, subject, body, made_by, created_at) values (p_id, p_user, p_subject, p_body, p_actor, p_now)
  on conflict (id) do nothing;
  if not found then
    return case when exists (select from private.customer_message m where m.id = p_id and (m.user_id, m.subject, m.body) = (p_user, p_subject, p_body))
      then 'sent' else 'changed' end;
  end if;
  insert into private.outbox (kind, subject_id, due_at) values ('mail.customer', p_id, p_now);
  perform private.audit(p_actor, 'create', 'customer_message', p_user::text, pg_catalog.jsonb_build_object('message', p_id, 'subject', p_subject));
  return 'sent';
end
$$;

-- The mails to a customer, newest first: about bookings (the last hundred), IDs, those that staff wrote, and news. `problem` says why a mail did not arrive
-- yet, or never will. Mails with codes and links of the account itself are not kept.
create function public.customer_messages(customer uuid, most integer default 50) returns table (
  id uuid, kind text, subject text, body text, reference text, made_by text, at timestamptz, sent_at timestamptz, problem text, closed boolean
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  perform private.require_permission('bookings');
  return query
    with about as (
      (select b.id, b.reference, null::text as subject, null::text as body, null::uuid as made_by from private.booking b
        where b.user_id = customer order by b.start_time desc limit 100)
      union all select v.id, null, null, null, null from public.id_verifications v where v.user_id = customer
      union all select m.id, null, m.subject, m.body, m.made_by from private.customer_message m where m.user_id = customer
    ), mails as (
      select o.id, o.kind, a.subject, a.body, a.reference, a.made_by, greatest(o.created_at, o.due_at) as at, o.done_at as sent_at,
        coalesce(o.close_reason, case when o.done_at is null then o.last_error end) as problem, o.closed_at is not null as closed
      from about a join private.outbox o on o.subject_id = a.id and o.kind like 'mail.%'
      union all
      select r.campaign_id, 'mail.campaign', c.subject, null, null, c.made_by, coalesce(r.decided_at, c.created_at),
        case r.outcome when 'sent' then r.decided_at end, case r.outcome when 'bounced' then m.bounce_reason end, r.outcome is distinct from 'sent'
      from public.profiles p
      join public.mailing_list m on m.email = p.email
      join private.campaign_recipient r on r.subscription_id = m.id
      join private.campaign c on c.id = r.campaign_id
      where p.user_id = customer and r.outcome in ('sent', 'bounced')
    )
    select x.id, x.kind, x.subject, x.body, x.reference, coalesce(w.full_name, w.email), x.at, x.sent_at, x.problem, x.closed
    from mails x left join public.profiles w on w.user_id = x.made_by
    order by coalesce(x.sent_at, x.at) desc, x.id limit least(most, 200);
end
$$;
grant execute on function public.add_customer_note(uuid, uuid, text), public.customer_notes(uuid, integer),
  public.customer_messages(uuid, integer) to authenticated;
