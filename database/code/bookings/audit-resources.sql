-- Returns the resources of a person's bookings under which the audit log has records: `kind` is the resource type and
-- `id` the resource id. When an account is deleted, the words that staff wrote in these records are erased.
create or replace function private.things_of_bookings(p_user uuid) returns table (kind text, id uuid)
language sql stable set search_path = '' as $$
  with own as (select b.id from private.booking b where b.user_id = p_user),
    paid as (select x.id from private.payment x join own on own.id = x.booking_id),
    parts as (select r.id from private.partial_refund r join paid on paid.id = r.payment_id),
    subjects as (select id from own union all select id from paid union all select id from parts)
  select 'booking', own.id from own
  union all select 'payment', paid.id from paid
  union all select 'refund', parts.id from parts
  union all select 'incident', i.id from private.incident i join own on own.id = i.booking_id
  -- Jobs that staff closed, with a note of what they did instead.
  union all select 'outbox', o.id from private.outbox o join subjects on subjects.id = o.subject_id
$$;
