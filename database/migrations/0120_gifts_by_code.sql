-- Discount codes that give money away need the permission `money`, as other gifts of money do.

-- Whether a code gives money away, and is not only a lower price: more than half of a booking, or dollars, which are a credit. rules/coupons.ts has
-- the number for the forms.
create function private.is_gift_of_money(p_type text, p_value numeric) returns boolean language sql immutable set search_path = '' as $$
  select p_type = 'fixed' or p_value > 50
$$;

-- Refuses staff without the permission `money` who make such a code, change one, or turn one on. They may turn it off and describe it. All others that write
-- codes are the service key and the server itself.
create function private.require_money_for_gifts() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  free constant text[] := '{active,description,updated_at,works_when}';
begin
  if coalesce(auth.role(), '') <> 'authenticated' or not public.has_permission('settings') or public.has_permission('money') then return new; end if;
  if tg_op = 'UPDATE' then
    if pg_catalog.to_jsonb(new) - free = pg_catalog.to_jsonb(old) - free and (old.active or not new.active) then return new; end if;
    if private.is_gift_of_money(old.discount_type, old.discount_value) then
      raise exception 'You need the permission “money” to change this code' using errcode = '42501';
    end if;
  end if;
  if private.is_gift_of_money(new.discount_type, new.discount_value) then
    raise exception 'You need the permission “money” for codes of more than 50 %% and for codes in dollars' using errcode = '42501';
  end if;
  return new;
end
$$;
-- A use of a code changes none of these columns.
create trigger discount_codes_gifts before insert or update of code, discount_type, discount_value, description, min_hours, max_uses, per_user_limit,
  expires_at, active, valid_from, customer_email, weekdays, from_hour, until_hour on public.discount_codes for each row
  execute function private.require_money_for_gifts();
revoke execute on function private.is_gift_of_money(text, numeric), private.require_money_for_gifts() from public;
