import type { Auditor } from './auditor.ts';

const HOUR = 3_600_000;

type Session = { id: string; start_time: Date; end_time: Date; issued: number; early: number };
const SESSIONS = `
select b.id, b.start_time, b.end_time,
  count(*) filter (where c.status in ('issued', 'revoked', 'revoke_pending') and c.issued_at <= b.start_time)::int as issued
from private.booking b left join public.booking_access_codes c on c.booking_id = b.id
where b.status = 'confirmed' and b.start_time between $1::timestamptz and $2::timestamptz
  and b.confirmed_at < b.start_time - interval '70 minutes' and b.moves = 0 and b.kept_in_block is null
  and not exists (select from private.payment p where p.booking_id = b.id and p.state in ('disputed', 'dispute_lost'))
group by b.id`;

/** Each paid booking has its code before it begins, unless the locks were down or the server was. */
export const auditCodes: Auditor = async ({ world, db, report, isTroubled }) => {
  if (isTroubled) return;
  const now = world.time.now();
  const { rows } = await db.query<Session>(SESSIONS, [new Date(now - 24 * HOUR), new Date(now)]);
  for (const { id, start_time: start, issued } of rows)
    if (issued === 0) report('G11', `booking ${id} began at ${start.toISOString()} without a code`);
};

const STRAY = `
select b.id || ' ' || c.starts_at || ' to ' || c.ends_at as what from public.booking_access_codes c
join private.booking b on b.id = c.booking_id
where b.status = 'confirmed' and b.moves = 0 and c.status = 'issued'
  and (c.starts_at < b.start_time - interval '65 minutes' or c.ends_at > b.end_time + interval '60 minutes')`;
const WITHOUT_BOOKING = `
select b.id || ' ' || b.cancel_reason as what from public.booking_access_codes c join private.booking b on b.id = c.booking_id
where c.status = 'issued' and b.status = 'cancelled' and b.cancelled_at < $1::timestamptz - interval '75 minutes'
  and b.start_time > $1::timestamptz`;

/** A code works only in the hours of its booking. */
export const auditStrayCodes: Auditor = async ({ world, db, report }) => {
  const stray = await db.query<{ what: string }>(STRAY);
  for (const { what } of stray.rows) report('G8', `a code works outside of its booking: ${what}`);
  const lost = await db.query<{ what: string }>(WITHOUT_BOOKING, [new Date(world.time.now())]);
  for (const { what } of lost.rows) report('G8', `a code outlives its booking: ${what}`);
};
