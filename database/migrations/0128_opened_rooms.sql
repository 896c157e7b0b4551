-- A room that was never open for sale is a draft; one that was open is retired.
alter table public.studios add column opened_at timestamptz;
update public.studios s set opened_at = s.created_at
where s.active or exists (select from private.booking b where b.studio_id = s.id);

create function private.note_opening() returns trigger language plpgsql set search_path = '' as $$
begin
  new.opened_at := pg_catalog.clock_timestamp();
  return new;
end
$$;
create trigger studios_opened before insert or update of active on public.studios
  for each row when (new.active and new.opened_at is null) execute function private.note_opening();
revoke execute on function private.note_opening() from public;

-- As before, and whether a room was ever open for sale.
drop function public.staff_rooms();
create function public.staff_rooms() returns table (id uuid, room jsonb, upcoming integer, opened boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('settings')) then return; end if;
  return query
    select s.id, r.room,
      (select count(*)::integer from private.booking b
        where b.studio_id = s.id and b.start_time > pg_catalog.now() - interval '25 hours' and b.status <> 'cancelled' and b.end_time > pg_catalog.now()),
      s.opened_at is not null
    from public.studios s join private.room_fields r on r.id = s.id order by s.active desc, s.sort_order, s.name;
end
$$;
revoke execute on function public.staff_rooms() from public, anon;
grant execute on function public.staff_rooms() to authenticated, service_role;
