create policy "staff read the codes" on public.discount_codes for select to authenticated
  using ((select public.has_permission('settings')));

create policy "staff make codes" on public.discount_codes for insert to authenticated
  with check ((select public.has_permission('settings')));

create policy "staff change codes" on public.discount_codes for update to authenticated
  using ((select public.has_permission('settings'))) with check ((select public.has_permission('settings')));

create trigger discount_codes_updated_at before update on public.discount_codes
  for each row execute function private.set_updated_at();

-- Stores the code in upper case and the email address in lower case, both trimmed, and writes `works_when`: the rules
-- about weekdays and hours in words.
create or replace function private.normalise_discount_code()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  new.code := pg_catalog.upper(pg_catalog.btrim(new.code));
  new.customer_email := nullif(pg_catalog.lower(pg_catalog.btrim(new.customer_email)), '');
  new.works_when := private.coupon_hours_text(new.weekdays, new.from_hour, new.until_hour);
  return new;
end
$$;

create trigger discount_codes_normalise
  before insert or update of code, customer_email, weekdays, from_hour, until_hour, works_when on public.discount_codes
  for each row execute function private.normalise_discount_code();

-- Requires minimum hours to be whole or half hours, but only when they are set. A check constraint, even one that is
-- not valid, would reject every update of an older code with other minimum hours, so that it could neither be used
-- nor turned off.
create or replace function private.require_half_hours()
returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.min_hours is not distinct from old.min_hours then return new; end if;
  if new.min_hours * 2 <> pg_catalog.trunc(new.min_hours * 2) then
    raise exception 'minimum hours are whole or half hours'
      using errcode = '23514', constraint = 'discount_codes_half_hours';
  end if;
  return new;
end
$$;

create trigger discount_codes_half_hours before insert or update of min_hours on public.discount_codes
  for each row execute function private.require_half_hours();

-- Writes an audit entry for each change of a code; an update lists the values that changed, before and after. The
-- codes of a batch have one entry together, which make_gift_codes() writes.
create or replace function private.audit_discount_code()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_ignored constant text[] := '{current_uses,updated_at}';
  v_before constant jsonb := case when tg_op = 'UPDATE' then pg_catalog.to_jsonb(old) - v_ignored end;
  v_after constant jsonb := case when tg_op = 'UPDATE' then pg_catalog.to_jsonb(new) - v_ignored end;
begin
  -- Every hold that uses the code changes the counter; the booking's own entry records that.
  if tg_op = 'UPDATE' and new.current_uses <> old.current_uses then return null; end if;
  if tg_op = 'INSERT' and new.gift_batch_id is not null then return null; end if;
  perform private.audit(
    auth.uid(), case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end,
    'discount_code', coalesce(new.id, old.id)::text,
    pg_catalog.jsonb_build_object(
      'code', coalesce(new.code, old.code), 'active', new.active,
      'discount_type', new.discount_type, 'discount_value', new.discount_value)
    || case when tg_op <> 'UPDATE' then '{}' else (
      select pg_catalog.jsonb_build_object(
        'before', coalesce(pg_catalog.jsonb_object_agg(c.key, v_before -> c.key), '{}'),
        'after', coalesce(pg_catalog.jsonb_object_agg(c.key, c.value), '{}'))
      from pg_catalog.jsonb_each(v_after) c
      where c.value is distinct from v_before -> c.key) end);
  return null;
end
$$;

create trigger discount_codes_audit after insert or update or delete on public.discount_codes
  for each row execute function private.audit_discount_code();

-- Returns what each of these codes brought (`sold`) and cost (`discount`) in confirmed bookings, in dollars. Reads
-- the first 1000 ids; codes without a confirmed booking have no row. Requires the permission `settings`.
create or replace function public.discount_code_results(codes uuid[])
returns table (coupon_id uuid, bookings integer, sold numeric, discount numeric)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query
    select b.coupon_id, count(*)::integer, (pg_catalog.sum(b.final_cost_cents) / 100.0)::numeric(12, 2),
      (pg_catalog.sum(b.coupon_discount_cents) / 100.0)::numeric(12, 2)
    from private.booking b
    where b.coupon_id = any (codes[1:1000]) and b.coupon_id is not null and b.status = 'confirmed'
    group by b.coupon_id;
end
$$;
grant execute on function public.discount_code_results(uuid[]) to authenticated;
