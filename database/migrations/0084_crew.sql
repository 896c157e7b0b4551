-- Crew: people whom a customer brings along. Each has a link of their own and, where a bridge reaches the lock, an access code of their own.

create table private.crew_member (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references private.booking (id) on delete cascade,
  -- SHA-256 of the link's token, which is shown once and not stored.
  token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
  state text not null default 'invited' check (state in ('invited', 'joined', 'revoked')),
  -- The first name that the guest gave, and the version of the terms they accepted with it.
  name text check (char_length(name) between 1 and 40),
  terms_version text check (char_length(terms_version) between 1 and 40),
  -- Tells a repeated invitation from a second one.
  request_id text check (char_length(request_id) between 1 and 100),
  created_at timestamptz not null,
  joined_at timestamptz,
  revoked_at timestamptz,
  -- When the guest first saw digits that others use too.
  saw_shared_at timestamptz,
  constraint crew_member_token unique (token_hash),
  constraint crew_member_once unique (booking_id, request_id),
  constraint crew_member_joined check ((joined_at is null) = (name is null) and (joined_at is null) = (terms_version is null)
    and case state when 'invited' then joined_at is null when 'joined' then joined_at is not null else true end),
  constraint crew_member_revoked check ((state = 'revoked') = (revoked_at is not null))
);
create index crew_member_by_booking on private.crew_member (booking_id, created_at);
alter table private.crew_member enable row level security, force row level security;

-- Codes of guests. Only behind a bridge: a lock that computes its codes has too few for the same hours.
create table private.crew_code (
  id uuid primary key default gen_random_uuid(),
  crew_member_id uuid not null references private.crew_member (id) on delete cascade,
  lock_id text not null check (char_length(lock_id) between 1 and 60),
  status text not null default 'requested' check (status in ('requested', 'issued', 'revoking', 'revoked')),
  -- The window that the lock was given.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Written before the lock is asked, so that a lost answer can be requested again.
  pin_encrypted text not null,
  pin_fingerprint text not null,
  created_at timestamptz not null,
  issued_at timestamptz,
  used_at timestamptz,
  revoked_at timestamptz,
  constraint crew_code_ends_after_start check (ends_at > starts_at)
);
-- A guest has one code that opens the door at a time.
create unique index crew_code_one_live on private.crew_code (crew_member_id) where status in ('requested', 'issued');
create unique index crew_code_pin on private.crew_code (lock_id, pin_fingerprint) where status <> 'revoked';
create index crew_code_by_member on private.crew_code (crew_member_id, created_at);
alter table private.crew_code enable row level security, force row level security;

alter table private.lock_event add column crew_code_id uuid references private.crew_code (id) on delete set null;

-- As before, with the codes of guests.
create or replace function private.is_pin_taken(p_lock text, p_fingerprint text) returns boolean language sql stable set search_path = '' as $$
  select exists (select from private.access_secret s where s.lock_id = p_lock and s.pin_fingerprint = p_fingerprint and s.live)
    or exists (select from private.staff_code c where c.lock_id = p_lock and c.pin_fingerprint = p_fingerprint and c.status <> 'revoked')
    or exists (select from private.crew_code g where g.lock_id = p_lock and g.pin_fingerprint = p_fingerprint and g.status <> 'revoked')
$$;

-- How many codes a lock may have now, of bookings, staff and guests.
create function private.codes_in_lock(p_lock text, p_now timestamptz) returns integer language sql stable set search_path = '' as $$
  select ((select count(*) from private.access_secret s where s.lock_id = p_lock and s.live and s.ends_at > p_now)
    + (select count(*) from private.staff_code c where c.lock_id = p_lock and c.status <> 'revoked' and c.ends_at > p_now)
    + (select count(*) from private.crew_code g where g.lock_id = p_lock and g.status <> 'revoked' and g.ends_at > p_now))::integer
$$;

-- Marks the live codes of guests as ended and queues their removal from the lock: of one guest, or of a whole booking.
create function private.end_crew_codes(p_booking uuid, p_member uuid, p_due timestamptz) returns void language sql volatile set search_path = '' as $$
  with ended as (
    update private.crew_code c set status = 'revoking'
    from private.crew_member m
    where m.id = c.crew_member_id and m.booking_id = p_booking and (p_member is null or m.id = p_member) and c.status in ('requested', 'issued')
    returning c.id
  )
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
  select 'access.revoke-crew', p_booking, 'ended:' || e.id, pg_catalog.jsonb_build_object('codeId', e.id), p_due from ended e
  on conflict do nothing
