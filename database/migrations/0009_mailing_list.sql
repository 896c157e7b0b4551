-- Addresses that asked for news. The row's id is the secret in the link that ends the subscription; only the service reads it.

create table public.mailing_list (
  id uuid primary key default gen_random_uuid(),
  email text not null check (char_length(email) between 3 and 255 and email like '%_@_%'),
  consented_at timestamptz not null default clock_timestamp(),
  unsubscribed_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create unique index mailing_list_email on public.mailing_list (lower(btrim(email)));
alter table public.mailing_list enable row level security, force row level security;
create policy "anybody joins the mailing list" on public.mailing_list for insert to anon, authenticated
  with check (true);
grant insert (email) on public.mailing_list to anon, authenticated;

-- Stores addresses trimmed and in lower case. Somebody who left and joins again gets a new row, with a new consent and a new link.
create function private.normalise_mailing_list_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.email := pg_catalog.lower(pg_catalog.btrim(new.email));
  if tg_op = 'INSERT' then
    delete from public.mailing_list m where m.email = new.email and m.unsubscribed_at is not null;
  end if;
  return new;
end
$$;
create trigger mailing_list_normalise before insert or update on public.mailing_list
  for each row execute function private.normalise_mailing_list_email();

create function public.leave_mailing_list(subscription uuid) returns void
language sql security definer set search_path = '' as $$
  update public.mailing_list m set unsubscribed_at = coalesce(m.unsubscribed_at, pg_catalog.clock_timestamp())
  where m.id = subscription
$$;
comment on function public.leave_mailing_list(uuid) is
  'Ends a subscription. Does not say whether there was one; calling it again changes nothing.';
grant execute on function public.leave_mailing_list(uuid) to anon, authenticated, service_role;
