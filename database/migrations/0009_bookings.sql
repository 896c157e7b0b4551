-- One slot, one live booking. A pending row is the hold; it leaves that state only by settle or by the release handshake.

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
  -- Hours chosen as labels: on two days a year they differ from the time that passes (decisions T-01).
  total_hours numeric(4, 1) not null check (total_hours > 0 and total_hours <= 24),
  slots jsonb not null default '[]',
  base_cost_cents integer not null check (base_cost_cents >= 0),
  discount_cents integer not null default 0 check (discount_cents >= 0),
  coupon_id uuid references public.discount_codes (id),
  coupon_discount_cents integer not null default 0 check (coupon_discount_cents >= 0),
  final_cost_cents integer not null check (final_cost_cents >= 0),
  id_verification_id uuid,
  terms_version text,
  notes text check (char_length(notes) <= 2000),
  guest_email text check (char_length(guest_email) <= 255),
  -- The cancellation terms in force when it was made.
  policy jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  constraint booking_ends_after_start check (end_time > start_time),
  constraint booking_at_most_a_day check (end_time <= start_time + interval '25 hours'),
  constraint booking_cancelled_has_reason check ((status = 'cancelled') = (cancel_reason is not null)),
  constraint booking_pending_expires check (status <> 'pending' or hold_expires_at is not null),
  -- Always inserted with "on conflict do nothing": a plain insert into this constraint deadlocks under a stampede.
  constraint booking_one_per_slot exclude using gist (studio_id with =, during with &&) where (status in ('pending', 'confirmed'))
);
create index booking_availability on private.booking (studio_id, start_time) include (end_time, status) where status <> 'cancelled';
create index booking_by_user on private.booking (user_id, start_time desc);
create index booking_expiring on private.booking (hold_expires_at) where status = 'pending';
alter table private.booking enable row level security;
alter table private.booking force row level security;
create trigger booking_updated_at before update on private.booking for each row execute function private.set_updated_at();

-- The state machine of promises section 3, and the fields that are frozen with the quote.
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

-- Only a pending row is ever made; the studio's own test bookings are the exception (decisions T-62).
create function private.booking_starts_pending() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.status <> 'pending' and new.notes is distinct from 'test' then
    raise exception 'a booking starts as pending' using errcode = '23514', constraint = 'booking_starts_pending';
  end if;
  return new;
end
$$;
create trigger booking_starts_pending before insert on private.booking for each row execute function private.booking_starts_pending();

create table private.coupon_redemption (
  booking_id uuid primary key references private.booking (id),
  coupon_id uuid not null references public.discount_codes (id),
  user_id uuid,
  state text not null default 'reserved' check (state in ('reserved', 'committed', 'returned')),
  created_at timestamptz not null default clock_timestamp()
);
create index coupon_redemption_by_coupon on private.coupon_redemption (coupon_id) where state <> 'returned';
alter table private.coupon_redemption enable row level security;
alter table private.coupon_redemption force row level security;

-- A cancelled booking gives its unit back, a confirmed one keeps it: tied to the row, so no path can forget.
create function private.update_redemption() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.status = 'confirmed' and old.status = 'pending' then
    update private.coupon_redemption set state = 'committed' where booking_id = new.id and state = 'reserved';
  elsif new.status = 'cancelled' and old.status <> 'cancelled' then
    with given_back as (
      update private.coupon_redemption set state = 'returned' where booking_id = new.id and state <> 'returned' returning coupon_id
    )
    update public.discount_codes d set current_uses = d.current_uses - 1 from given_back g where d.id = g.coupon_id;
  end if;
  return null;
end
$$;
create trigger booking_redemption after update of status on private.booking for each row execute function private.update_redemption();

-- What the booking pages keep while somebody signs in, on whatever device (decisions T-48).
create table public.booking_drafts (
  user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
  data jsonb not null check (octet_length(data::text) <= 16384),
  updated_at timestamptz not null default clock_timestamp()
);
alter table public.booking_drafts enable row level security;
alter table public.booking_drafts force row level security;
create policy "people keep their own draft" on public.booking_drafts for all to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant select, insert, update, delete on public.booking_drafts to authenticated;
create trigger booking_drafts_updated_at before update on public.booking_drafts for each row execute function private.set_updated_at();

-- The bookings everybody sees (decisions T-63): studio, start, end and status for all; the rest only for the owner, staff and the service.
-- Two branches, so that an owner's look-up by id uses the index and the grid touches nobody's name. Owned by a role of its own.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'booking_reader') then create role booking_reader nologin bypassrls; end if;
exception when duplicate_object or unique_violation then null;
end
$$;
grant usage on schema private, auth, public to booking_reader;
grant select on private.booking to booking_reader;

create view public.bookings as
select b.id, b.user_id, b.studio_id, b.studio_name, b.start_time, b.end_time, b.status, b.total_hours,
  (b.base_cost_cents / 100.0)::numeric(10, 2) as base_cost,
  ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2) as discount_amount,
  (b.coupon_discount_cents / 100.0)::numeric(10, 2) as coupon_discount,
  (b.final_cost_cents / 100.0)::numeric(10, 2) as final_cost,
  b.id_verification_id, b.notes, b.guest_email, b.reference, b.cancel_reason, b.hold_expires_at, b.slots, b.created_at, b.confirmed_at, b.cancelled_at
from private.booking b
where b.user_id = (select auth.uid()) or (select public.is_staff()) or (select auth.role()) = 'service_role'
union all
select null, null, b.studio_id, null, b.start_time, b.end_time, b.status, null,
  null, null, null, null,
  null, null, null, null, null, null, null, null, null, null
from private.booking b
where b.user_id is distinct from (select auth.uid()) and not (select public.is_staff()) and (select auth.role()) is distinct from 'service_role';
alter view public.bookings owner to booking_reader;
revoke all on public.bookings from public;
grant select, insert, update on public.bookings to authenticated, service_role;
grant select on public.bookings to anon, backend;

-- Writes through the view. A browser that says "confirmed" gets its row only when the server has already confirmed it (promises section 2).
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
    raise exception 'permission denied for bookings' using errcode = '42501';
  end if;

  if not is_service and not (public.is_staff() and new.notes is not distinct from 'test'
     and coalesce((select s.value = 'true' from private.settings s where s.name = 'developer_pages'), false)) then
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

-- A short name people can read out over a bad line: no 0, O, 1, I or L.
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
