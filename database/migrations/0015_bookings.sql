-- Bookings. A pending row is a hold. It is confirmed when it is paid, or released after the payment provider has closed its session.

create table private.booking (
  id uuid primary key default gen_random_uuid(),
  reference text not null unique check (reference ~ '^[A-Z0-9]{4}-[A-Z0-9]{4}$'),
  user_id uuid references auth.users (id) on delete set null,
  studio_id uuid not null references public.studios (id),
  studio_name text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  during tstzrange generated always as (tstzrange(start_time, end_time, '[)')) stored,
  status text not null default 'pending' check (status in ('pending', 'confirmed', 'cancelled')),
  cancel_reason text check (cancel_reason in
    ('hold_expired', 'abandoned', 'customer', 'staff', 'payment_failed', 'slot_lost', 'amount_mismatch', 'replaced', 'test_over')),
  hold_expires_at timestamptz,
  -- Hours by their labels: on two days a year they differ from the time that passes.
  total_hours numeric(4, 1) not null check (total_hours > 0 and total_hours <= 24),
  slots jsonb not null default '[]',
  base_cost_cents integer not null check (base_cost_cents >= 0),
  discount_cents integer not null default 0 check (discount_cents >= 0),
  coupon_id uuid references public.discount_codes (id),
  -- Code, type and value of the coupon, frozen with the price.
  coupon_terms jsonb,
  coupon_discount_cents integer not null default 0 check (coupon_discount_cents >= 0),
  final_cost_cents integer not null check (final_cost_cents >= 0),
  id_verification_id uuid,
  terms_version text,
  -- The cancellation terms when it was made.
  policy jsonb not null default '{}',
  -- The number given with the payment, which may differ from the account's. Staff call it.
  contact_phone text check (contact_phone ~ '^\+?[0-9]{8,20}$'),
  guest_email text check (char_length(guest_email) <= 255),
  -- 'test' marks a test booking of staff.
  notes text check (char_length(notes) <= 2000),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  constraint booking_ends_after_start check (end_time > start_time),
  constraint booking_at_most_a_day check (end_time <= start_time + interval '25 hours'),
  constraint booking_cancelled_has_reason check ((status = 'cancelled') = (cancel_reason is not null)),
  constraint booking_pending_expires check (status <> 'pending' or hold_expires_at is not null),
  constraint booking_coupon_terms check (coupon_terms is null or coupon_id is not null),
  -- Insert with "on conflict do nothing": many plain inserts at once into this constraint deadlock.
  constraint booking_one_per_slot exclude using gist (studio_id with =, during with &&) where (status in ('pending', 'confirmed'))
);
create index booking_availability on private.booking (studio_id, start_time) include (end_time, status) where status <> 'cancelled';
create index booking_by_user on private.booking (user_id, start_time desc);
create index booking_expiring on private.booking (hold_expires_at) where status = 'pending';
alter table private.booking enable row level security, force row level security;
grant select on private.booking to booking_reader;
create trigger booking_updated_at before update on private.booking for each row execute function private.set_updated_at();

-- A booking starts as pending; only test bookings of staff start as confirmed.
create function private.booking_starts_pending() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.status <> 'pending' and new.notes is distinct from 'test' then
    raise exception 'a booking starts as pending' using errcode = '23514', constraint = 'booking_starts_pending';
  end if;
  return new;
end
$$;
create trigger booking_starts_pending before insert on private.booking for each row execute function private.booking_starts_pending();

-- Allows only the transitions of a booking, and freezes its hours and price.
create function private.booking_transition() returns trigger language plpgsql set search_path = '' as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'cancelled')) then
    raise exception 'a % booking cannot become %', old.status, new.status using errcode = '23514', constraint = 'booking_transition';
  end if;
  if (new.studio_id, new.start_time, new.end_time, new.base_cost_cents, new.discount_cents, new.coupon_discount_cents, new.final_cost_cents, new.total_hours)
     is distinct from
     (old.studio_id, old.start_time, old.end_time, old.base_cost_cents, old.discount_cents, old.coupon_discount_cents, old.final_cost_cents, old.total_hours) then
    raise exception 'the quote of a booking is frozen' using errcode = '23514', constraint = 'booking_quote_frozen';
  end if;
  if new.status = 'confirmed' and old.status = 'pending' then new.confirmed_at := coalesce(new.confirmed_at, clock_timestamp()); end if;
  if new.status = 'cancelled' and old.status <> 'cancelled' then new.cancelled_at := coalesce(new.cancelled_at, clock_timestamp()); end if;
  return new;
