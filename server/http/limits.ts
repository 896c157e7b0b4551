/** One rate limit: at most `max` in `seconds`, counted by key in the database, so it is exact across processes and restarts (promises G28). */
export type Limit = { readonly name: string; readonly max: number; readonly seconds: number };

export type TakeLimit = {
  /** Takes one unit; answers null when admitted, else the whole seconds until the next unit. `key` is e.g. `ip:203.0.113.7` or `user:<id>`. */
  (limit: Limit, key: string): Promise<number | null>;
  /** Name, most, seconds and time, for a statement that calls `private.take_limit` among other things. */
  values(limit: Limit): readonly [string, number, number, Date];
};

type One = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown> | null>;

/** `factor` multiplies every limit; 1 outside tests. */
export function createLimits(parts: { one: One; clock: () => Date; factor: number }): TakeLimit {
  const values: TakeLimit['values'] = ({ name, max, seconds }) => [name, max * parts.factor, seconds, parts.clock()];
  const take = async (limit: Limit, key: string): Promise<number | null> => {
    const row = await parts.one(
      `select private.take_limit($1, $5, $2::numeric, $3::numeric, $4::timestamptz) as wait`,
      [...values(limit), key],
    );
    const wait = row?.['wait'];
    return typeof wait === 'number' ? wait : null;
  };
  return Object.assign(take, { values });
}

/** What was taken of a limit by a key. */
export type Takes = { readonly limit: Limit; readonly key: string };

/** Gives back everything taken: for limits that count failures only, after a success. */
export async function forgetTakes(
  db: { query: (text: string, values: readonly unknown[]) => Promise<unknown> },
  { limit, key }: Takes,
): Promise<void> {
  await db.query('delete from private.rate_bucket where name = $1 and key = $2', [limit.name, key]);
}
