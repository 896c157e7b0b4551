-- Passes in wallets follow their bookings: which passes were made, and on which phones Apple's are.

create table private.wallet_pass (
  booking_id uuid primary key references private.booking (id) on delete cascade,
  -- Counts what happened to the booking since. A job that finds a newer one after its call calls again.
  version integer not null default 1,
  -- In whole seconds, as HTTP compares it, and another one for each version. From the database's clock alone, so that versions are in order.
  changed_at timestamptz not null default pg_catalog.date_trunc('second', pg_catalog.clock_timestamp()),
  -- When the customer first asked for one.
  apple_at timestamptz,
  google_at timestamptz,
  constraint wallet_pass_made check (apple_at is not null or google_at is not null)
);
alter table private.wallet_pass enable row level security, force row level security;

create table private.pass_device (
  booking_id uuid not null references private.wallet_pass (booking_id) on delete cascade,
  -- SHA-256 of Apple's number of the phone, which is the password for the list of its passes.
  device_hash text not null check (device_hash ~ '^[0-9a-f]{64}$'),
  push_token text not null check (push_token ~ '^[0-9a-f]{32,200}$'),
  created_at timestamptz not null,
  primary key (booking_id, device_hash)
);
create index pass_device_by_device on private.pass_device (device_hash);
alter table private.pass_device enable row level security, force row level security;

-- Queues the jobs that renew the passes of a booking, for every change of it. They read the booking as it is when they run, so an undo needs no job of its own.
create function private.renew_passes() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  with changed as (
    update private.wallet_pass w
    set version = w.version + 1,
      changed_at = greatest(pg_catalog.date_trunc('second', pg_catalog.clock_timestamp()), w.changed_at + interval '1 second')
    where w.booking_id = new.id
    returning w.*
  )
  insert into private.outbox (kind, subject_id, dedupe, due_at)
  select k.kind, c.booking_id, pg_catalog.gen_random_uuid()::text, pg_catalog.now()
  from changed c cross join lateral (values ('pass.apple', c.apple_at), ('pass.google', c.google_at)) k (kind, made_at)
  where k.made_at is not null;
  return null;
end
$$;
create trigger passes_follow_booking after update on private.booking for each row
  when ((old.status, old.studio_id, old.start_time, old.end_time) is distinct from (new.status, new.studio_id, new.start_time, new.end_time))
  execute function private.renew_passes();

-- What is stored about passes goes with the account of the booking.
create function private.forget_passes_of_account() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from private.wallet_pass w where w.booking_id = new.id;
  return null;
end
$$;
create trigger passes_forgotten after update on private.booking for each row
  when (old.user_id is not null and new.user_id is null) execute function private.forget_passes_of_account();
revoke execute on function private.renew_passes(), private.forget_passes_of_account() from public;

-- Deletes it a month after the session.
create function private.forget_passes(p_now timestamptz) returns integer language plpgsql volatile set search_path = '' as $$
declare
  deleted integer;
begin
  -- Starts at the passes: there are far more bookings.
  delete from private.wallet_pass w where (select b.end_time from private.booking b where b.id = w.booking_id) < p_now - interval '30 days';
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- As before, with the passes.
create or replace function private.export_booking(b private.booking) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('reference', b.reference, 'room', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status,
    'cancelReason', b.cancel_reason, 'hours', b.slots, 'contactPhone', b.contact_phone, 'termsVersion', b.terms_version, 'coupon', b.coupon_terms,
    'base', (b.base_cost_cents / 100.0)::numeric(10, 2), 'discount', ((b.discount_cents + b.coupon_discount_cents) / 100.0)::numeric(10, 2),
    'total', (b.final_cost_cents / 100.0)::numeric(10, 2), 'createdAt', b.created_at, 'confirmedAt', b.confirmed_at, 'cancelledAt', b.cancelled_at,
    'payments', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('state', x.state, 'amount', (x.amount_cents / 100.0)::numeric(10, 2),
      'paidAt', x.paid_at, 'refunded', (x.refunded_cents / 100.0)::numeric(10, 2)) order by x.created_at), '[]') from private.payment x where x.booking_id = b.id),
    'documents', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('number', d.number, 'kind', d.kind, 'issuedAt', d.issued_at,
      'voidedAt', d.voided_at, 'amount', (d.cents / 100.0)::numeric(10, 2), 'content', d.content) order by d.number), '[]')
      from private.document d where d.booking_id = b.id),
    'moves', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', m.created_at, 'fromStartTime', m.from_start_time,
      'toStartTime', m.start_time) order by m.number), '[]') from private.booking_move m where m.booking_id = b.id),
    'passes', (select pg_catalog.jsonb_build_object('appleAt', w.apple_at, 'googleAt', w.google_at,
      'phones', (select coalesce(pg_catalog.jsonb_agg(d.created_at order by d.created_at), '[]') from private.pass_device d where d.booking_id = w.booking_id))
      from private.wallet_pass w where w.booking_id = b.id),
    'doorCodes', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('issuedAt', c.issued_at, 'seenAt', c.seen_at, 'usedAt', c.used_at)
      order by c.created_at), '[]') from public.booking_access_codes c where c.booking_id = b.id))
$$;
