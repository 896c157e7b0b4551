-- The secrets that staff were shown. Somebody who loses the permission under which they saw one keeps no way in: each is revoked, or listed to the
-- owners with its end where the lock cannot revoke it.

create table private.shown_secret (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('staff-code', 'booking-code', 'calendar-feed')),
  -- The code or feed.
  subject_id uuid not null,
  studio_id uuid not null references public.studios (id),
  shown_to uuid not null,
  permission text not null check (permission in ('bookings', 'identity', 'money', 'settings', 'owner')),
  shown_at timestamptz not null,
  -- When it stops working by itself; null: when it is revoked.
  ends_at timestamptz,
  -- When the person lost the permission.
  lost_at timestamptz,
  -- When it was revoked after that.
  ended_at timestamptz,
  constraint shown_secret_once unique (kind, subject_id, shown_to),
  constraint shown_secret_ended_when_lost check (ended_at is null or lost_at is not null)
);
create index shown_secret_held on private.shown_secret (shown_to) where lost_at is null;
create index shown_secret_lost on private.shown_secret (lost_at) where lost_at is not null;
alter table private.shown_secret enable row level security, force row level security;

-- Whether a secret may still open something.
create function private.is_secret_live(p_kind text, p_subject uuid) returns boolean language sql stable set search_path = '' as $$
  select case p_kind
    when 'staff-code' then exists (select from private.staff_code c where c.id = p_subject and c.status <> 'revoked')
    when 'booking-code' then exists (select from private.access_secret s where s.code_id = p_subject and s.live)
    when 'calendar-feed' then exists (select from private.calendar_feed f where f.id = p_subject and f.revoked_at is null)
  end
$$;

-- Whether an account may still use a permission, apart from its session.
create function private.keeps_permission(p_user uuid, p_permission text) returns boolean language sql stable set search_path = '' as $$
  select exists (
    select from public.staff_permissions p join auth.users u on u.id = p.user_id
    where p.user_id = p_user and p.permission in (p_permission, 'owner') and u.deleted_at is null
      and (u.banned_until is null or u.banned_until <= pg_catalog.now()))
$$;

-- Records that an account is shown a secret, before it is. False when the account has lost the permission meanwhile: a removal that is under way
-- goes first, and one that comes later finds the row. The service key is nobody who could leave.
create function private.show_secret(
  p_kind text, p_subject uuid, p_studio uuid, p_ends timestamptz, p_user uuid, p_permission text, p_now timestamptz
) returns boolean language plpgsql volatile set search_path = '' as $$
begin
  if p_user = '00000000-0000-0000-0000-000000000000' then return true; end if;
  perform from public.staff_permissions p where p.user_id = p_user and p.permission in (p_permission, 'owner') for key share;
  if not found then return false; end if;
  insert into private.shown_secret as s (kind, subject_id, studio_id, shown_to, permission, shown_at, ends_at)
  values (p_kind, p_subject, p_studio, p_user, p_permission, p_now, p_ends)
  on conflict on constraint shown_secret_once do update set shown_at = excluded.shown_at, lost_at = null, ended_at = null;
  return true;
end
$$;

-- Ends what an account was shown under permissions that it has no more: a calendar feed at once, a code by a job that asks its lock.
create function private.lose_secrets(p_user uuid) returns void language plpgsql volatile set search_path = '' as $$
declare
  v_now constant timestamptz := pg_catalog.now();
  lost private.shown_secret;
begin
  for lost in
    update private.shown_secret s set lost_at = v_now
    where s.shown_to = p_user and s.lost_at is null and (s.ends_at is null or s.ends_at > v_now)
      and not private.keeps_permission(p_user, s.permission) and private.is_secret_live(s.kind, s.subject_id)
    returning s.*
  loop
    if lost.kind = 'calendar-feed' then
      perform private.revoke_calendar_feed(lost.studio_id, auth.uid(), v_now);
      update private.shown_secret s set ended_at = v_now where s.id = lost.id;
    else
      insert into private.outbox (kind, subject_id, dedupe, due_at) values ('access.end-secret', lost.id, v_now::text, v_now) on conflict do nothing;
    end if;
    perform private.audit(auth.uid(), 'update', 'shown_secret', lost.id::text, pg_catalog.jsonb_build_object('kind', lost.kind, 'subjectId', lost.subject_id,
      'shownTo', lost.shown_to, 'permission', lost.permission, 'lostAt', v_now));
  end loop;
  -- The trigger of the invitations ends those of somebody who is no owner any more; this, those of an account that is banned or deleted.
  update private.staff_invitation i set revoked_at = v_now
  where i.invited_by = p_user and i.accepted_at is null and i.revoked_at is null and not private.keeps_permission(p_user, 'owner');
end
$$;

create function private.lose_secrets_of_permission() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.lose_secrets(old.user_id);
  return null;
end
$$;
create trigger staff_permissions_secrets after delete or update of permission on public.staff_permissions for each row
  execute function private.lose_secrets_of_permission();
