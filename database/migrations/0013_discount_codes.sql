-- Discount codes (coupons). A use is reserved together with the hold, by one conditional update of `current_uses`.

create table public.discount_codes (
  id uuid primary key default gen_random_uuid(),
  code text not null check (code = upper(btrim(code)) and char_length(code) between 1 and 50),
  discount_type text not null check (discount_type in ('percentage', 'fixed')),
  -- Percent, or AUD dollars.
  discount_value numeric(9, 2) not null check (discount_value > 0 and discount_value <= 100000),
  description text check (char_length(description) <= 500),
  min_hours numeric(4, 1) check (min_hours > 0),
  max_uses integer check (max_uses > 0),
  per_user_limit integer check (per_user_limit > 0),
  current_uses integer not null default 0 check (current_uses >= 0),
  expires_at timestamptz,
  active boolean not null default true,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint discount_codes_never_over_used check (max_uses is null or current_uses <= max_uses),
  constraint discount_codes_percentage_max check (discount_type <> 'percentage' or discount_value <= 100)
);
create unique index discount_codes_code on public.discount_codes (upper(code));
alter table public.discount_codes enable row level security, force row level security;
create policy "staff read the codes" on public.discount_codes for select to authenticated using ((select public.is_staff()));
create policy "staff make codes" on public.discount_codes for insert to authenticated with check ((select public.is_staff()));
create policy "staff change codes" on public.discount_codes for update to authenticated
  using ((select public.is_staff())) with check ((select public.is_staff()));
grant select on public.discount_codes to authenticated;
grant insert (code, discount_type, discount_value, description, min_hours, max_uses, per_user_limit, expires_at, active)
  on public.discount_codes to authenticated;
grant update (code, discount_type, discount_value, description, min_hours, max_uses, per_user_limit, expires_at, active)
  on public.discount_codes to authenticated;
create trigger discount_codes_updated_at before update on public.discount_codes for each row execute function private.set_updated_at();

create function private.normalise_discount_code() returns trigger language plpgsql set search_path = '' as $$
begin
  new.code := pg_catalog.upper(pg_catalog.btrim(new.code));
  return new;
end
$$;
create trigger discount_codes_normalise before insert or update of code on public.discount_codes
  for each row execute function private.normalise_discount_code();

create function private.audit_discount_code() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  -- Every hold changes the counter; the booking's own entry records that.
  if tg_op = 'UPDATE' and new.current_uses <> old.current_uses then return null; end if;
  perform private.audit(auth.uid(), case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end,
    'discount_code', coalesce(new.id, old.id)::text,
    pg_catalog.jsonb_build_object('code', coalesce(new.code, old.code), 'active', new.active, 'discount_type', new.discount_type, 'discount_value', new.discount_value));
  return null;
end
$$;
create trigger discount_codes_audit after insert or update or delete on public.discount_codes
  for each row execute function private.audit_discount_code();

-- Counts a try of a code, wherever it is made: ten a minute for an account, thirty for an address. Returns null when both admit it, else the
-- seconds to wait.
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

-- Checks a code for a booking of so many hours. Returns one row: the discount, or the reason why there is none.
create function public.validate_discount_code(code_input text, booking_hours numeric)
returns table (
  id uuid, code text, discount_type text, discount_value numeric, min_hours numeric, expires_at timestamptz,
  max_uses integer, current_uses integer, is_valid boolean, error_message text
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  found_code public.discount_codes;
  problem text;
begin
  if char_length(coalesce(code_input, '')) > 50 then
    return query select null::uuid, null::text, null::text, null::numeric, null::numeric, null::timestamptz, null::integer, null::integer, false, 'Invalid coupon code'::text;
    return;
  end if;
  if private.take_coupon_guess(auth.uid(), nullif(current_setting('request.ip', true), '')) is not null then
    raise exception 'Too many attempts. Please try again in a minute.' using errcode = 'PT429';
  end if;
  select * into found_code from public.discount_codes d where pg_catalog.upper(d.code) = pg_catalog.upper(pg_catalog.btrim(code_input));
  problem := private.coupon_problem(found_code, auth.uid(), booking_hours, pg_catalog.now());
  if problem is not null then
    return query select null::uuid, null::text, null::text, null::numeric, null::numeric, null::timestamptz, null::integer, null::integer, false, problem;
    return;
  end if;
  -- Only staff see the counters.
  return query select found_code.id, found_code.code, found_code.discount_type, found_code.discount_value, found_code.min_hours,
    found_code.expires_at, null::integer, null::integer, true, null::text;
end
$$;
grant execute on function public.validate_discount_code(text, numeric) to anon, authenticated;
