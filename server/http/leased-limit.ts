import { LRUCache } from 'lru-cache';
import type { Limit } from './limits.ts';

type Batch = { readonly granted: number; readonly wait: number | null };
type Lease = {
  /** Units taken from the database and still unused. */
  units: number;
  /** When the units expire, in milliseconds. Expired units remain counted in the database, so the limit is never exceeded. */
  until: number;
  /** The time until which the key is refused without a query, in milliseconds. */
  refusedUntil: number;
  refilling: Promise<void> | null;
};

/** Maximum number of units that one query takes, for a busy key. */
const BATCH_MAX = 20;
/** How long a batch may be used. The limit keeps old units from adding to a new burst. */
const BATCH_MS = 10_000;
/** Maximum number of keys in memory. Dropping a key forfeits its unused units, which makes its limit stricter, never wider. */
const KEYS_MAX = 10_000;

/**
 * Takes units of a limit in batches, so that most requests cost no write. Returns null if the request is admitted, else the whole seconds
 * to wait. `take` counts in the database and returns the number of granted units, or the whole seconds to wait.
 */
export function createLeasedLimit(dependencies: {
  limit: Limit;
  take: (limit: Limit, key: string, units: number) => Promise<Batch>;
  clock: () => Date;
}): (key: string) => Promise<number | null> {
  const { limit, take, clock } = dependencies;
  const leases = new LRUCache<string, Lease>({ max: KEYS_MAX });
  const batch = Math.max(1, Math.min(BATCH_MAX, Math.floor(limit.max / 10)));

  function getLease(key: string): Lease {
    const existing = leases.get(key);
    if (existing) return existing;
    const lease: Lease = { units: 0, until: 0, refusedUntil: 0, refilling: null };
    leases.set(key, lease);
    return lease;
  }

  async function refill(lease: Lease, key: string): Promise<void> {
    const { granted, wait } = await take(limit, key, batch);
    const now = clock().getTime();
    lease.units = granted;
    lease.until = now + BATCH_MS;
    lease.refusedUntil = granted === 0 ? now + (wait ?? 1) * 1_000 : 0;
  }

  return async (key) => {
    const lease = getLease(key);
    for (;;) {
      const now = clock().getTime();
      if (lease.units > 0 && now < lease.until) {
        lease.units -= 1;
        return null;
      }
      if (now < lease.refusedUntil) return Math.ceil((lease.refusedUntil - now) / 1_000);
      // Concurrent requests of a key share one refill.
      lease.refilling ??= refill(lease, key).finally(() => {
        lease.refilling = null;
      });
      await lease.refilling;
    }
  };
}

/** Returns the function that takes units with `private.take_limit_units`. `factor` multiplies the limit; it is 1 outside tests. */
export function takeBatches(dependencies: {
  queryRow: (text: string, values: readonly unknown[]) => Promise<Record<string, unknown> | null>;
  clock: () => Date;
  factor: number;
}): (limit: Limit, key: string, units: number) => Promise<Batch> {
  return async ({ name, max, seconds }, key, units) => {
    const row = await dependencies.queryRow(
      'select granted, wait from private.take_limit_units($1, $2, $3::numeric, $4::numeric, $5::timestamptz, $6::int)',
      [name, key, max * dependencies.factor, seconds, dependencies.clock(), units],
    );
    const { granted, wait } = row ?? {};
    return {
      granted: typeof granted === 'number' ? granted : 0,
      wait: typeof wait === 'number' ? wait : null,
    };
  };
}
