import type { Clock } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics/metrics.ts';
import type { Services } from '#server/operations/core/services.ts';
import { PAYMENT_OUTCOMES } from '#server/operations/core/settlement.ts';
import type { Queryable } from '#server/db/database.ts';

/** Scrapes within this time share one count. */
const COUNT_MS = 60_000;

/** Registers how many bookings that have not ended are in each state. Returns the function that counts the outcomes of payments. */
export function measureBookings(metrics: Metrics, db: Queryable, clock: Clock): Services['countOutcome'] {
  let counted: { readonly at: number; readonly byState: Readonly<Record<string, number>> } | null = null;
  metrics.labelled('bookings', 'Bookings that are not over, in each state', 'state', async () => {
    const at = clock().getTime();
    if (counted === null || at - counted.at >= COUNT_MS) counted = { at, byState: await countBookings(db, clock()) };
    return counted.byState;
  });
  return metrics.counter('payments_total', 'Outcomes of payments, since the start', 'outcome', PAYMENT_OUTCOMES);
}

/** Reads only the rows that the index on a room's hours covers: a booking lasts at most a day. */
async function countBookings(db: Queryable, now: Date): Promise<Readonly<Record<string, number>>> {
  const { rows } = await db.query<{ status: string; n: number }>(
    `select b.status, count(*)::int as n from public.studios s join lateral (
       select status, end_time from private.booking where studio_id = s.id and start_time > $1::timestamptz - interval '1 day') b on true
     where b.end_time > $1::timestamptz group by b.status`,
    [now],
  );
  return { pending: 0, confirmed: 0, cancelled: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
}
