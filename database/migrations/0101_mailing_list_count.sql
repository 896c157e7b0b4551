-- How many addresses get news, have left and have bounced, kept as they change: counting the list took longer with every address.
create table private.mailing_list_count (
  singleton boolean primary key default true check (singleton),
  subscribed integer not null check (subscribed >= 0),
  gone integer not null check (gone >= 0),
  bounced integer not null check (bounced >= 0)
);
alter table private.mailing_list_count enable row level security, force row level security;

lock table public.mailing_list in share row exclusive mode;
insert into private.mailing_list_count (subscribed, gone, bounced)
select count(*) filter (where m.unsubscribed_at is null and m.bounced_at is null), count(m.unsubscribed_at),
  count(*) filter (where m.unsubscribed_at is null and m.bounced_at is not null)
from public.mailing_list m;

-- Takes the rows of a statement as they were from the counts, and adds them as they are.
create function private.count_mailing_list() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then
    update private.mailing_list_count c set subscribed = c.subscribed - n.subscribed, gone = c.gone - n.gone, bounced = c.bounced - n.bounced
    from (
      select count(*) filter (where r.unsubscribed_at is null and r.bounced_at is null) as subscribed, count(r.unsubscribed_at) as gone,
        count(*) filter (where r.unsubscribed_at is null and r.bounced_at is not null) as bounced
      from old_rows r having count(*) > 0) n;
  end if;
  if tg_op <> 'DELETE' then
    update private.mailing_list_count c set subscribed = c.subscribed + n.subscribed, gone = c.gone + n.gone, bounced = c.bounced + n.bounced
    from (
      select count(*) filter (where r.unsubscribed_at is null and r.bounced_at is null) as subscribed, count(r.unsubscribed_at) as gone,
        count(*) filter (where r.unsubscribed_at is null and r.bounced_at is not null) as bounced
      from new_rows r having count(*) > 0) n;
  end if;
  return null;
end
$$;
revoke execute on function private.count_mailing_list() from public;
create trigger count_joined after insert on public.mailing_list referencing new table as new_rows
  for each statement execute function private.count_mailing_list();
create trigger count_changed after update on public.mailing_list referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_mailing_list();
create trigger count_deleted after delete on public.mailing_list referencing old table as old_rows
  for each statement execute function private.count_mailing_list();

create or replace function public.mailing_list_counts() returns table (subscribed integer, gone integer, bounced integer)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query select c.subscribed, c.gone, c.bounced from private.mailing_list_count c;
end
$$;
