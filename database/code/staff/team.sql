-- Returns {staff, invitations, secrets} for owners: all members of staff, the open invitations, and the secrets that
-- people were shown before they lost the permission for them. Throws 42501 unless the caller is an owner or the service
-- key.
--
-- A secret is listed until its end, or for a day after it was revoked. Its `state` is 'ended' (revoked), 'ending' (a
-- job is revoking it) or 'stays' (the lock cannot revoke it, so it works until `endsAt`).
create or replace function public.staff_team(at timestamptz default now())
returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('owner');
  return pg_catalog.jsonb_build_object(
    'staff', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'userId', u.id, 'name', f.full_name, 'email', u.email,
        'permissions', (
          select pg_catalog.jsonb_agg(p.permission order by p.permission)
          from public.staff_permissions p
          where p.user_id = u.id),
        'lastSignInAt', u.last_sign_in_at,
        'secondFactor', exists (select from auth.mfa_factors m where m.user_id = u.id and m.status = 'verified'))
        order by coalesce(f.full_name, u.email), u.id), '[]')
      from public.user_roles r
      join auth.users u on u.id = r.user_id
      left join public.profiles f on f.user_id = u.id
      where r.role = 'admin'),
    'invitations', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', i.id, 'email', i.email, 'permissions', i.permissions, 'createdAt', i.created_at,
        'expiresAt', i.expires_at, 'expired', i.expires_at <= at,
        'invitedBy', (
          select coalesce(f.full_name, f.email) from public.profiles f where f.user_id = i.invited_by))
        order by i.created_at, i.id), '[]')
      from private.staff_invitation i
      where i.accepted_at is null and i.revoked_at is null),
    'secrets', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', s.id, 'kind', s.kind, 'studioName', r.name,
        'person', (select coalesce(f.full_name, f.email) from public.profiles f where f.user_id = s.shown_to),
        'about', coalesce(c.name, b.reference), 'startsAt', coalesce(c.starts_at, k.starts_at),
        'endsAt', s.ends_at, 'lostAt', s.lost_at, 'endedAt', s.ended_at,
        'state', case
          when s.ended_at is not null then 'ended'
          when exists (
            select from private.outbox o
            where o.kind = 'access.end-secret' and o.subject_id = s.id and o.done_at is null) then 'ending'
          else 'stays' end)
        order by s.ended_at is not null, s.ends_at, s.id), '[]')
      from private.shown_secret s
      join public.studios r on r.id = s.studio_id
      left join private.staff_code c on s.kind = 'staff-code' and c.id = s.subject_id
      left join public.booking_access_codes k on s.kind = 'booking-code' and k.id = s.subject_id
      left join private.booking b on b.id = k.booking_id
      where s.lost_at is not null
        and case when s.ended_at is null then s.ends_at > at else s.ended_at > at - interval '1 day' end));
end
$$;
grant execute on function public.staff_team(timestamp with time zone) to authenticated;

-- Publishes the event `team` to staff, so that their pages reload what staff_team() returns.
create or replace function private.publish_team()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'team', 'staff', true);
  return null;
end
$$;

create trigger publish_team after insert or delete on public.staff_permissions
  for each row execute function private.publish_team();