end
$$;
create trigger booking_transition before update on private.booking for each row execute function private.booking_transition();

-- The number is personal: it goes when the account goes. What was booked and paid stays.
create function private.clear_contact_phone() returns trigger language plpgsql set search_path = '' as $$
begin
  new.contact_phone := null;
  return new;
end
$$;
create trigger booking_clear_contact_phone before update of user_id on private.booking for each row
  when (new.user_id is null) execute function private.clear_contact_phone();

-- Returns a random reference that can be read out over a bad line: without 0, O, 1, I and L.
create function private.new_reference() returns text language plpgsql volatile set search_path = '' as $$
declare
  letters constant text := '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
  bytes constant bytea := extensions.gen_random_bytes(8);
  made text := '';
begin
  for i in 0..7 loop
    made := made || pg_catalog.substr(letters, 1 + pg_catalog.get_byte(bytes, i) % 31, 1) || case i when 3 then '-' else '' end;
  end loop;
  return made;
end
$$;

-- A booking as the server reads it.
create function private.booking_json(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'userId', b.user_id, 'studioId', b.studio_id, 'studioName', b.studio_name,
    'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status, 'cancelReason', b.cancel_reason, 'holdExpiresAt', b.hold_expires_at,
    'totalHours', b.total_hours, 'slots', b.slots, 'baseCostCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponDiscountCents', b.coupon_discount_cents, 'finalCostCents', b.final_cost_cents, 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at)
$$;

-- The bookings that a caller may read with all columns. It is a view of its own with a security barrier, so that only leakproof operators
-- (=, <>, <, > of uuid, timestamptz and text) run before its condition: a filter on a hidden column must not reveal it by failing. PostgreSQL
-- ignores the barrier on a view that is a `union all`. The first condition uses no column, so this branch reads no row for a guest.
create view private.visible_booking with (security_barrier = true) as
select b.id, b.reference, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.during, b.status, b.cancel_reason, b.hold_expires_at,
  b.total_hours, b.slots, b.base_cost_cents, b.discount_cents, b.coupon_id, b.coupon_discount_cents, b.final_cost_cents, b.id_verification_id,
  b.terms_version, b.notes, b.guest_email, b.policy, b.created_at, b.updated_at, b.confirmed_at, b.cancelled_at, b.contact_phone
from private.booking b
where (select auth.uid() is not null or auth.role() is not distinct from 'service_role')
  and (b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role');
alter view private.visible_booking owner to booking_reader;
revoke all on private.visible_booking from backend;

-- Everybody sees studio, start, end and status of all bookings. The other columns are for the owner, staff and the service. The second branch
-- names no hidden column, so filters may run in it in any order. A booking whose account is gone belongs to nobody, not to a guest.
create view public.bookings as
select b.id, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.total_hours,
  (b.base_cost_cents / 100.0)::numeric(10, 2) as base_cost,
  ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2) as discount_amount,
  (b.coupon_discount_cents / 100.0)::numeric(10, 2) as coupon_discount,
  (b.final_cost_cents / 100.0)::numeric(10, 2) as final_cost,
  b.id_verification_id, b.notes, b.guest_email, b.reference, b.cancel_reason, b.hold_expires_at, b.slots, b.created_at, b.confirmed_at, b.cancelled_at,
  b.contact_phone
from private.visible_booking b
union all
select null, null, b.studio_id, null, b.start_time, b.end_time, b.status, null,
  null, null, null, null,
  null, null, null, null, null, null, null, null, null, null,
  null
from private.booking b
where (b.user_id = (select auth.uid())) is not true
  and (select auth.uid() is null or not public.is_staff()) and (select auth.role()) is distinct from 'service_role';
alter view public.bookings owner to booking_reader;
grant select on public.bookings to anon;
grant select, insert, update on public.bookings to authenticated;

-- Handles writes through the view. The service may do what it likes. A customer's update that changes nothing of a confirmed booking is accepted;
-- a browser cannot confirm one itself. Staff may create and end test bookings while the developer pages are on.
create function private.write_bookings() returns trigger language plpgsql security definer set search_path = '' as $$
declare
  is_service constant boolean := coalesce(auth.role() = 'service_role', false);
  made private.booking;
