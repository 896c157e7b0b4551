-- Invites one more guest to p_user's own booking. Returns {outcome: 'invited', id}, or {outcome} with 'not_found',
-- 'cancelled', 'pending', 'ended', 'full' (p_most invitations that are not revoked) or 'too_many' (p_ever invitations,
-- revoked ones included). A repeated p_request replaces the link of its invitation, because the first link was never
-- delivered; if the guest has joined or the invitation was revoked, the outcome is 'joined' or 'revoked'.
create or replace function private.invite_crew(
  p_booking uuid, p_user uuid, p_token_hash text, p_request text, p_most integer, p_ever integer, p_now timestamptz
)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_b private.booking;
  v_m private.crew_member;
begin
  -- Invitations to one booking wait here for each other and for changes of the booking.
  perform private.lock_booking(p_booking);
  select x.* into v_b from private.booking x where x.id = p_booking;
  if v_b.id is null or v_b.user_id is distinct from p_user then return '{"outcome": "not_found"}'; end if;
  if v_b.status <> 'confirmed' then return pg_catalog.jsonb_build_object('outcome', v_b.status); end if;
  if v_b.end_time <= p_now then return '{"outcome": "ended"}'; end if;
  select x.* into v_m from private.crew_member x where x.booking_id = p_booking and x.request_id = p_request;
  if v_m.id is not null then
    if v_m.state <> 'invited' then return pg_catalog.jsonb_build_object('outcome', v_m.state); end if;
    update private.crew_member x set token_hash = p_token_hash where x.id = v_m.id;
    return pg_catalog.jsonb_build_object('outcome', 'invited', 'id', v_m.id);
  end if;
  if (select count(*) from private.crew_member x where x.booking_id = p_booking and x.state <> 'revoked') >= p_most then
    return '{"outcome": "full"}';
  end if;
  if (select count(*) from private.crew_member x where x.booking_id = p_booking) >= p_ever then
    return '{"outcome": "too_many"}';
  end if;
  insert into private.crew_member (booking_id, token_hash, request_id, created_at)
  values (p_booking, p_token_hash, p_request, p_now)
  returning * into v_m;
  perform private.audit(p_user, 'create', 'crew_member', v_m.id::text,
    pg_catalog.jsonb_build_object(
      'before', null, 'after', pg_catalog.jsonb_build_object('state', 'invited'), 'bookingId', p_booking));
  return pg_catalog.jsonb_build_object('outcome', 'invited', 'id', v_m.id);
end
$$;

-- Replaces the link of an invitation to p_user's own booking; the previous link stops working. Returns 'invited', or
-- 'not_found', 'cancelled', 'pending', 'ended' or 'revoked'.
create or replace function private.renew_crew_link(p_member uuid, p_user uuid, p_token_hash text, p_now timestamptz)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_b private.booking;
  v_m private.crew_member;
begin
  perform private.lock_booking(x.booking_id) from private.crew_member x where x.id = p_member;
  select x.* into v_m from private.crew_member x where x.id = p_member;
  select x.* into v_b from private.booking x where x.id = v_m.booking_id;
  if v_b.id is null or v_b.user_id is distinct from p_user then return 'not_found'; end if;
  if v_b.status <> 'confirmed' then return v_b.status; end if;
  if v_b.end_time <= p_now then return 'ended'; end if;
  if v_m.state = 'revoked' then return 'revoked'; end if;
  update private.crew_member x set token_hash = p_token_hash where x.id = p_member;
  perform private.audit(p_user, 'update', 'crew_member', p_member::text,
    pg_catalog.jsonb_build_object('link', 'renewed', 'bookingId', v_b.id));
  return 'invited';
end
$$;

