/** One rate limit: at most `max` in `seconds`, counted by key in the database, so it is exact across processes and restarts (promises G28). */
export type Limit = { readonly name: string; readonly max: number; readonly seconds: number };

/** Takes one unit; answers null when admitted, else the whole seconds until the next unit. `key` is e.g. `ip:203.0.113.7` or `user:<id>`. */
export type TakeLimit = (limit: Limit, key: string) => Promise<number | null>;

type One = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown> | null>;

/** `factor` multiplies every limit; 1 outside tests. */
export function createLimits(parts: { one: One; clock: () => Date; factor: number }): TakeLimit {
  return async (limit, key) => {
    const row = await parts.one(
      `select private.take_limit($1, $2, $3::numeric, $4::numeric, $5::timestamptz) as wait`,
      [limit.name, key, limit.max * parts.factor, limit.seconds, parts.clock()],
    );
    const wait = row?.['wait'];
    return typeof wait === 'number' ? wait : null;
  };
}

/** Gives back everything taken of a limit by a key: for limits that count failures only, after a success. */
export async function forgetTakes(
  db: { query: (text: string, values: readonly unknown[]) => Promise<unknown> },
  limit: Limit,
  key: string,
): Promise<void> {
  await db.query('delete from private.rate_bucket where name = $1 and key = $2', [limit.name, key]);
}
