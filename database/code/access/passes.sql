-- Queues the jobs that renew the wallet passes of a booking whenever its status, room or hours change. The jobs read
-- the booking as it is when they run, so undoing a change needs no other job.
create or replace function private.renew_passes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  with changed as (
    update private.wallet_pass w
    set version = w.version + 1,
      changed_at = greatest(
        pg_catalog.date_trunc('second', pg_catalog.clock_timestamp()), w.changed_at + interval '1 second')
    where w.booking_id = new.id
    returning w.*
  )
  insert into private.outbox (kind, subject_id, dedupe, due_at)
  select k.kind, c.booking_id, pg_catalog.gen_random_uuid()::text, pg_catalog.now()
  from changed c
  cross join lateral (values ('pass.apple', c.apple_at), ('pass.google', c.google_at)) k (kind, made_at)
  where k.made_at is not null;
  return null;
end
$$;

create trigger passes_follow_booking after update on private.booking for each row
  when ((old.status, old.studio_id, old.start_time, old.end_time)
    is distinct from (new.status, new.studio_id, new.start_time, new.end_time))
  execute function private.renew_passes();

-- Deletes the stored data about the passes of a booking when its customer's account is deleted.
create or replace function private.forget_passes_of_account() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.wallet_pass w where w.booking_id = new.id;
  return null;
end
$$;

create trigger passes_forgotten after update on private.booking for each row
  when (old.user_id is not null and new.user_id is null) execute function private.forget_passes_of_account();

-- Deletes the stored data about passes 30 days after the session. Returns the number of deleted passes.
create or replace function private.forget_passes(p_now timestamptz) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  v_deleted integer;
begin
  -- Starts from the passes, because there are far more bookings.
  delete from private.wallet_pass w
  where (select b.end_time from private.booking b where b.id = w.booking_id) < p_now - interval '30 days';
  get diagnostics v_deleted = row_count;
  return v_deleted;
end
$$;
