-- Records that an account is about to be shown a secret: a staff code, a booking code or a calendar feed. Returns false
-- if the account has lost the permission; the secret must not be shown then. Waits for a removal of permissions that is
-- in progress, and a later removal finds the row. For the service key (the nil UUID), which cannot lose a permission,
-- nothing is recorded and the result is always true.
create or replace function private.show_secret(
  p_kind text, p_subject uuid, p_studio uuid, p_ends timestamptz, p_user uuid, p_permission text, p_now timestamptz
)
returns boolean language plpgsql volatile set search_path = '' as $$
begin
  if p_user = '00000000-0000-0000-0000-000000000000' then return true; end if;
  perform from public.staff_permissions p
  where p.user_id = p_user and p.permission in (p_permission, 'owner')
  for key share;
  if not found then return false; end if;
  insert into private.shown_secret as s (kind, subject_id, studio_id, shown_to, permission, shown_at, ends_at)
  values (p_kind, p_subject, p_studio, p_user, p_permission, p_now, p_ends)
  on conflict on constraint shown_secret_once do update
  set shown_at = excluded.shown_at, lost_at = null, ended_at = null;
  return true;
end
$$;

-- Ends the secrets that an account was shown under permissions it has lost. Calendar feeds are revoked at once; a code
-- is revoked by a job, because its lock must be called. Also revokes the open invitations of an account that can no
-- longer act as an owner. Idempotent.
create or replace function private.lose_secrets(p_user uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_now constant timestamptz := pg_catalog.now();
  v_lost private.shown_secret;
begin
  for v_lost in
    update private.shown_secret s set lost_at = v_now
    where s.shown_to = p_user and s.lost_at is null and (s.ends_at is null or s.ends_at > v_now)
      and not private.keeps_permission(p_user, s.permission) and private.is_secret_live(s.kind, s.subject_id)
    returning s.*
  loop
    if v_lost.kind = 'calendar-feed' then
      perform private.revoke_calendar_feed(v_lost.studio_id, auth.uid(), v_now);
      update private.shown_secret s set ended_at = v_now where s.id = v_lost.id;
    else
      insert into private.outbox (kind, subject_id, dedupe, due_at)
      values ('access.end-secret', v_lost.id, v_now::text, v_now)
      on conflict do nothing;
    end if;
    perform private.audit(
      auth.uid(), 'update', 'shown_secret', v_lost.id::text,
      pg_catalog.jsonb_build_object(
        'kind', v_lost.kind, 'subjectId', v_lost.subject_id, 'shownTo', v_lost.shown_to,
        'permission', v_lost.permission, 'lostAt', v_now));
  end loop;
  -- end_invitations() handles accounts that lose the permission; this handles accounts that are banned or deleted.
  update private.staff_invitation i set revoked_at = v_now
  where i.invited_by = p_user and i.accepted_at is null and i.revoked_at is null
    and not private.keeps_permission(p_user, 'owner');
end
$$;

-- Returns whether a secret can still open something.
create or replace function private.is_secret_live(p_kind text, p_subject uuid)
returns boolean language sql stable set search_path = '' as $$
  select case p_kind
    when 'staff-code' then
      exists (select from private.staff_code c where c.id = p_subject and c.status <> 'revoked')
    when 'booking-code' then
      exists (select from private.access_secret s where s.code_id = p_subject and s.live)
    when 'calendar-feed' then
      exists (select from private.calendar_feed f where f.id = p_subject and f.revoked_at is null)
  end
$$;

create or replace function private.lose_secrets_of_permission()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.lose_secrets(old.user_id);
  return null;
end
$$;

create trigger staff_permissions_secrets after delete or update of permission on public.staff_permissions
  for each row execute function private.lose_secrets_of_permission();

create or replace function private.lose_secrets_of_account()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.lose_secrets(new.id);
  return null;
end
$$;

create trigger users_secrets after update of banned_until, deleted_at on auth.users
  for each row when (
    new.banned_until is distinct from old.banned_until or new.deleted_at is distinct from old.deleted_at)
  execute function private.lose_secrets_of_account();

create trigger publish_secret after update of lost_at, ended_at on private.shown_secret
  for each row execute function private.publish_team();
