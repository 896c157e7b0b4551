import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';

/**
 * The limit of a program in Node: a hono route that sends the same SQL with `pg` and returns the text of its column `body`. Role, claims
 * and the statement go out prepared, in one write and one transaction, as fast as `pg` allows. It checks nothing.
 */
export type BareRoute = {
  readonly databaseUrl: string;
  readonly port: number;
  readonly poolSize: number;
  readonly role: string;
  readonly claims: string;
  /** `plan_cache_mode` of the transaction, as the server sets it. */
  readonly planMode: string;
  readonly text: string;
  /** Lists of values for the statement. `?at=n` selects the n-th list, modulo their number. `BODY` stands for the request's body. */
  readonly values: readonly (readonly string[])[];
  readonly status: 200 | 201;
};
export const BODY = '\0body';

/** Starts the route in a separate process, as the server has one. Returns the process. */
export async function startBareRoute(route: BareRoute): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  child.send(route);
  await new Promise((resolve) => child.once('message', resolve));
  return child;
}

const BECOME = `select set_config('request.jwt.claims', $1, true), set_config('plan_cache_mode', $2, true), set_config('role', $3, true)`;

/** Two prepared statements in one write with one Sync. */
class Flight implements pg.Submittable {
  readonly #route: BareRoute;
  readonly #values: readonly string[];
  readonly #done: (body: string) => void;
  #body = '';

  constructor(route: BareRoute, values: readonly string[], done: (body: string) => void) {
    this.#route = route;
    this.#values = values;
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const { text, claims, planMode, role } = this.#route;
    connection.stream.cork();
    if (!prepared.has(connection)) {
      prepared.add(connection);
      connection.parse({ name: 'become', text: BECOME, types: [] }, true);
      connection.parse({ name: 'query', text, types: [] }, true);
    }
    connection.bind({ statement: 'become', values: [claims, planMode, role] }, true);
    connection.execute(null, true);
    connection.bind({ statement: 'query', values: [...this.#values] }, true);
    connection.execute(null, true);
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields }: { fields: string[] }): void {
    this.#body = fields[0] ?? '';
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    throw error;
  }

  handleReadyForQuery(): void {
    this.#done(this.#body);
  }
}
const prepared = new WeakSet<pg.Connection>();

function serveRoute(route: BareRoute): void {
  const pool = new pg.Pool({ connectionString: route.databaseUrl, max: route.poolSize });
  const run = async (values: readonly string[]): Promise<string> => {
    const client = await pool.connect();
    const body = await new Promise<string>((resolve) => client.query(new Flight(route, values, resolve)));
    client.release();
    return body;
  };
  const answer = { 'content-type': 'application/json; charset=utf-8' };
  const app = new Hono();
  app.all('/', async (c) => {
    const values = route.values[Number(c.req.query('at')) % route.values.length] ?? [];
    const sent = values.includes(BODY) ? await c.req.text() : '';
    const body = await run(sent === '' ? values : values.map((value) => (value === BODY ? `[${sent}]` : value)));
    return c.body(body, route.status, answer);
  });
  serve({ fetch: app.fetch, port: route.port }, () => process.send?.('ready'));
}

if (process.argv[2] === 'serve') process.once('message', (route: BareRoute) => serveRoute(route));