-- Revokes an invitation to p_user's own booking and ends the guest's code. Returns {outcome: 'revoked', sawShared} or
-- {outcome: 'not_found'}. sawShared: whether the guest has seen digits that others use too and that still open the
-- door. Idempotent.
create or replace function private.revoke_crew(p_member uuid, p_user uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v_b private.booking;
  v_m private.crew_member;
begin
  perform private.lock_booking(x.booking_id) from private.crew_member x where x.id = p_member;
  select x.* into v_m from private.crew_member x where x.id = p_member;
  select x.* into v_b from private.booking x where x.id = v_m.booking_id;
  if v_b.id is null or v_b.user_id is distinct from p_user then return '{"outcome": "not_found"}'; end if;
  if v_m.state <> 'revoked' then
    update private.crew_member x set state = 'revoked', revoked_at = p_now where x.id = p_member;
    perform private.end_crew_codes(v_b.id, p_member, p_now);
    perform private.audit(p_user, 'update', 'crew_member', p_member::text,
      pg_catalog.jsonb_build_object(
        'before', pg_catalog.jsonb_build_object('state', v_m.state),
        'after', pg_catalog.jsonb_build_object('state', 'revoked'),
        'bookingId', v_b.id));
  end if;
  return pg_catalog.jsonb_build_object(
    'outcome', 'revoked',
    'sawShared', v_m.saw_shared_at is not null and v_b.status = 'confirmed' and v_b.end_time > p_now);
end
$$;

-- Accepts an invitation by its link. Returns 'joined', or 'not_found', 'revoked', 'cancelled', 'ended' or 'terms'
-- (p_terms is not the current version of the terms). Idempotent.
create or replace function private.join_crew(p_token_hash text, p_name text, p_terms text, p_now timestamptz)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_b private.booking;
  v_m private.crew_member;
  v_link text;
begin
  perform private.lock_booking(x.booking_id) from private.crew_member x where x.token_hash = p_token_hash;
  select x.* into v_m from private.crew_member x where x.token_hash = p_token_hash;
  if v_m.id is null then return 'not_found'; end if;
  select x.* into v_b from private.booking x where x.id = v_m.booking_id;
  v_link := private.crew_link_state(v_m, v_b, p_now);
  if v_link <> 'open' then return v_link; end if;
  if v_m.state = 'joined' then return 'joined'; end if;
  if v_b.end_time <= p_now then return 'ended'; end if;
  if p_terms is distinct from private.business_settings() ->> 'termsVersion' then return 'terms'; end if;
  update private.crew_member x set state = 'joined', name = p_name, terms_version = p_terms, joined_at = p_now
  where x.id = v_m.id
  returning * into v_m;
  perform private.queue_crew_code(v_m);
  perform private.audit(null, 'update', 'crew_member', v_m.id::text,
    pg_catalog.jsonb_build_object(
      'before', '{"state": "invited"}'::jsonb,
      'after', pg_catalog.jsonb_build_object('state', 'joined', 'termsVersion', p_terms),
      'bookingId', v_b.id));
  return 'joined';
end
$$;

-- Returns what the page of an invitation's link shows: the booking, the host and the guest's progress. Null if no
-- invitation has this link.
create or replace function private.crew_page(p_token_hash text, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'link', private.crew_link_state(m, b, p_now),
    'memberId', m.id,
    'bookingId', b.id,
    'state', m.state,
    'name', m.name,
    -- The first name only, because the link may be passed on further than the host wants.
    'host', pg_catalog.split_part(coalesce(p.full_name, ''), ' ', 1),
    'studioName', b.studio_name,
    'startTime', b.start_time,
    'endTime', b.end_time,
    'arrivalNotes', s.settings ->> 'arrivalNotes',
    'termsVersion', s.settings ->> 'termsVersion')
  from private.crew_member m
  join private.booking b on b.id = m.booking_id
  left join public.profiles p on p.user_id = b.user_id
  cross join (select private.business_settings() as settings) s
  where m.token_hash = p_token_hash
$$;

-- Returns the state of an invitation's link: 'open', 'revoked', 'cancelled' if the booking is not confirmed, or 'ended'
-- from half an hour after the session.
create or replace function private.crew_link_state(m private.crew_member, b private.booking, p_now timestamptz)
returns text language sql immutable set search_path = '' as $$
  select case
    when m.state = 'revoked' then 'revoked'
    when b.status <> 'confirmed' then 'cancelled'
    when p_now >= b.end_time + interval '30 minutes' then 'ended'
    else 'open' end
$$;

-- Returns the guests of the given bookings, oldest invitation first, at most 5,000. Customers get those of their own
-- bookings; staff with the permission 'bookings' and the service key get all. Invitations that were revoked before the
-- guest joined are left out.
create or replace function public.booking_crew(bookings uuid[]) returns table (
  id uuid, booking_id uuid, state text, name text, invited_at timestamptz, joined_at timestamptz,
  revoked_at timestamptz, saw_shared_code boolean
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
  v_staff constant boolean :=
    coalesce(auth.role() = 'service_role', false) or public.has_permission('bookings');
begin
  return query
    select m.id, m.booking_id, m.state, m.name, m.created_at, m.joined_at, m.revoked_at, m.saw_shared_at is not null
    from private.crew_member m
    join private.booking b on b.id = m.booking_id
    where m.booking_id = any (booking_crew.bookings)
      and (v_staff or b.user_id = v_user)
      and (m.state <> 'revoked' or m.joined_at is not null)
    order by m.created_at, m.id
    limit 5000;
end
$$;
grant execute on function public.booking_crew(uuid[]) to authenticated;

-- Publishes a change of a booking's crew to the host's account and to staff.
create or replace function private.publish_crew() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(b.user_id, 'crew', pg_catalog.jsonb_build_object('booking_id', b.id))
  from private.booking b where b.id = new.booking_id;
  perform realtime.send(pg_catalog.jsonb_build_object('booking_id', new.booking_id), 'crew', 'staff', true);
  return null;
end
$$;

create trigger publish_crew after insert or update on private.crew_member
  for each row execute function private.publish_crew();

-- Returns the guests that an account has invited to its bookings, as a JSON array for the export of its data.
create or replace function private.export_crew(p_user uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
    'booking', b.reference, 'name', m.name, 'state', m.state, 'invitedAt', m.created_at,
    'joinedAt', m.joined_at, 'takenBackAt', m.revoked_at) order by m.created_at, m.id), '[]')
  from private.booking b
  join private.crew_member m on m.booking_id = b.id
  where b.user_id = p_user
$$;

-- Deletes the crew of a booking when its customer's account is deleted. A guest with a code that has not ended only
-- loses the name: the lock may have this code, or receive it from a call that is running, so its row is needed to
-- remove it. forget_crews() deletes the row.
create or replace function private.forget_crew_of_account() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.end_crew_codes(new.id, null, pg_catalog.now());
  delete from private.crew_member m
  where m.booking_id = new.id
    and not exists (
      select from private.crew_code c where c.crew_member_id = m.id and c.ends_at > pg_catalog.now());
  update private.crew_member m
  set state = 'revoked', revoked_at = coalesce(m.revoked_at, pg_catalog.now()), name = null, terms_version = null,
    joined_at = null
  where m.booking_id = new.id;
  return null;
end
$$;

create trigger crew_forgotten after update on private.booking for each row
  when (old.user_id is not null and new.user_id is null) execute function private.forget_crew_of_account();

-- Deletes guests and their names 30 days after the session. Returns the number of deleted guests.
create or replace function private.forget_crews(p_now timestamptz) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  v_deleted integer;
begin
  delete from private.crew_member m
  using private.booking b
  where b.id = m.booking_id and b.end_time < p_now - interval '30 days';
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
