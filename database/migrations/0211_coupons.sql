-- Batches of gift codes that staff created at once. Each code can be used once.
create table private.gift_batch (
  id uuid not null,
  prefix text not null,
  size integer not null,
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint gift_batch_pkey primary key (id),
  constraint gift_batch_prefix_check check (prefix ~ '^[A-Z0-9]{1,20}$'),
  constraint gift_batch_size_check check (size between 1 and 500)
);
alter table private.gift_batch enable row level security, force row level security;

-- Coupons: discount codes that customers enter. A use is reserved together with the hold, by one conditional update of
-- `current_uses`.
create table public.discount_codes (
  id uuid default gen_random_uuid() not null,
  code text not null,
  discount_type text not null,
  -- Percent for the type `percentage`, AUD dollars for `fixed`.
  discount_value numeric not null,
  description text,
  min_hours numeric,
  max_uses integer,
  per_user_limit integer,
  current_uses integer default 0 not null,
  expires_at timestamptz,
  active boolean default true not null,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  valid_from timestamptz,
  -- The only customer who can use the code. Null: all customers.
  customer_email text,
  -- The weekdays in Sydney on which the code works, with 0 for Sunday. Null: all weekdays.
  weekdays smallint[],
  -- The code works from the one hour of the day to the other in Sydney, across midnight if `until_hour` is smaller.
  from_hour smallint,
  until_hour smallint,
  -- These weekdays and hours in words, written by a trigger. Null: the code always works.
  works_when text,
  gift_batch_id uuid,
  constraint discount_codes_pkey primary key (id),
  constraint discount_codes_gift_batch_id_fkey foreign key (gift_batch_id) references private.gift_batch(id),
  constraint discount_codes_cents check (discount_value = round(discount_value, 2)),
  constraint discount_codes_code_check check (
    (code = upper(btrim(code))) and (char_length(code) between 1 and 50)
  ),
  constraint discount_codes_current_uses_check check (current_uses >= 0),
  constraint discount_codes_customer_email_check check (
    (customer_email = lower(btrim(customer_email))) and (char_length(customer_email) <= 255)
    and (customer_email ~~ '%_@_%')
  ),
  constraint discount_codes_dates check (valid_from < expires_at),
  constraint discount_codes_description_check check (char_length(description) <= 500),
  constraint discount_codes_discount_type_check check (discount_type = any (array['percentage', 'fixed'])),
  constraint discount_codes_discount_value_check check (
    (discount_value > (0)::numeric) and (discount_value <= (100000)::numeric)
  ),
  constraint discount_codes_from_hour_check check (from_hour between 0 and 23),
  constraint discount_codes_hours check (
    ((from_hour is null) = (until_hour is null))
    and ((from_hour is null) or (from_hour <> ((until_hour)::integer % 24)))
  ),
  constraint discount_codes_max_uses_check check (max_uses > 0),
  constraint discount_codes_min_hours_check check (min_hours > (0)::numeric),
  constraint discount_codes_never_over_used check ((max_uses is null) or (current_uses <= max_uses)),
  constraint discount_codes_per_user_limit_check check (per_user_limit > 0),
  constraint discount_codes_percentage_max check (
    (discount_type <> 'percentage') or (discount_value <= (100)::numeric)
  ),
  constraint discount_codes_plain check (private.is_plain(code) and private.is_plain(description, true)),
  constraint discount_codes_until_hour_check check (until_hour between 1 and 24),
  constraint discount_codes_weekdays_check check (
    (weekdays <@ '{0,1,2,3,4,5,6}'::smallint[]) and (cardinality(weekdays) between 1 and 6)
  )
);
create unique index discount_codes_code on public.discount_codes (upper(code));
create index discount_codes_gift_batch on public.discount_codes (gift_batch_id);
alter table public.discount_codes enable row level security, force row level security;
grant select on public.discount_codes to authenticated;
grant insert (
  code, discount_type, discount_value, description, min_hours, max_uses, per_user_limit, expires_at, active, valid_from,
  customer_email, weekdays, from_hour, until_hour
) on public.discount_codes to authenticated;
grant update (
  code, discount_type, discount_value, description, min_hours, max_uses, per_user_limit, expires_at, active, valid_from,
  customer_email, weekdays, from_hour, until_hour
) on public.discount_codes to authenticated;

-- Uses of coupons: reserved with the hold, committed when the booking is confirmed, and returned when it is cancelled.
create table private.coupon_redemption (
  booking_id uuid not null,
  coupon_id uuid not null,
  user_id uuid,
  state text default 'reserved' not null,
  created_at timestamptz default clock_timestamp() not null,
  -- Set while the payment session of a hold that is being replaced is closed. The provider's event may cancel that hold
  -- first, and its use must not go to another customer before the new hold takes it. After this time, the use is
  -- returned.
  moving_until timestamptz,
  constraint coupon_redemption_pkey primary key (booking_id),
  constraint coupon_redemption_coupon_id_fkey foreign key (coupon_id) references public.discount_codes(id),
  constraint coupon_redemption_state_check check (state = any (array['reserved', 'committed', 'returned']))
);
create index coupon_redemption_by_coupon on private.coupon_redemption (coupon_id) where state <> 'returned';
create index coupon_redemption_by_user on private.coupon_redemption (user_id, coupon_id) where state <> 'returned';
alter table private.coupon_redemption enable row level security, force row level security;
