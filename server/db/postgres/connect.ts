import pg from 'pg';
import { describeServer, type PostgresAddress } from './address.ts';
import { DatabaseRefused, DatabaseUnreachable } from './refused.ts';

/** How long the start waits for a database that does not answer yet, and where it reports the wait. */
export type Waiting = { readonly seconds: number; readonly report: (line: string) => void };

const PAUSE_MS = 500;
const TRY_MS = 5_000;

/** Opens one connection. Waits for a server that is down, starting, full or not yet in DNS, and reports the wait once. */
export async function connectPatiently(address: PostgresAddress, waiting: Waiting): Promise<pg.Client> {
  const until = performance.now() + waiting.seconds * 1000;
  let reported = false;
  for (;;) {
    const client = new pg.Client({ connectionString: address.url, connectionTimeoutMillis: TRY_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const refusal = findRefusal(error, address);
      if (refusal) throw refusal;
      if (performance.now() >= until)
        throw new DatabaseUnreachable(
          `the database cannot be reached at ${describeServer(address)} (${getReason(error)}), after ${waiting.seconds} seconds; start it, or correct DATABASE_URL`,
          { cause: error },
        );
      if (!reported) waiting.report(`waiting for the database at ${describeServer(address)} (${getReason(error)}) ...`);
      reported = true;
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

const getCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

function getReason(error: unknown): string {
  // A host name with several addresses fails with one error for each of them.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return getCode(first) || (first instanceof Error ? first.message : String(first));
}

/** Returns the fault that the operator must mend; null for a fault that may pass on its own. */
function findRefusal(error: unknown, { user, database }: PostgresAddress): DatabaseRefused | null {
  const code = getCode(error);
  const message = error instanceof Error ? error.message : '';
  const line =
    code === '28P01' || /password must be a string|no password/i.test(message)
      ? `DATABASE_URL: wrong password for the login ${user}`
      : code.startsWith('28')
        ? `DATABASE_URL: the login is refused: ${message}`
        : code === '3D000'
          ? `DATABASE_URL: the database ${database} does not exist; create it with: createdb ${database}`
          : /SSL|certificate|self.signed/i.test(`${code} ${message}`)
            ? `DATABASE_URL: no secure connection: ${message}; see sslmode and sslrootcert`
            : null;
  return line === null ? null : new DatabaseRefused([line], error);
}

/** Whether the server of a connection refuses writes: it is a standby, or an administrator has made it read-only. */
export async function isReadOnly(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ readOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "readOnly"`,
  );
  return rows[0]?.readOnly !== false;
}
