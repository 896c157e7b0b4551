/** A rate limit: at most `max` in `seconds` per key. The database counts, so the limit is exact across processes and restarts. */
export type Limit = { readonly name: string; readonly max: number; readonly seconds: number };

export type TakeLimit = {
  /**
   * Takes one unit. Returns null if it is admitted, else the whole seconds until the next unit. `key` is e.g. `ip:203.0.113.7` or
   * `user:<id>`.
   */
  (limit: Limit, key: string): Promise<number | null>;
  /** The parameters name, max, seconds and time, for a statement that calls `private.take_limit` itself. */
  values(limit: Limit): readonly [string, number, number, Date];
};

type QueryRow = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown> | null>;

/** Creates the rate limiter. `factor` multiplies every limit; it is 1 outside tests. */
export function createLimits(dependencies: { queryRow: QueryRow; clock: () => Date; factor: number }): TakeLimit {
  const values: TakeLimit['values'] = ({ name, max, seconds }) => [
    name,
    max * dependencies.factor,
    seconds,
    dependencies.clock(),
  ];
  const take = async (limit: Limit, key: string): Promise<number | null> => {
    const row = await dependencies.queryRow(
      `select private.take_limit($1, $5, $2::numeric, $3::numeric, $4::timestamptz) as wait`,
      [...values(limit), key],
    );
    const wait = row?.['wait'];
    return typeof wait === 'number' ? wait : null;
  };
  return Object.assign(take, { values });
}

/** Deletes the counts of limits whose units are all available again. */
export async function deleteFullLimits(
  db: { query: (text: string, values: readonly unknown[]) => Promise<unknown> },
  now: Date,
): Promise<void> {
  await db.query('delete from private.rate_bucket where full_at < $1::timestamptz', [now]);
}

/** A limit with one of its keys. */
export type LimitKey = { readonly limit: Limit; readonly key: string };

/** Gives back all units of a key. Limits that count only failures call it after a success. */
export async function resetLimit(
  db: { query: (text: string, values: readonly unknown[]) => Promise<unknown> },
  { limit, key }: LimitKey,
): Promise<void> {
  await db.query('delete from private.rate_bucket where name = $1 and key = $2', [limit.name, key]);
}