$$;

-- Queues the code of a guest who has joined, with the code of the booking: an hour before the start.
create function private.queue_crew_code(m private.crew_member) returns void language sql volatile set search_path = '' as $$
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
  select 'access.request-crew', b.id, m.id || ':' || pg_catalog.gen_random_uuid(), pg_catalog.jsonb_build_object('memberId', m.id),
    b.start_time - interval '60 minutes', b.end_time
  from private.booking b where b.id = m.booking_id
$$;

-- The codes of guests follow their booking, whoever changes it: they end with its hours, and new hours get new ones.
create function private.follow_booking() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.end_crew_codes(new.id, null, pg_catalog.now());
  if new.status = 'confirmed' then
    perform private.queue_crew_code(m) from private.crew_member m where m.booking_id = new.id and m.state = 'joined';
  end if;
  return null;
end
$$;
create trigger crew_follows_booking after update on private.booking for each row
  when ((old.status, old.studio_id, old.start_time, old.end_time) is distinct from (new.status, new.studio_id, new.start_time, new.end_time))
  execute function private.follow_booking();

-- The crew of a booking goes with the account that invited it.
create function private.forget_crew_of_account() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from private.crew_member m where m.booking_id = new.id;
  return null;
end
$$;
create trigger crew_forgotten after update on private.booking for each row
  when (old.user_id is not null and new.user_id is null) execute function private.forget_crew_of_account();

-- Deletes guests and their names a month after the session.
create function private.forget_crews(p_now timestamptz) returns integer language plpgsql volatile set search_path = '' as $$
declare
  deleted integer;
begin
  delete from private.crew_member m using private.booking b where b.id = m.booking_id and b.end_time < p_now - interval '30 days';
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

create function private.publish_crew() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_to_account(b.user_id, 'crew', pg_catalog.jsonb_build_object('booking_id', b.id))
  from private.booking b where b.id = new.booking_id;
  perform realtime.send(pg_catalog.jsonb_build_object('booking_id', new.booking_id), 'crew', 'staff', true);
  return null;
end
$$;
create trigger publish_crew after insert or update on private.crew_member for each row execute function private.publish_crew();
revoke execute on function private.follow_booking(), private.forget_crew_of_account(), private.publish_crew() from public;

-- What a link leads to now: open, revoked, cancelled, or ended half an hour after the session.
create function private.crew_link_state(m private.crew_member, b private.booking, p_now timestamptz) returns text
language sql immutable set search_path = '' as $$
  select case when m.state = 'revoked' then 'revoked' when b.status <> 'confirmed' then 'cancelled'
    when p_now >= b.end_time + interval '30 minutes' then 'ended' else 'open' end
$$;

