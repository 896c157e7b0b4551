import type { Queryable } from '#server/db/database.ts';

/** Invariants of all money and hours. Each query counts the violations. */
const RULES: readonly { readonly fault: string; readonly sql: string }[] = [
  {
    fault: 'confirmed bookings of one room overlap',
    sql: `select count(*)::int as n from private.booking a join private.booking b
          on a.studio_id = b.studio_id and a.id < b.id and a.during && b.during where a.status = 'confirmed' and b.status = 'confirmed'`,
  },
  {
    fault: 'confirmed bookings are not paid',
    sql: `select count(*)::int as n from private.booking b where b.status = 'confirmed'
          and not exists (select from private.payment x where x.booking_id = b.id
            and x.state not in ('intent', 'open', 'processing', 'failed', 'expired'))
          and b.notes is distinct from 'test'`,
  },
  {
    fault: 'more was refunded than paid',
    sql: `select count(*)::int as n from private.payment where refunded_cents > coalesce(paid_cents, 0)`,
  },
  {
    fault: 'paid payments have no amount',
    sql: `select count(*)::int as n from private.payment where state = 'paid' and kind = 'card' and amount_cents > 0 and paid_cents is null`,
  },
];

/** Lists the violations of the money and hours invariants in a database. */
export async function moneyFaults(db: Pick<Queryable, 'queryRow'>): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { fault, sql } of RULES) {
    const count = (await db.queryRow<{ n: number }>(sql))?.n ?? 0;
    if (count > 0) faults.push(`${fault}: ${count}`);
  }
  return faults;
}
