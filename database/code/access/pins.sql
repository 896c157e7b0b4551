-- Returns the next variant for a code of this lock and these hours, counting from 1. Bookings and staff share the
-- numbers.
create or replace function private.next_code_variant(p_lock text, p_from timestamptz, p_until timestamptz)
returns integer language sql stable set search_path = '' as $$
  select 1 + greatest(
    (
      select coalesce(pg_catalog.max(s.variant), 0)
      from private.access_secret s
      where s.lock_id = p_lock and s.starts_at = p_from and s.ends_at = p_until),
    (
      select coalesce(pg_catalog.max(c.variant), 0)
      from private.staff_code c
      where c.lock_id = p_lock and c.starts_at = p_from and c.ends_at = p_until))
$$;

-- Returns whether this lock has a PIN with the same digits that may still open it: of a booking, of staff or of crew.
-- `p_fingerprint` is the keyed hash of the digits.
create or replace function private.is_pin_taken(p_lock text, p_fingerprint text)
returns boolean language sql stable set search_path = '' as $$
  select exists (
      select from private.access_secret s
      where s.lock_id = p_lock and s.pin_fingerprint = p_fingerprint and s.live)
    or exists (
      select from private.staff_code c
      where c.lock_id = p_lock and c.pin_fingerprint = p_fingerprint and c.status <> 'revoked')
    or exists (
      select from private.crew_code g
      where g.lock_id = p_lock and g.pin_fingerprint = p_fingerprint and g.status <> 'revoked')
$$;
