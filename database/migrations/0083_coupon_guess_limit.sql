-- The one rate limiter counts the tries of discount codes too: ten a minute for an account, thirty for an address, wherever a code can
-- be tried.

-- Takes a try for the account and for the address, as far as they are known. Null when both admit it, else the seconds until they do.
create function private.take_coupon_guess(p_user uuid, p_address text) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  factor constant numeric := coalesce((select (s.value #>> '{}')::numeric from private.settings s where s.name = 'limit_factor'), 1);
  user_wait integer;
  address_wait integer;
begin
  if p_user is not null then
    user_wait := private.take_limit('coupon-guess', 'user:' || p_user::text, 10 * factor, 60, pg_catalog.now());
  end if;
  if p_address is not null then
    address_wait := private.take_limit('coupon-guess', 'ip:' || p_address, 30 * factor, 60, pg_catalog.now());
  end if;
  -- `greatest` ignores nulls.
  return greatest(user_wait, address_wait);
end
$$;
revoke all on function private.take_coupon_guess(uuid, text) from public;
grant execute on function private.take_coupon_guess(uuid, text) to backend;

create or replace function private.admit_coupon_guess() returns boolean language sql volatile security definer set search_path = '' as $$
  select private.take_coupon_guess(auth.uid(), nullif(current_setting('request.ip', true), '')) is null
$$;

drop function private.count_coupon_guess(uuid, text);
drop table private.coupon_guess;
