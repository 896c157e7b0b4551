import type pg from 'pg';
import { type App, compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { accountId } from '#tests/scale/many-rows.ts';
import { type ProductQuery, productQueries, type Sender } from '#tests/scale/product-queries.ts';
import { addCustomer, type Customer, STUDIO_A } from '#tests/support/test-server.ts';
import { type CallerRequest, type Connection, openConnection, quantile } from '../callers/connection.ts';
import { holds, metrics, signIns, type Times } from './calls.ts';
import { type Running, getUrl, withClient, withServer } from './database.ts';
import { END_MAILS, jobRounds } from './jobs.ts';
import { readScans } from './plans.ts';

const WARM_UPS = 30;
/** PostgreSQL's code for a statement that took too long. */
const STATEMENT_TIMEOUT = '57014';
const REPEATS = Number(process.env['BENCH_REPEATS'] ?? 150);
/** The number of turns of sign-ins, holds, metrics and jobs. Each turn has several rounds, and the first turns warm up. */
const TURNS = 20;
const WARM_UP_TURNS = 2;
const ROUNDS_OF_TURN = 3;

/** The median and, for queries, the scans of the plan. */
type Figure = { readonly ms: number; readonly plan: readonly string[] };
export type Measured = {
  readonly size: string;
  readonly databaseMb: number;
  readonly indexMb: number;
  readonly figures: Readonly<Record<string, Figure>>;
};

/** A database of one size, a server on it, a second set of the server's parts that runs the jobs, and one caller of each kind. */
type Target = {
  readonly size: string;
  readonly running: Running;
  readonly app: App;
  readonly owner: pg.Client;
  readonly customer: Customer;
  readonly staff: Customer;
  readonly queries: readonly ProductQuery[];
  readonly connection: Connection;
  readonly figures: Record<string, Figure>;
};

/** Measures every query, call and job, alternating between these databases, so that other work on the machine slows all of them. */
export async function measure(sizes: readonly string[], opened: readonly Target[] = []): Promise<Measured[]> {
  const [size, ...others] = sizes;
  if (size !== undefined) return withTarget(size, (target) => measure(others, [...opened, target]));
  for (let index = 0; index < (opened[0]?.queries.length ?? 0); index += 1) await measureQuery(opened, index);
  const parts: readonly ((target: Target) => Promise<Times>)[] = [
    ({ running }) => signIns(running, ROUNDS_OF_TURN),
    ({ running, customer }) => holds(running, customer.token, ROUNDS_OF_TURN),
    ({ running }) => metrics(running, ROUNDS_OF_TURN),
    ({ app, owner }) => jobRounds(app, owner, ROUNDS_OF_TURN),
  ];
  for (const part of parts) await measurePart(opened, part);
  return Promise.all(
    opened.map(async (target) => ({
      size: target.size,
      ...(await readSizes(target.owner)),
      figures: target.figures,
    })),
  );
}

function withTarget<T>(size: string, work: (target: Target) => Promise<T>): Promise<T> {
  return withServer(size, async (running) => {
    const app = await compose(readConfig(running.env));
    const connection = await openConnection(running.apiUrl);
    try {
      const [customer, staff] = [await addCustomer(app, new Date()), await addCustomer(app, new Date())];
      return await withClient(getUrl(size), async (owner) => {
        await owner.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [staff.id]);
        await owner.query('select private.queue_reminders(now(), false), private.queue_thanks(now())');
        await owner.query('set session_replication_role = replica');
        await owner.query(END_MAILS);
        // Ended mails would stay in the indexes of open jobs until enough of the table has changed, which takes longer in a larger table.
        await owner.query('vacuum (analyze, index_cleanup on) private.outbox');
        // The bookings of one account become the customer's. A second measurement uses those of another account.
        await owner.query(
          `update private.booking set user_id = $1 where user_id = (
             select id from auth.users u where u.id >= $2 and exists (select from private.booking b where b.user_id = u.id) order by id limit 1)`,
          [customer.id, accountId(1)],
        );
        await owner.query('reset session_replication_role');
        const queries = productQueries({ customerId: customer.id, studioId: STUDIO_A, now: new Date() });
        return work({ size, running, app, owner, customer, staff, queries, connection, figures: {} });
      });
    } finally {
      connection.close();
      await app.close();
    }
  });
}

async function measureQuery(targets: readonly Target[], at: number): Promise<void> {
  const requests = targets.map((target) => ({ target, request: createRequest(target, at), times: Array.of<number>() }));
  for (let round = 0; round < WARM_UPS + REPEATS; round += 1) {
    for (const { target, request, times } of requests) {
      const { status, ms, body } = await target.connection.send(request);
      // The first reads come from the disk and may exceed their time limit.
      if (round < WARM_UPS / 2 && body.includes(STATEMENT_TIMEOUT)) continue;
      if (status >= 300 || status === 0)
        throw new Error(`${target.size}: ${getQuery(target, at).name}: ${status} ${body.toString('utf8', 0, 200)}`);
      if (round >= WARM_UPS) times.push(ms);
    }
  }
  for (const { target, request, times } of requests) {
    const query = getQuery(target, at);
    const plan = query.api ? [] : await readScans(target.running.apiUrl, target.owner, query, request, target.staff.id);
    target.figures[query.name] = { ms: quantile(times, 0.5), plan };
  }
}

async function measurePart(targets: readonly Target[], part: (target: Target) => Promise<Times>): Promise<void> {
  const all = targets.map((target) => ({ target, times: new Map<string, number[]>() }));
  for (let turn = 0; turn < WARM_UP_TURNS + TURNS; turn += 1) {
    for (const { target, times } of all) {
      const measured = await part(target);
      if (turn < WARM_UP_TURNS) continue;
      for (const [name, more] of measured) times.set(name, [...(times.get(name) ?? []), ...more]);
    }
  }
  for (const { target, times } of all)
    for (const [name, values] of times) target.figures[name] = { ms: quantile(values, 0.5), plan: [] };
}

function getQuery({ queries, size }: Target, at: number): ProductQuery {
  const query = queries[at];
  if (!query) throw new Error(`${size} has no query ${at}`);
  return query;
}

function createRequest(target: Target, at: number): CallerRequest {
  const { api = 'rest', path, body, sender } = getQuery(target, at);
  const { anonKey } = target.running;
  const bearers: Readonly<Record<Sender, string>> = {
    guest: anonKey,
    customer: target.customer.token,
    staff: target.staff.token,
  };
  const headers = { apikey: anonKey, authorization: `Bearer ${bearers[sender]}`, 'content-type': 'application/json' };
  const address = `/${api}/v1/${path}`;
  if (!body) return { method: 'GET', path: address, headers };
  return { method: 'POST', path: address, headers, body: JSON.stringify(body) };
}

async function readSizes(owner: pg.Client): Promise<{ databaseMb: number; indexMb: number }> {
  const { rows } = await owner.query<{ all: number; indexes: number }>(
    `select (pg_database_size(current_database()) / 1048576)::int as all,
       (select (sum(pg_indexes_size(c.oid)) / 1048576)::int from pg_class c where c.relkind = 'r') as indexes`,
  );
  return { databaseMb: rows[0]?.all ?? 0, indexMb: rows[0]?.indexes ?? 0 };
}
