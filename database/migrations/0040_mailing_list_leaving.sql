-- Leaving the mailing list by a link (decisions T-71). The row's id is the link's secret: random, and readable for nobody
-- but the service, which writes it into the mails.
create function public.leave_mailing_list(subscription uuid) returns void
language sql security definer set search_path = '' as $$
  update public.mailing_list m set unsubscribed_at = coalesce(m.unsubscribed_at, pg_catalog.clock_timestamp())
  where m.id = subscription
$$;
comment on function public.leave_mailing_list(uuid) is
  'Ends a subscription. Says nothing about whether there was one; asked again it changes nothing.';
revoke all on function public.leave_mailing_list(uuid) from public;
grant execute on function public.leave_mailing_list(uuid) to anon, authenticated, service_role;

-- Stored trimmed and lower-cased (spec section 3). Who left and asks again is on the list again, with a new consent and a
-- new link: the old row goes, so that the new one is not refused as known.
create or replace function private.normalise_mailing_list_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.email := pg_catalog.lower(pg_catalog.btrim(new.email));
  if tg_op = 'INSERT' then
    delete from public.mailing_list m where m.email = new.email and m.unsubscribed_at is not null;
  end if;
  return new;
end
$$;
revoke all on function private.normalise_mailing_list_email() from public;