begin
  if tg_op = 'UPDATE' then
    if is_service then
      update private.booking b set status = new.status, cancel_reason = case when new.status = 'cancelled' then coalesce(new.cancel_reason, 'staff') end,
        notes = new.notes, guest_email = new.guest_email
      where b.id = old.id;
      return new;
    end if;
    if old.user_id is not distinct from auth.uid() and old.status = 'confirmed'
       and pg_catalog.to_jsonb(new) = pg_catalog.to_jsonb(old) then
      return new;
    end if;
    if old.notes is not distinct from 'test' and old.status <> 'cancelled' and new.status = 'cancelled'
       and pg_catalog.to_jsonb(new) - 'status' = pg_catalog.to_jsonb(old) - 'status' and public.developer_pages_open() then
      update private.booking b set status = 'cancelled', cancel_reason = 'test_over' where b.id = old.id and b.notes = 'test';
      insert into private.outbox (kind, subject_id, dedupe, due_at) values ('access.revoke', old.id, 'test_over', pg_catalog.now())
      on conflict do nothing;
      perform private.audit(auth.uid(), 'update', 'booking', old.id::text, '{"status": "cancelled", "cancel_reason": "test_over"}');
      new.cancel_reason := 'test_over';
      return new;
    end if;
    raise exception 'permission denied for bookings' using errcode = '42501';
  end if;

  if not is_service and not (new.notes is not distinct from 'test' and public.developer_pages_open()) then
    raise exception 'permission denied for bookings' using errcode = '42501';
  end if;
  insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours,
    base_cost_cents, final_cost_cents, notes, guest_email)
  select private.new_reference(), coalesce(new.user_id, auth.uid()), s.id, s.name, new.start_time, new.end_time,
    coalesce(new.status, 'confirmed'), case when new.status = 'pending' then pg_catalog.now() + interval '15 minutes' end, coalesce(new.total_hours, 1),
    pg_catalog.round(coalesce(new.base_cost, 0) * 100)::integer, pg_catalog.round(coalesce(new.final_cost, new.base_cost, 0) * 100)::integer, new.notes, new.guest_email
  from public.studios s where s.id = new.studio_id
  on conflict do nothing returning * into made;
  if made.id is null then
    raise exception 'that time is taken' using errcode = '23P01';
  end if;
  perform private.audit(auth.uid(), 'create', 'booking', made.id::text, pg_catalog.jsonb_build_object('notes', made.notes));
  new.id := made.id;
  new.user_id := made.user_id;
  new.studio_name := made.studio_name;
  new.status := made.status;
  new.reference := made.reference;
  new.total_hours := made.total_hours;
  new.created_at := made.created_at;
  return new;
end
$$;
create trigger bookings_write instead of insert or update on public.bookings for each row execute function private.write_bookings();

-- The caller's own bookings with the coupon and the cancellation terms frozen with each. Holds that were never paid are left out.
create function public.own_bookings() returns table (
  id uuid, reference text, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz, status text, cancel_reason text,
  hold_expires_at timestamptz, total_hours numeric, final_cost numeric, coupon_code text, coupon_type text, coupon_value numeric,
  free_cancel_hours numeric, created_at timestamptz
)
language sql stable security definer set search_path = '' as $$
  select b.id, b.reference, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.cancel_reason,
    b.hold_expires_at, b.total_hours, (b.final_cost_cents / 100.0)::numeric(10, 2), b.coupon_terms ->> 'code', b.coupon_terms ->> 'discountType',
    (b.coupon_terms ->> 'discountValue')::numeric, (b.policy ->> 'freeCancelHours')::numeric, b.created_at
  from private.booking b
  where b.user_id = auth.uid() and (b.cancel_reason is null or b.cancel_reason not in ('hold_expired', 'abandoned', 'replaced'))
  order by b.start_time desc
  limit 100
$$;
grant execute on function public.own_bookings() to authenticated;

-- What the booking pages remember while somebody signs in, on any device.
create table public.booking_drafts (
  user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
  data jsonb not null check (octet_length(data::text) <= 16384),
  updated_at timestamptz not null default clock_timestamp()
);
alter table public.booking_drafts enable row level security, force row level security;
create policy "people keep their own draft" on public.booking_drafts for all to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant select, insert, update, delete on public.booking_drafts to authenticated;
create trigger booking_drafts_updated_at before update on public.booking_drafts for each row execute function private.set_updated_at();
