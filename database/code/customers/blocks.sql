-- Blocks: staff prevent a customer from holding hours and paying, until a time or until they end the block.

-- Blocks a customer, or changes the reason and end of the block. If `p_until` is null, the customer is blocked until
-- staff end the block. Returns the customer's bookings and holds that are not over as a JSON array, or null if there
-- is no such account. Unpaid holds expire at once, unless their payment is processing; the task that releases expired
-- holds closes their payment sessions first. Idempotent.
create or replace function private.block_customer(
  p_user uuid, p_reason text, p_until timestamptz, p_actor uuid, p_now timestamptz
)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_earlier private.customer_block;
  v_made private.customer_block;
begin
  -- Takes the lock of hold_booking() first, because that function changes bookings before it takes a shared lock on
  -- the account's row.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || p_user::text, 0));
  perform from auth.users u where u.id = p_user and u.deleted_at is null for update;
  if not found then return null; end if;
  select * into v_earlier from private.customer_block c where c.user_id = p_user;
  if v_earlier.user_id is null or (v_earlier.reason, v_earlier.until) is distinct from (p_reason, p_until) then
    insert into private.customer_block as c (user_id, reason, until, blocked_by, blocked_at)
    values (p_user, p_reason, p_until, p_actor, p_now)
    on conflict (user_id) do update
      set reason = p_reason, until = p_until, blocked_by = p_actor, blocked_at = p_now
    returning * into v_made;
    perform private.audit(p_actor, case when v_earlier.user_id is null then 'create' else 'update' end,
      'customer_block', p_user::text,
      pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'before', case when v_earlier.user_id is not null then private.block_json(v_earlier) end,
        'after', private.block_json(v_made))));
  end if;
  update private.booking b set hold_expires_at = p_now
  where b.user_id = p_user and b.status = 'pending' and b.hold_expires_at > p_now
    and not private.payment_is_processing(b.id);
  return coalesce((
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'id', b.id, 'reference', b.reference, 'studioId', b.studio_id, 'studioName', b.studio_name,
      'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status) order by b.start_time, b.studio_name)
    from private.booking b
    where b.user_id = p_user and b.status in ('pending', 'confirmed') and b.end_time > p_now), '[]');
end
$$;

-- Ends the block of a customer. Returns false if there is no such account. Idempotent.
create or replace function private.unblock_customer(p_user uuid, p_actor uuid) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  v_ended private.customer_block;
begin
  perform from auth.users u where u.id = p_user and u.deleted_at is null for key share;
  if not found then return false; end if;
  delete from private.customer_block c where c.user_id = p_user returning * into v_ended;
  if found then
    perform private.audit(p_actor, 'delete', 'customer_block', p_user::text,
      pg_catalog.jsonb_build_object('before', private.block_json(v_ended)));
  end if;
  return true;
end
$$;

-- Returns a block as JSON, as the audit log stores it.
create or replace function private.block_json(c private.customer_block) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('reason', c.reason, 'until', c.until)
$$;

-- Returns whether a customer is blocked at an instant.
create or replace function private.is_blocked(p_user uuid, p_now timestamptz) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from private.customer_block c where c.user_id = p_user and (c.until is null or c.until > p_now))
$$;

-- Refuses a booking of a blocked customer with 23514. A new booking and a block of the same customer wait for each
-- other: the booking takes a shared lock on the account's row, the block an exclusive one, and each looks for the
-- other only while it has the lock. This works only at the isolation level read committed, because a transaction at
-- another level would look at an older snapshot.
create or replace function private.refuse_blocked() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'bookings are made in read committed transactions' using errcode = '25001';
  end if;
  perform from auth.users u where u.id = new.user_id for key share;
  if private.is_blocked(new.user_id, new.created_at) then
    raise exception 'the customer is blocked' using errcode = '23514', constraint = 'booking_not_blocked';
  end if;
  return null;
end
$$;

create trigger booking_not_blocked after insert on private.booking for each row
  when (new.user_id is not null and new.notes is distinct from 'test') execute function private.refuse_blocked();

-- Refuses to confirm a booking of a blocked customer with 23514, even if it is paid for. Takes no lock: if a payment
-- arrives while staff block the customer, either of the two may take effect first.
create or replace function private.refuse_blocked_payment() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.is_blocked(new.user_id, coalesce(new.confirmed_at, pg_catalog.clock_timestamp())) then
    raise exception 'the customer is blocked' using errcode = '23514', constraint = 'booking_not_blocked';
  end if;
  return null;
end
$$;

create trigger booking_payer_not_blocked after update of status on private.booking for each row
  when (old.status = 'pending' and new.status = 'confirmed' and new.user_id is not null)
  execute function private.refuse_blocked_payment();
