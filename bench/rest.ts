import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { addCustomer } from '#tests/support/test-server.ts';
import { BODY } from './limits/bare-route.ts';
import { type Case, compare } from './limits/compare.ts';
import { REST_TABLES, restRows } from './rows/rest-tables.ts';
import { openBenchServer } from './test-server.ts';

/** Compares the data API with the same SQL. Row level security is on, and tokens are verified. */
const ROWS = Number(process.env['BENCH_ROWS'] ?? 200_000);
const FIRST = Date.UTC(2000, 0, 1);
const HOUR = 3_600_000;
const VARIANTS = 16;
/** The largest answer to a guest, in bytes, as the server binds it. */
const GUEST_BYTES = '2000000';

const variants = Array.from({ length: VARIANTS }, (_, index) => index * 7_919);

/** Returns the cases by name. `claims`: those of the customer who inserts. */
function casesFor(anonKey: string, token: string, claims: string): Case[] {
  const read = (name: string, goal: number, of: (at: number) => { path: string; values: readonly string[] }): Case => ({
    name,
    goal,
    role: 'anon',
    claims: '{"role":"anon"}',
    planMode: 'auto',
    go: name === 'point',
    marker: 'bench_town',
    variants: variants.map(of).map(({ path, values }) => ({
      request: { method: 'GET', path: `/rest/v1/${path}`, headers: { apikey: anonKey } },
      values: [...values, GUEST_BYTES],
    })),
  });
  const within = (select: string, at: number, hours: number): { path: string; values: readonly string[] } => {
    const from = FIRST + (at % (ROWS / 24 - 3)) * 24 * HOUR;
    const values = [new Date(from).toISOString(), new Date(from + hours * HOUR).toISOString()];
    return { path: `bench_town?select=${select}&at=gte.${values[0]}&at=lt.${values[1]}`, values };
  };
  return [
    read('point', 0.75, (at) => ({
      path: `bench_town?select=id,name,note&id=eq.${1 + (at % ROWS)}`,
      values: [String(1 + (at % ROWS))],
    })),
    read('range', 0.8, (at) => within('id,name,at', at, 48)),
    read('embedded', 0.8, (at) => within('id,name,bench_land(id,name)', at, 24)),
    {
      name: 'insert',
      goal: 0.7,
      role: 'authenticated',
      claims,
      planMode: 'auto',
      marker: 'insert into',
      body: '{"line":"note 1"}',
      variants: [
        {
          request: {
            method: 'POST',
            path: '/rest/v1/bench_note',
            headers: { apikey: anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: '{"line":"note 1"}',
          },
          values: [BODY],
        },
      ],
    },
  ];
}

/** `npm run bench -- rest point insert` runs only these cases. */
async function main(): Promise<void> {
  const selected = process.argv.slice(2);
  const server = await openBenchServer();
  const { databaseUrl, ports } = server;
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await owner.query(`${REST_TABLES}${restRows(ROWS)}notify pgrst, 'reload schema';`);
  const target = await compose(readConfig({ ...server.env, PORT: String(ports + 5) }));
  const { token } = await addCustomer(target, new Date());
  await target.close();
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  const cases = casesFor(server.runtime.anonKey, token, claims);
  for (const benchCase of cases.filter(({ name }) => selected.length === 0 || selected.includes(name)))
    await compare(benchCase, {
      url: server.runtime.apiUrl,
      pid: server.runtime.pid,
      databaseUrl,
      owner,
      port: ports + 6,
    });
  await owner.end();
  await server.close();
}

await main();