create function private.lose_secrets_of_account() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.lose_secrets(new.id);
  return null;
end
$$;
create trigger users_secrets after update of banned_until, deleted_at on auth.users for each row
  when (new.banned_until is distinct from old.banned_until or new.deleted_at is distinct from old.deleted_at)
  execute function private.lose_secrets_of_account();
-- The list of staff follows.
create trigger publish_secret after update of lost_at, ended_at on private.shown_secret for each row execute function private.publish_team();
revoke execute on function private.is_secret_live(text, uuid), private.keeps_permission(uuid, text),
  private.show_secret(text, uuid, uuid, timestamptz, uuid, text, timestamptz), private.lose_secrets(uuid), private.lose_secrets_of_permission(),
  private.lose_secrets_of_account() from public;

-- As before, with what people still have or had who lost a permission: until it has ended, and a day longer where it was revoked. 'stays': the lock
-- cannot revoke it; it ends by itself.
create or replace function public.staff_team(at timestamptz default now()) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('owner');
  return pg_catalog.jsonb_build_object(
    'staff', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('userId', u.id, 'name', f.full_name, 'email', u.email,
        'permissions', (select pg_catalog.jsonb_agg(p.permission order by p.permission) from public.staff_permissions p where p.user_id = u.id),
        'lastSignInAt', u.last_sign_in_at,
        'secondFactor', exists (select from auth.mfa_factors m where m.user_id = u.id and m.status = 'verified'))
        order by coalesce(f.full_name, u.email), u.id), '[]')
      from public.user_roles r join auth.users u on u.id = r.user_id left join public.profiles f on f.user_id = u.id
      where r.role = 'admin'),
    'invitations', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', i.id, 'email', i.email, 'permissions', i.permissions,
        'createdAt', i.created_at, 'expiresAt', i.expires_at, 'expired', i.expires_at <= at,
        'invitedBy', (select coalesce(f.full_name, f.email) from public.profiles f where f.user_id = i.invited_by))
        order by i.created_at, i.id), '[]')
      from private.staff_invitation i where i.accepted_at is null and i.revoked_at is null),
    'secrets', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', s.id, 'kind', s.kind, 'studioName', r.name,
        'person', (select coalesce(f.full_name, f.email) from public.profiles f where f.user_id = s.shown_to),
        'about', coalesce(c.name, b.reference), 'startsAt', coalesce(c.starts_at, k.starts_at), 'endsAt', s.ends_at, 'lostAt', s.lost_at,
        'endedAt', s.ended_at, 'state', case when s.ended_at is not null then 'ended'
          when exists (select from private.outbox o where o.kind = 'access.end-secret' and o.subject_id = s.id and o.done_at is null) then 'ending'
          else 'stays' end)
        order by s.ended_at is not null, s.ends_at, s.id), '[]')
      from private.shown_secret s join public.studios r on r.id = s.studio_id
      left join private.staff_code c on s.kind = 'staff-code' and c.id = s.subject_id
      left join public.booking_access_codes k on s.kind = 'booking-code' and k.id = s.subject_id
      left join private.booking b on b.id = k.booking_id
      where s.lost_at is not null and case when s.ended_at is null then s.ends_at > at else s.ended_at > at - interval '1 day' end));
end
$$;

-- What was shown before this table was there, as far as it may still open something.
insert into private.shown_secret (kind, subject_id, studio_id, shown_to, permission, shown_at, ends_at)
select 'staff-code', c.id, c.studio_id, c.made_by, 'bookings', c.created_at, c.ends_at from private.staff_code c
where c.status <> 'revoked' and c.ends_at > pg_catalog.now() and c.made_by <> '00000000-0000-0000-0000-000000000000'
union all
select 'calendar-feed', f.id, f.studio_id, a.actor, 'bookings', pg_catalog.max(a.created_at), null
from private.calendar_feed f join public.audit_logs a on a.resource_type = 'calendar_feed' and a.resource_id = f.id::text and a.action in ('create', 'view')
where f.revoked_at is null and a.actor is not null and a.actor <> '00000000-0000-0000-0000-000000000000' group by f.id, f.studio_id, a.actor
union all
select 'booking-code', c.id, b.studio_id, a.actor, 'bookings', pg_catalog.max(a.created_at), c.ends_at
from public.booking_access_codes c join private.access_secret s on s.code_id = c.id and s.live join private.booking b on b.id = c.booking_id
join public.audit_logs a on a.resource_type = 'access_code' and a.resource_id = c.id::text and a.action = 'show'
where c.ends_at > pg_catalog.now() and a.actor is not null and a.actor <> '00000000-0000-0000-0000-000000000000'
group by c.id, b.studio_id, a.actor, c.ends_at;
do $$
begin
  perform private.lose_secrets(s.shown_to) from (select distinct x.shown_to from private.shown_secret x) s;
end
$$;
