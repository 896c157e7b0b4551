import type pg from 'pg';

/** The end of the newest booking. */
export const LAST = '2026-12-20T00:00:00Z';

/** Fills the three studios with one-hour bookings from number $1 to before $2, backwards from `LAST`. Every day before it is full. */
export const FILL = `
insert into private.booking (reference, studio_id, studio_name, start_time, end_time, status, total_hours, base_cost_cents, final_cost_cents, notes, confirmed_at)
select upper(substr(md5(n::text), 1, 4) || '-' || substr(md5(n::text || 'x'), 1, 4)), s.id, s.name,
  timestamptz '${LAST}' - (n / 3 + 1) * interval '1 hour', timestamptz '${LAST}' - (n / 3) * interval '1 hour', 'confirmed', 1, 4900, 4900, 'test', now()
from generate_series($1::int, $2::int - 1) n join (select id, name, row_number() over (order by name) - 1 as at from public.studios) s on s.at = n % 3
on conflict do nothing`;

/** Fills a PostgreSQL database. Triggers are off, and the constraint is built once at the end. */
export async function fillBookings(owner: pg.Client, count: number): Promise<void> {
  await owner.query('set session_replication_role = replica');
  await owner.query('alter table private.booking drop constraint booking_one_per_slot');
  await owner.query(FILL, [0, count]);
  await owner.query(
    `alter table private.booking add constraint booking_one_per_slot exclude using gist (studio_id with =, during with &&) where (status in ('pending', 'confirmed'))`,
  );
  await owner.query('reset session_replication_role');
  await owner.query('vacuum analyze private.booking');
}
