import type pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { accountId } from '#tests/scale/many-rows.ts';
import { type ProductQuery, productQueries } from '#tests/scale/product-queries.ts';
import { addCustomer, STUDIO_A } from '#tests/support/test-server.ts';
import { type CallerRequest, openConnection, quantile } from '../callers/connection.ts';
import { holds, metrics, signIns } from './calls.ts';
import { urlOf, withClient, withServer } from './database.ts';
import { jobRounds } from './jobs.ts';
import { scansOf } from './plans.ts';

const WARM_UPS = 30;
const REPEATS = Number(process.env['BENCH_REPEATS'] ?? 60);

/** Median and, for queries, the scans of the plan. */
type Figure = { readonly ms: number; readonly plan: readonly string[] };
export type Measured = {
  readonly size: string;
  readonly databaseMb: number;
  readonly indexMb: number;
  readonly figures: Readonly<Record<string, Figure>>;
};

/** Measures every query, call and job on the database of a size. */
export function measure(size: string): Promise<Measured> {
  return withServer(size, async (running) => {
    const app = await compose(readConfig(running.env));
    try {
      const [customer, staff] = [await addCustomer(app, new Date()), await addCustomer(app, new Date())];
      return await withClient(urlOf(size), async (client) => {
        await client.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [staff.id]);
        await client.query('set session_replication_role = replica');
        // The bookings of one account become the customer's; a second measurement takes another account's.
        await client.query(
          `update private.booking set user_id = $1 where user_id = (
             select id from auth.users u where u.id >= $2 and exists (select from private.booking b where b.user_id = u.id) order by id limit 1)`,
          [customer.id, accountId(1)],
        );
        await client.query('reset session_replication_role');
        const figures: Record<string, Figure> = {};
        const bearers = { guest: running.anonKey, customer: customer.token, staff: staff.token };
        for (const query of productQueries({ customerId: customer.id, studioId: STUDIO_A, now: new Date() })) {
          const request = requestOf(query, running.anonKey, bearers[query.sender]);
          figures[query.name] = {
            ms: await medianOf(running.apiUrl, query.name, request),
            plan: query.api ? [] : await scansOf(running.apiUrl, client, query, request, staff.id),
          };
        }
        const rounds = [
          await signIns(running),
          await holds(running, customer.token),
          await metrics(running),
          await jobRounds(app, client),
        ];
        for (const [name, times] of rounds.flatMap((one) => [...one]))
          figures[name] = { ms: quantile(times, 0.5), plan: [] };
        return { size, ...(await sizesOf(client)), figures };
      });
    } finally {
      await app.close();
    }
  });
}

function requestOf(query: ProductQuery, anonKey: string, bearer: string): CallerRequest {
  const headers = { apikey: anonKey, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const path = `/${query.api ?? 'rest'}/v1/${query.path}`;
  if (!query.body) return { method: 'GET', path, headers };
  return { method: 'POST', path, headers, body: JSON.stringify(query.body) };
}

async function medianOf(url: string, name: string, request: CallerRequest): Promise<number> {
  const connection = await openConnection(url);
  const times: number[] = [];
  for (let at = 0; at < WARM_UPS + REPEATS; at += 1) {
    const { status, ms, body } = await connection.send(request);
    if (status >= 300 || status === 0) throw new Error(`${name}: ${status} ${body.toString('utf8', 0, 200)}`);
    if (at >= WARM_UPS) times.push(ms);
  }
  connection.close();
  return quantile(times, 0.5);
}

async function sizesOf(client: pg.Client): Promise<{ databaseMb: number; indexMb: number }> {
  const { rows } = await client.query<{ all: number; indexes: number }>(
    `select (pg_database_size(current_database()) / 1048576)::int as all,
       (select (sum(pg_indexes_size(c.oid)) / 1048576)::int from pg_class c where c.relkind = 'r') as indexes`,
  );
  return { databaseMb: rows[0]?.all ?? 0, indexMb: rows[0]?.indexes ?? 0 };
}
