-- Returns the number of subscribed, unsubscribed and bounced addresses, from the counts that triggers maintain.
-- Requires the permission `settings`.
create or replace function public.mailing_list_counts()
returns table (subscribed integer, gone integer, bounced integer)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query select c.subscribed, c.gone, c.bounced from private.mailing_list_count c;
end
$$;
grant execute on function public.mailing_list_counts() to authenticated;

-- Updates the counts by the rows that a statement changed, because counting the whole list takes longer with every
-- address. A count never goes below zero: a wrong count must not keep an address from leaving the list.
create or replace function private.count_mailing_list()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_subscribed integer := 0;
  v_gone integer := 0;
  v_bounced integer := 0;
begin
  if tg_op <> 'DELETE' then
    select count(*) filter (where n.unsubscribed_at is null and n.bounced_at is null),
      count(n.unsubscribed_at),
      count(*) filter (where n.unsubscribed_at is null and n.bounced_at is not null)
    into v_subscribed, v_gone, v_bounced
    from new_rows n;
  end if;
  if tg_op <> 'INSERT' then
    select v_subscribed - count(*) filter (where o.unsubscribed_at is null and o.bounced_at is null),
      v_gone - count(o.unsubscribed_at),
      v_bounced - count(*) filter (where o.unsubscribed_at is null and o.bounced_at is not null)
    into v_subscribed, v_gone, v_bounced
    from old_rows o;
  end if;
  if v_subscribed <> 0 or v_gone <> 0 or v_bounced <> 0 then
    update private.mailing_list_count c
    set subscribed = greatest(c.subscribed + v_subscribed, 0),
      gone = greatest(c.gone + v_gone, 0),
      bounced = greatest(c.bounced + v_bounced, 0);
  end if;
  return null;
end
$$;

create trigger count_joined after insert on public.mailing_list referencing new table as new_rows
  for each statement execute function private.count_mailing_list();

create trigger count_changed after update on public.mailing_list referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_mailing_list();

create trigger count_deleted after delete on public.mailing_list referencing old table as old_rows
  for each statement execute function private.count_mailing_list();
