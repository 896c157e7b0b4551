-- A discount with more than two decimals, or minimum hours that are no half hours, are refused. Columns of a fixed scale round them before any check
-- sees them.
-- The type of a column that a trigger names cannot change, so these two are made again as they were.
drop trigger discount_codes_gifts on public.discount_codes;
drop trigger discount_codes_half_hours on public.discount_codes;
alter table public.discount_codes
  alter column discount_value type numeric,
  alter column min_hours type numeric,
  add constraint discount_codes_cents check (discount_value = pg_catalog.round(discount_value, 2));
create trigger discount_codes_gifts before insert or update of code, discount_type, discount_value, description, min_hours, max_uses, per_user_limit,
  expires_at, active, valid_from, customer_email, weekdays, from_hour, until_hour on public.discount_codes for each row
  execute function private.require_money_for_gifts();
create trigger discount_codes_half_hours before insert or update of min_hours on public.discount_codes
  for each row execute function private.require_half_hours();

-- This replaces the function of 0120. The detail of its refusal is the name of the missing permission, for programs.
create or replace function private.require_money_for_gifts() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  free constant text[] := '{active,description,updated_at,works_when}';
begin
  if coalesce(auth.role(), '') <> 'authenticated' or not public.has_permission('settings') or public.has_permission('money') then return new; end if;
  if tg_op = 'UPDATE' then
    if pg_catalog.to_jsonb(new) - free = pg_catalog.to_jsonb(old) - free and (old.active or not new.active) then return new; end if;
    if private.is_gift_of_money(old.discount_type, old.discount_value) then
      raise exception 'You need the permission “money” to change this code' using errcode = '42501', detail = 'money';
    end if;
  end if;
  if private.is_gift_of_money(new.discount_type, new.discount_value) then
    raise exception 'You need the permission “money” for codes of more than 50 %% and for codes in dollars' using errcode = '42501', detail = 'money';
  end if;
  return new;
end
$$;