-- Invites one more to an own booking: {outcome: invited, id}, or not_found, cancelled, pending, ended, revoked, full, too_many. The same request again
-- replaces the link of the same invitation, because the first link has reached nobody.
create function private.invite_crew(p_booking uuid, p_user uuid, p_token_hash text, p_request text, p_most integer, p_ever integer, p_now timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  b private.booking;
  m private.crew_member;
begin
  -- Invitations of a booking wait for each other here, and for what changes the booking.
  perform private.lock_booking(p_booking);
  select x.* into b from private.booking x where x.id = p_booking;
  if b.id is null or b.user_id is distinct from p_user then return '{"outcome": "not_found"}'; end if;
  if b.status <> 'confirmed' then return pg_catalog.jsonb_build_object('outcome', b.status); end if;
  if b.end_time <= p_now then return '{"outcome": "ended"}'; end if;
  select x.* into m from private.crew_member x where x.booking_id = p_booking and x.request_id = p_request;
  if m.id is not null then
    if m.state <> 'invited' then return pg_catalog.jsonb_build_object('outcome', m.state); end if;
    update private.crew_member x set token_hash = p_token_hash where x.id = m.id;
    return pg_catalog.jsonb_build_object('outcome', 'invited', 'id', m.id);
  end if;
  if (select count(*) from private.crew_member x where x.booking_id = p_booking and x.state <> 'revoked') >= p_most then return '{"outcome": "full"}'; end if;
  if (select count(*) from private.crew_member x where x.booking_id = p_booking) >= p_ever then return '{"outcome": "too_many"}'; end if;
  insert into private.crew_member (booking_id, token_hash, request_id, created_at) values (p_booking, p_token_hash, p_request, p_now) returning * into m;
  perform private.audit(p_user, 'create', 'crew_member', m.id::text,
    pg_catalog.jsonb_build_object('before', null, 'after', pg_catalog.jsonb_build_object('state', 'invited'), 'bookingId', p_booking));
  return pg_catalog.jsonb_build_object('outcome', 'invited', 'id', m.id);
end
$$;

-- Gives an invitation of an own booking another link; the one before leads nowhere: invited, or not_found, cancelled, pending, ended, revoked.
create function private.renew_crew_link(p_member uuid, p_user uuid, p_token_hash text, p_now timestamptz) returns text
language plpgsql volatile set search_path = '' as $$
declare
  b private.booking;
  m private.crew_member;
begin
  perform private.lock_booking(x.booking_id) from private.crew_member x where x.id = p_member;
  select x.* into m from private.crew_member x where x.id = p_member;
  select x.* into b from private.booking x where x.id = m.booking_id;
  if b.id is null or b.user_id is distinct from p_user then return 'not_found'; end if;
  if b.status <> 'confirmed' then return b.status; end if;
  if b.end_time <= p_now then return 'ended'; end if;
  if m.state = 'revoked' then return 'revoked'; end if;
  update private.crew_member x set token_hash = p_token_hash where x.id = p_member;
  perform private.audit(p_user, 'update', 'crew_member', p_member::text, pg_catalog.jsonb_build_object('link', 'renewed', 'bookingId', b.id));
  return 'invited';
end
$$;

-- Takes an invitation of an own booking back, with the code of the guest: {outcome: revoked, sawShared}, or not_found. The same again changes nothing.
create function private.revoke_crew(p_member uuid, p_user uuid, p_now timestamptz) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  b private.booking;
  m private.crew_member;
begin
  perform private.lock_booking(x.booking_id) from private.crew_member x where x.id = p_member;
  select x.* into m from private.crew_member x where x.id = p_member;
  select x.* into b from private.booking x where x.id = m.booking_id;
  if b.id is null or b.user_id is distinct from p_user then return '{"outcome": "not_found"}'; end if;
  if m.state <> 'revoked' then
    update private.crew_member x set state = 'revoked', revoked_at = p_now where x.id = p_member;
    perform private.end_crew_codes(b.id, p_member, p_now);
    perform private.audit(p_user, 'update', 'crew_member', p_member::text, pg_catalog.jsonb_build_object(
      'before', pg_catalog.jsonb_build_object('state', m.state), 'after', pg_catalog.jsonb_build_object('state', 'revoked'), 'bookingId', b.id));
  end if;
  return pg_catalog.jsonb_build_object('outcome', 'revoked', 'sawShared', m.saw_shared_at is not null and b.status = 'confirmed' and b.end_time > p_now);
end
$$;

-- Accepts an invitation by its link: joined, or not_found, revoked, cancelled, ended, terms. Joining again changes nothing.
create function private.join_crew(p_token_hash text, p_name text, p_terms text, p_now timestamptz) returns text
language plpgsql volatile set search_path = '' as $$
declare
  b private.booking;
  m private.crew_member;
  link text;
begin
  perform private.lock_booking(x.booking_id) from private.crew_member x where x.token_hash = p_token_hash;
  select x.* into m from private.crew_member x where x.token_hash = p_token_hash;
  if m.id is null then return 'not_found'; end if;
  select x.* into b from private.booking x where x.id = m.booking_id;
  link := private.crew_link_state(m, b, p_now);
  if link <> 'open' then return link; end if;
  if m.state = 'joined' then return 'joined'; end if;
  if b.end_time <= p_now then return 'ended'; end if;
  if p_terms is distinct from private.business_settings() ->> 'termsVersion' then return 'terms'; end if;
  update private.crew_member x set state = 'joined', name = p_name, terms_version = p_terms, joined_at = p_now where x.id = m.id returning * into m;
  perform private.queue_crew_code(m);
  perform private.audit(null, 'update', 'crew_member', m.id::text, pg_catalog.jsonb_build_object('before', '{"state": "invited"}'::jsonb,
    'after', pg_catalog.jsonb_build_object('state', 'joined', 'termsVersion', p_terms), 'bookingId', b.id));
  return 'joined';
end
$$;

-- What a link shows: the booking, who invites, and how far the guest is; null when no invitation has this link.
create function private.crew_page(p_token_hash text, p_now timestamptz) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('link', private.crew_link_state(m, b, p_now), 'memberId', m.id, 'bookingId', b.id, 'state', m.state, 'name', m.name,
    -- The first name only: the link may go further than the host wants.
    'host', pg_catalog.split_part(coalesce(p.full_name, ''), ' ', 1), 'studioName', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time,
    'arrivalNotes', s.settings ->> 'arrivalNotes', 'termsVersion', s.settings ->> 'termsVersion')
  from private.crew_member m
  join private.booking b on b.id = m.booking_id
  left join public.profiles p on p.user_id = b.user_id
  cross join (select private.business_settings() as settings) s
  where m.token_hash = p_token_hash
$$;

-- Who comes to these bookings: those of the caller, or all for staff with the permission for bookings. Without those taken back who never joined.
create function public.booking_crew(bookings uuid[]) returns table (
  id uuid, booking_id uuid, state text, name text, invited_at timestamptz, joined_at timestamptz, revoked_at timestamptz, saw_shared_code boolean
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
  v_staff constant boolean := coalesce(auth.role() = 'service_role', false) or public.has_permission('bookings');
begin
  return query
    select m.id, m.booking_id, m.state, m.name, m.created_at, m.joined_at, m.revoked_at, m.saw_shared_at is not null
    from private.crew_member m join private.booking b on b.id = m.booking_id
    where m.booking_id = any (booking_crew.bookings) and (v_staff or b.user_id = v_user) and (m.state <> 'revoked' or m.joined_at is not null)
    order by m.created_at, m.id limit 5000;
end
$$;
revoke execute on function public.booking_crew(uuid[]) from public, anon;
grant execute on function public.booking_crew(uuid[]) to authenticated;

-- As before, with the codes of guests: an entry with one belongs to its booking and names the guest.
create or replace function private.door_log(p_locks jsonb, p_from timestamptz, p_until timestamptz, p_booking uuid, p_most integer) returns table (
  at timestamptz, kind text, studio_id uuid, studio_name text, reference text, by_code boolean, start_time timestamptz, customer_name text, actor text
)
language sql stable set search_path = '' as $$
  with entry as materialized (
    select l.value::uuid as studio_id, e.* from pg_catalog.jsonb_each_text(p_locks) l
    cross join lateral (
      select x.* from private.lock_event x where x.lock_id = l.key and x.at >= p_from and x.at < p_until
      order by x.at desc limit case when p_booking is null then p_most end) e
    order by e.at desc, e.id limit case when p_booking is null then p_most end
  )
  select e.at, e.kind, s.id, s.name, b.reference, c.booking_id is not null, b.start_time, coalesce(p.full_name, b.guest_name),
    coalesce((select a.full_name from public.profiles a where a.user_id = e.actor), t.name, c.guest)
  from entry e
  join public.studios s on s.id = e.studio_id
  left join lateral (
    select x.booking_id, null as guest from public.booking_access_codes x where x.id = e.code_id
    union all
    select m.booking_id, m.name || ' (crew)' from private.crew_code x join private.crew_member m on m.id = x.crew_member_id where x.id = e.crew_code_id) c on true
  left join lateral (select x.id, x.name from private.staff_code x where x.id = e.staff_code_id) t on true
  left join lateral (
    select x.id, x.reference, x.start_time, x.guest_name, x.user_id from private.booking x where x.id = c.booking_id
    union all (
      select x.id, x.reference, x.start_time, x.guest_name, x.user_id from private.booking x
      where c.booking_id is null and t.id is null and x.studio_id = s.id and x.status = 'confirmed' and x.start_time <= e.at
        and x.start_time > e.at - interval '25 hours' and x.end_time > e.at
      order by x.start_time desc limit 1)) b on true
  left join lateral (select x.full_name from public.profiles x where x.user_id = b.user_id) p on true
  where p_booking is null or b.id = p_booking
  order by e.at desc, e.id limit p_most
$$;

-- Whom an account has invited to its bookings, for the export of its data.
create function private.export_crew(p_user uuid) returns jsonb language sql stable set search_path = '' as $$
  select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('booking', b.reference, 'name', m.name, 'state', m.state, 'invitedAt', m.created_at,
    'joinedAt', m.joined_at, 'takenBackAt', m.revoked_at) order by m.created_at, m.id), '[]')
  from private.booking b join private.crew_member m on m.booking_id = b.id where b.user_id = p_user
$$;
