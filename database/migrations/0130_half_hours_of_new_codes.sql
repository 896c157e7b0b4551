-- Minimum hours are checked when somebody sets them. A check constraint, even one that is not valid, refuses every update of a row that it does not fit: a
-- code of earlier times with other minimum hours could neither be used nor turned off.
alter table public.discount_codes drop constraint discount_codes_half_hours;

create function private.require_half_hours() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.min_hours is not distinct from old.min_hours then return new; end if;
  if new.min_hours * 2 <> pg_catalog.trunc(new.min_hours * 2) then
    raise exception 'minimum hours are whole or half hours' using errcode = '23514', constraint = 'discount_codes_half_hours';
  end if;
  return new;
end
$$;
create trigger discount_codes_half_hours before insert or update of min_hours on public.discount_codes
  for each row execute function private.require_half_hours();
revoke execute on function private.require_half_hours() from public;
