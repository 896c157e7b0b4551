-- Requires the permission `money`, as for other gifts of money, from staff who create, change or turn on a code that
-- gives money away. Staff with `settings` alone may turn such a code off and describe it. Only staff are restricted:
-- all other writes come from the service key and the server itself. Raises 42501; the detail is the name of the
-- missing permission, for programs.
create or replace function private.require_money_for_gifts()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  v_free constant text[] := '{active,description,updated_at,works_when}';
begin
  if coalesce(auth.role(), '') <> 'authenticated' or not public.has_permission('settings')
    or public.has_permission('money')
  then
    return new;
  end if;
  if tg_op = 'UPDATE' then
    if pg_catalog.to_jsonb(new) - v_free = pg_catalog.to_jsonb(old) - v_free and (old.active or not new.active) then
      return new;
    end if;
    if private.is_gift_of_money(old.discount_type, old.discount_value) then
      raise exception 'You need the “Money” permission to change this code' using errcode = '42501', detail = 'money';
    end if;
  end if;
  if private.is_gift_of_money(new.discount_type, new.discount_value) then
    raise exception 'You need the “Money” permission for codes of more than 50 %% and for codes in dollars'
      using errcode = '42501', detail = 'money';
  end if;
  return new;
end
$$;

-- The trigger names every column that staff can set. A use of a code changes none of them.
create trigger discount_codes_gifts
  before insert or update of code, discount_type, discount_value, description, min_hours, max_uses, per_user_limit,
    expires_at, active, valid_from, customer_email, weekdays, from_hour, until_hour on public.discount_codes
  for each row execute function private.require_money_for_gifts();

-- Whether a code gives money away rather than lowering a price: more than 50 percent of a booking, or any amount in
-- dollars, which is a credit. rules/coupons.ts has the same limit for the forms.
create or replace function private.is_gift_of_money(p_type text, p_value numeric)
returns boolean language sql immutable set search_path = '' as $$
  select p_type = 'fixed' or p_value > 50
$$;
