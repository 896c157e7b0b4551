import pg from 'pg';

/**
 * One of several processes that use the same limit: `node limit-worker.ts URL TAKES MAX exact|naive`. Prints how often it was admitted.
 * `naive` counts first and writes afterwards, which is the race that the test must detect.
 */
const [, , url = '', takes = '0', max = '0', how = 'exact'] = process.argv;
const LINES = 8;
// The clock stands still, so no unit comes back and the number admitted is the limit.
const NOW = '2026-05-01T00:00:00Z';
const pool = new pg.Pool({ connectionString: url, max: LINES });

async function takeExact(): Promise<boolean> {
  const { rows } = await pool.query<{ wait: number | null }>(
    `select private.take_limit('proof', 'ip:10.0.0.1', $1::numeric, 3600::numeric, $2::timestamptz) as wait`,
    [Number(max), NOW],
  );
  return rows[0]?.wait === null;
}
async function takeNaive(): Promise<boolean> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from private.naive_takes');
  if ((rows[0]?.n ?? 0) >= Number(max)) return false;
  await pool.query('insert into private.naive_takes default values');
  return true;
}

let [remaining, admitted] = [Number(takes), 0];
await Promise.all(
  Array.from({ length: LINES }, async () => {
    while (remaining > 0) {
      remaining -= 1;
      if (await (how === 'exact' ? takeExact() : takeNaive())) admitted += 1;
    }
  }),
);
await pool.end();
process.stdout.write(`${admitted}\n`);
