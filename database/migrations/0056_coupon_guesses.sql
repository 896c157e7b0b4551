-- Looks at discount codes are counted wherever a code can be tried: in validate_discount_code as before, and in create-payment, where
-- a code was free to guess. Ten a minute for a person, thirty for an address, counted together.
create function private.count_coupon_guess(p_user uuid, p_address text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  this_minute constant timestamptz := pg_catalog.date_trunc('minute', pg_catalog.now());
  factor constant numeric := coalesce((select (s.value #>> '{}')::numeric from private.settings s where s.name = 'limit_factor'), 1);
  admitted boolean := true;
  counted integer;
begin
  delete from private.coupon_guess g where g.minute < this_minute - interval '10 minutes';
  if p_user is not null then
    insert into private.coupon_guess as g (who, minute, looks) values ('user:' || p_user::text, this_minute, 1)
    on conflict (who, minute) do update set looks = g.looks + 1 returning g.looks into counted;
    admitted := counted <= 10 * factor;
  end if;
  if p_address is not null then
    insert into private.coupon_guess as g (who, minute, looks) values ('ip:' || p_address, this_minute, 1)
    on conflict (who, minute) do update set looks = g.looks + 1 returning g.looks into counted;
    admitted := admitted and counted <= 30 * factor;
  end if;
  return admitted;
end
$$;
revoke all on function private.count_coupon_guess(uuid, text) from public;
grant execute on function private.count_coupon_guess(uuid, text) to backend;

create or replace function private.admit_coupon_guess() returns boolean language sql volatile security definer set search_path = '' as $$
  select private.count_coupon_guess(auth.uid(), nullif(current_setting('request.ip', true), ''))
$$;
