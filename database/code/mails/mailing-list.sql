create policy "anybody joins the mailing list" on public.mailing_list for insert to anon, authenticated
  with check (true);

-- Stores addresses trimmed and in lower case. An address that left the list and joins again gets a new row, with a
-- new consent and a new link.
create or replace function private.normalise_mailing_list_email()
returns trigger language plpgsql security definer set search_path = '' as $$
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

-- Ends the subscription with this id, which is the secret in the link of each mail. Idempotent; an unknown id changes
-- nothing.
create or replace function public.leave_mailing_list(subscription uuid)
returns void language sql security definer set search_path = '' as $$
  update public.mailing_list m
  set unsubscribed_at = coalesce(m.unsubscribed_at, pg_catalog.clock_timestamp())
  where m.id = subscription
$$;
grant execute on function public.leave_mailing_list(uuid) to anon, authenticated;

-- Takes an address off the list at the request of its owner. Returns false if it is not subscribed. Requires the
-- permission `settings`.
create or replace function public.remove_from_mailing_list(address text)
returns boolean language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  update public.mailing_list m set unsubscribed_at = pg_catalog.clock_timestamp()
  where m.email = pg_catalog.lower(pg_catalog.btrim(address)) and m.unsubscribed_at is null;
  if not found then return false; end if;
  perform private.audit(auth.uid(), 'update', 'mailing_list', null,
    pg_catalog.jsonb_build_object(
      'email', pg_catalog.lower(pg_catalog.btrim(address)), 'before', 'subscribed', 'after', 'left'));
  return true;
end
$$;
grant execute on function public.remove_from_mailing_list(text) to authenticated;

-- Returns the addresses that contain the words, newest first, at most 200. Words such as "alex@" are first tried as
-- the beginning of an address, because a search for a part of an address takes longer with every address. The result
-- leaves out the id, which is the secret of the link that leaves the list. Requires the permission `settings`.
create or replace function public.search_mailing_list(words text default '', most integer default 50)
returns table (email text, joined_at timestamptz, left_at timestamptz, bounced_at timestamptz, bounce_reason text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  v_beginning constant text := pg_catalog.regexp_replace(
    pg_catalog.lower(pg_catalog.btrim(pg_catalog.left(coalesce(words, ''), 200))), '([\\%_])', '\\\1', 'g') || '%';
begin
  perform private.require_permission('settings');
  if pg_catalog.strpos(v_beginning, '@') > 1 then
    return query
      select m.email, m.consented_at, m.unsubscribed_at, m.bounced_at, m.bounce_reason
      from public.mailing_list m
      where m.email like v_beginning
      order by m.created_at desc, m.id limit least(most, 200);
    if found then return; end if;
  end if;
  return query
    select m.email, m.consented_at, m.unsubscribed_at, m.bounced_at, m.bounce_reason
    from public.mailing_list m
    where m.email like '%' || v_beginning
    order by m.created_at desc, m.id limit least(most, 200);
end
$$;
grant execute on function public.search_mailing_list(text, integer) to authenticated;
