-- Calendar feeds: the bookings and closed hours of a studio for calendar programs, at a private address.

-- Gives a studio the feed `p_id` with the token hash `p_hash` unless it already has a feed. Returns the id and token
-- hash of the studio's feed, or no row if the studio does not exist. Records in the audit log that the feed was
-- created or, if it existed, that staff have seen its address again.
create or replace function private.open_calendar_feed(
  p_id uuid, p_studio uuid, p_hash text, p_actor uuid, p_now timestamptz
)
returns table (id uuid, token_hash text) language plpgsql volatile set search_path = '' as $$
declare
  v_feed private.calendar_feed;
begin
  perform from public.studios s where s.id = p_studio for no key update;
  if not found then return; end if;
  select * into v_feed from private.calendar_feed f where f.studio_id = p_studio and f.revoked_at is null;
  if found then
    perform private.audit(p_actor, 'view', 'calendar_feed', v_feed.id::text, private.calendar_feed_json(v_feed));
  else
    insert into private.calendar_feed (id, studio_id, token_hash, created_by, created_at)
    values (p_id, p_studio, p_hash, p_actor, p_now) returning * into v_feed;
    perform private.audit(p_actor, 'create', 'calendar_feed', v_feed.id::text,
      pg_catalog.jsonb_build_object('after', private.calendar_feed_json(v_feed)));
  end if;
  return query select v_feed.id, v_feed.token_hash;
end
$$;

-- Revokes the feed of a studio. Returns false if the studio has none.
create or replace function private.revoke_calendar_feed(p_studio uuid, p_actor uuid, p_now timestamptz) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  v_feed private.calendar_feed;
begin
  update private.calendar_feed f set revoked_at = p_now where f.studio_id = p_studio and f.revoked_at is null
  returning * into v_feed;
  if not found then return false; end if;
  perform private.audit(p_actor, 'delete', 'calendar_feed', v_feed.id::text,
    pg_catalog.jsonb_build_object('before', private.calendar_feed_json(v_feed)));
  return true;
end
$$;

-- Returns a feed as JSON, as the audit log stores it.
create or replace function private.calendar_feed_json(f private.calendar_feed) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('studioId', f.studio_id, 'createdAt', f.created_at)
$$;

-- Returns what the feed with this token hash shows: {studioName, bookings, closures}, with the confirmed bookings and
-- the closed hours between two instants. Customers appear with their first name only. Null if there is no such feed.
create or replace function private.read_calendar_feed(p_hash text, p_from timestamptz, p_to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('studioName', s.name,
    'bookings', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', b.id, 'reference', b.reference, 'startTime', b.start_time, 'endTime', b.end_time,
        'firstName', pg_catalog.split_part(coalesce(p.full_name, b.guest_name), ' ', 1), 'moves', b.moves)
        order by b.start_time), '[]')
      from private.booking b left join public.profiles p on p.user_id = b.user_id
      where b.studio_id = f.studio_id and b.status = 'confirmed' and b.notes is distinct from 'test'
        and b.start_time > p_from - interval '25 hours' and b.start_time < p_to and b.end_time > p_from),
    'closures', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', x.closure_id, 'startTime', x.start_time, 'endTime', x.end_time, 'reason', c.reason)
        order by x.start_time, x.closure_id), '[]')
      from private.closed_span x join private.closure c on c.id = x.closure_id
      where x.studio_id = f.studio_id and x.during && pg_catalog.tstzrange(p_from, p_to, '[)')))
  from private.calendar_feed f join public.studios s on s.id = f.studio_id
  where f.token_hash = p_hash and f.revoked_at is null
$$;

-- Returns the studios that have a feed, and since when. Requires the permission for bookings.
create or replace function public.calendar_feeds() returns table (studio_id uuid, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('bookings');
  return query
    select f.studio_id, f.created_at from private.calendar_feed f where f.revoked_at is null order by f.created_at;
end
$$;
grant execute on function public.calendar_feeds() to authenticated;
