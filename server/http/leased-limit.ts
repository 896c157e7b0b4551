/** One limit, counted in the database and taken from there in shares: at most `max` in `seconds` by key, across all processes. */
export type LeasedLimit = { readonly name: string; readonly max: number; readonly seconds: number };

type Share = { readonly granted: number; readonly wait: number | null };
type Lease = {
  /** Units taken from the database and not used yet. */
  units: number;
  /** When the units lapse, in milliseconds; a lapsed unit stays counted, so that the limit is never exceeded. */
  until: number;
  /** Until when the key is refused without asking again, in milliseconds. */
  refusedUntil: number;
  taking: Promise<void> | null;
};

/** A busy key asks the database once for this many requests. */
const SHARE_MAX = 20;
/** How long a share may be used, so that units taken long ago cannot add to a new burst. */
const SHARE_MS = 10_000;
/** Keys remembered at once; the oldest are forgotten, which makes the limit stricter for them, never wider. */
const KEYS_MAX = 10_000;

/**
 * Takes units of a limit in shares, so that most requests cost no write. `take` counts in the database: it answers how many units were
 * granted, or the whole seconds to wait. Answers null when admitted, else the whole seconds to wait.
 */
export function createLeasedLimit(parts: {
  limit: LeasedLimit;
  take: (limit: LeasedLimit, key: string, units: number) => Promise<Share>;
  clock: () => Date;
}): (key: string) => Promise<number | null> {
  const { limit, take, clock } = parts;
  const leases = new Map<string, Lease>();
  const share = Math.max(1, Math.min(SHARE_MAX, Math.floor(limit.max / 10)));

  function leaseOf(key: string): Lease {
    const known = leases.get(key);
    if (known) return known;
    const [oldest] = leases.keys();
    if (leases.size >= KEYS_MAX && oldest !== undefined) leases.delete(oldest);
    const lease: Lease = { units: 0, until: 0, refusedUntil: 0, taking: null };
    leases.set(key, lease);
    return lease;
  }

  async function refill(lease: Lease, key: string): Promise<void> {
    const { granted, wait } = await take(limit, key, share);
    const now = clock().getTime();
    lease.units = granted;
    lease.until = now + SHARE_MS;
    lease.refusedUntil = granted === 0 ? now + (wait ?? 1) * 1_000 : 0;
  }

  return async (key) => {
    const lease = leaseOf(key);
    for (;;) {
      const now = clock().getTime();
      if (lease.units > 0 && now < lease.until) {
        lease.units -= 1;
        return null;
      }
      if (now < lease.refusedUntil) return Math.ceil((lease.refusedUntil - now) / 1_000);
      // Requests that find the share used up wait for one refill together.
      lease.taking ??= refill(lease, key).finally(() => {
        lease.taking = null;
      });
      await lease.taking;
    }
  };
}

/** Counts shares in the database with `private.take_limit_units`. `factor` multiplies the limit; 1 outside tests. */
export function takeShares(parts: {
  one: (text: string, values: readonly unknown[]) => Promise<Record<string, unknown> | null>;
  clock: () => Date;
  factor: number;
}): (limit: LeasedLimit, key: string, units: number) => Promise<Share> {
  return async ({ name, max, seconds }, key, units) => {
    const row = await parts.one(
      'select granted, wait from private.take_limit_units($1, $2, $3::numeric, $4::numeric, $5::timestamptz, $6::int)',
      [name, key, max * parts.factor, seconds, parts.clock(), units],
    );
    const { granted, wait } = row ?? {};
    return {
      granted: typeof granted === 'number' ? granted : 0,
      wait: typeof wait === 'number' ? wait : null,
    };
  };
}
