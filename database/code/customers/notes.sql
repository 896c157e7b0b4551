-- Adds a note about a customer. Idempotent: a second call with the same `note_id` adds nothing. Returns false if
-- there is no such account. Requires the permission for bookings.
create or replace function public.add_customer_note(note_id uuid, customer uuid, note text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_words constant text := pg_catalog.btrim(coalesce(note, ''), E' \t\r\n');
begin
  perform private.require_permission('bookings');
  if not exists (select from auth.users u where u.id = customer and u.deleted_at is null) then return false; end if;
  insert into private.customer_note (id, user_id, note, made_by)
  values (note_id, customer, v_words, coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000'))
  on conflict (id) do nothing;
  if found then
    perform private.audit(auth.uid(), 'create', 'customer_note', customer::text,
      pg_catalog.jsonb_build_object('after', v_words));
  end if;
  return true;
end
$$;
grant execute on function public.add_customer_note(uuid, uuid, text) to authenticated;

-- Returns the notes about a customer, newest first, each with the name of its author. `most` is the length of the
-- list, at most 200. Requires the permission for bookings.
create or replace function public.customer_notes(customer uuid, most integer default 50)
returns table (id uuid, note text, made_by text, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('bookings');
  return query
    select n.id, n.note, coalesce(p.full_name, p.email), n.created_at
    from private.customer_note n left join public.profiles p on p.user_id = n.made_by
    where n.user_id = customer order by n.created_at desc, n.id limit least(most, 200);
end
$$;
grant execute on function public.customer_notes(uuid, integer) to authenticated;
