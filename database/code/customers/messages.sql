-- Stores a mail that staff write to a customer, and queues it. Returns 'sent', also for a repeated call; 'changed' if
-- `p_id` is that of another mail; 'not_found' if there is no such account or it has no address.
create or replace function private.write_customer(
  p_id uuid, p_user uuid, p_subject text, p_body text, p_actor uuid, p_now timestamptz
)
returns text language plpgsql volatile set search_path = '' as $$
begin
  if not exists (
    select from auth.users u where u.id = p_user and u.deleted_at is null and u.email is not null)
  then return 'not_found'; end if;
  insert into private.customer_message (id, user_id, subject, body, made_by, created_at)
  values (p_id, p_user, p_subject, p_body, p_actor, p_now)
  on conflict (id) do nothing;
  if not found then
    return case
      when exists (
        select from private.customer_message m
        where m.id = p_id and (m.user_id, m.subject, m.body) = (p_user, p_subject, p_body))
      then 'sent' else 'changed' end;
  end if;
  insert into private.outbox (kind, subject_id, due_at) values ('mail.customer', p_id, p_now);
  perform private.audit(p_actor, 'create', 'customer_message', p_user::text,
    pg_catalog.jsonb_build_object('message', p_id, 'subject', p_subject));
  return 'sent';
end
$$;

-- Returns the mails to a customer, newest first: mails about the last hundred bookings, about ID checks, mails that
-- staff wrote, and campaigns. Mails with codes and links of the account itself are not kept. `problem` is why a mail
-- has not arrived, `closed` whether it will not be tried again, and `made_by` the name of its author. `most` is the
-- length of the list, at most 200. Requires the permission for bookings.
create or replace function public.customer_messages(customer uuid, most integer default 50)
returns table (
  id uuid, kind text, subject text, body text, reference text, made_by text, at timestamptz, sent_at timestamptz,
  problem text, closed boolean
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  perform private.require_permission('bookings');
  return query
    with about as (
      (select b.id, b.reference, null::text as subject, null::text as body, null::uuid as made_by from private.booking b
        where b.user_id = customer order by b.start_time desc limit 100)
      union all
      select v.id, null, null, null, null from public.id_verifications v where v.user_id = customer
      union all
      select m.id, null, m.subject, m.body, m.made_by from private.customer_message m where m.user_id = customer
    ), mails as (
      select o.id, o.kind, a.subject, a.body, a.reference, a.made_by, greatest(o.created_at, o.due_at) as at,
        o.done_at as sent_at, coalesce(o.close_reason, case when o.done_at is null then o.last_error end) as problem,
        o.closed_at is not null as closed
      from about a join private.outbox o on o.subject_id = a.id and o.kind like 'mail.%'
      union all
      select r.campaign_id, 'mail.campaign', c.subject, null, null, c.made_by, coalesce(r.decided_at, c.created_at),
        case r.outcome when 'sent' then r.decided_at end, case r.outcome when 'bounced' then m.bounce_reason end,
        r.outcome is distinct from 'sent'
      from public.profiles p
      join public.mailing_list m on m.email = p.email
      join private.campaign_recipient r on r.subscription_id = m.id
      join private.campaign c on c.id = r.campaign_id
      where p.user_id = customer and r.outcome in ('sent', 'bounced')
    )
    select x.id, x.kind, x.subject, x.body, x.reference, w.name, x.at, x.sent_at, x.problem, x.closed
    from mails x
    left join lateral (
      select coalesce(p.full_name, p.email) as name from public.profiles p where p.user_id = x.made_by limit 1
    ) w on true
    order by coalesce(x.sent_at, x.at) desc, x.id limit least(most, 200);
end
$$;
grant execute on function public.customer_messages(uuid, integer) to authenticated;
