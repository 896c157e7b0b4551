-- Customers whom staff have blocked: they can neither hold hours nor pay.

create table private.customer_block (
  user_id uuid primary key references auth.users (id) on delete cascade,
  -- For staff; customers do not read it.
  reason text not null check (char_length(reason) between 1 and 500),
  -- null: until staff unblock.
  until timestamptz,
  -- The nil UUID for the service key.
  blocked_by uuid not null,
  blocked_at timestamptz not null
);
alter table private.customer_block enable row level security, force row level security;

create function private.is_blocked(p_user uuid, p_now timestamptz) returns boolean language sql stable set search_path = '' as $$
  select exists (select from private.customer_block c where c.user_id = p_user and (c.until is null or c.until > p_now))
$$;

-- A new booking and a block of the same person wait for each other: a booking shares the account's row, a block locks it, and each looks for
-- the other only then. In another isolation level than read committed the look would use an older snapshot.
create function private.refuse_blocked() returns trigger language plpgsql security definer set search_path = '' as $$
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

-- The payment of a blocked person confirms nothing. No lock: a payment that arrives with the block may count as before it or after it.
create function private.refuse_blocked_payment() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if private.is_blocked(new.user_id, coalesce(new.confirmed_at, pg_catalog.clock_timestamp())) then
    raise exception 'the customer is blocked' using errcode = '23514', constraint = 'booking_not_blocked';
  end if;
  return null;
end
$$;
create trigger booking_payer_not_blocked after update of status on private.booking for each row
  when (old.status = 'pending' and new.status = 'confirmed' and new.user_id is not null) execute function private.refuse_blocked_payment();
revoke execute on function private.refuse_blocked(), private.refuse_blocked_payment() from public;

create function private.block_json(c private.customer_block) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object('reason', c.reason, 'until', c.until)
$$;

-- Blocks a person, or changes reason and end of the block, and returns their bookings that are not over; null when there is no such account.
-- Unpaid holds end at once: the task that releases expired holds closes their payment sessions first.
create function private.block_customer(p_user uuid, p_reason text, p_until timestamptz, p_actor uuid, p_now timestamptz) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  earlier private.customer_block;
  made private.customer_block;
begin
  -- As in hold_booking, which changes bookings before it shares the account's row.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || p_user::text, 0));
  perform from auth.users u where u.id = p_user and u.deleted_at is null for update;
  if not found then return null; end if;
  select * into earlier from private.customer_block c where c.user_id = p_user;
  if earlier.user_id is null or (earlier.reason, earlier.until) is distinct from (p_reason, p_until) then
    insert into private.customer_block as c (user_id, reason, until, blocked_by, blocked_at) values (p_user, p_reason, p_until, p_actor, p_now)
    on conflict (user_id) do update set reason = p_reason, until = p_until, blocked_by = p_actor, blocked_at = p_now
    returning * into made;
    perform private.audit(p_actor, case when earlier.user_id is null then 'create' else 'update' end, 'customer_block', p_user::text,
      pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'before', case when earlier.user_id is not null then private.block_json(earlier) end, 'after', private.block_json(made))));
  end if;
  update private.booking b set hold_expires_at = p_now
  where b.user_id = p_user and b.status = 'pending' and b.hold_expires_at > p_now and not private.payment_is_processing(b.id);
  return coalesce((
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', b.id, 'reference', b.reference, 'studioId', b.studio_id,
      'studioName', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time, 'status', b.status) order by b.start_time, b.studio_name)
    from private.booking b where b.user_id = p_user and b.status in ('pending', 'confirmed') and b.end_time > p_now), '[]');
end
$$;

-- Ends a block. Returns false when there is no such account; a person who is not blocked stays so.
create function private.unblock_customer(p_user uuid, p_actor uuid) returns boolean language plpgsql volatile set search_path = '' as $$
declare
  ended private.customer_block;
begin
  perform from auth.users u where u.id = p_user and u.deleted_at is null for key share;
  if not found then return false; end if;
  delete from private.customer_block c where c.user_id = p_user returning * into ended;
  if found then
    perform private.audit(p_actor, 'delete', 'customer_block', p_user::text, pg_catalog.jsonb_build_object('before', private.block_json(ended)));
  end if;
  return true;
end
$$;
