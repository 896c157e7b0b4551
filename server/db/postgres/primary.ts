import { callbackify } from 'node:util';
import pg from 'pg';
import { type PostgresAddress, readAddress } from './address.ts';

/** Connects to the server of an address that takes writes. */
export type Primary = {
  readonly address: PostgresAddress;
  /** For `new pg.Pool({ Client })`: finds the server at each connection. */
  readonly Client: typeof pg.Client;
  /** Counts the changes of the server: a connection made before the last one leads to a server that may not take writes any more. */
  generation(): number;
  /** The server has changed: the next connection looks for it again, and earlier connections are not used. */
  changed(): void;
};

const PROBE_MS = 3_000;
const READ_ONLY = `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "readOnly"`;

/** No server of the address can be reached or takes writes. */
class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  readonly code = '57P03';
}

/** Whether the server of a connection refuses writes: it is a standby, or an administrator has made it read-only. */
export async function isReadOnly(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ readOnly: boolean }>(READ_ONLY);
  return rows[0]?.readOnly !== false;
}

/** Follows the primary of the servers in `url`. An address with one server and no wish is used as it is. */
export function createPrimary(url: string): Primary {
  const address = readAddress(url);
  if (!address) throw new Error('DATABASE_URL is not a postgres:// address');
  let generation = 0;
  let found: Promise<Host> | null = null;
  const find = (): Promise<Host> => {
    found ??= findPrimary(address).catch((error: unknown) => {
      found = null;
      throw error;
    });
    return found;
  };
  const changed = (): void => {
    generation += 1;
    found = null;
  };
  const forget = (error: unknown): void => {
    if (error instanceof NoPrimary) changed();
    found = null;
  };
  return {
    address,
    Client: address.readWrite ? clientOf(find, forget) : pg.Client,
    generation: () => generation,
    changed,
  };
}

type Host = PostgresAddress['hosts'][number];

/** A client that connects to the primary and checks that it still is one. */
function clientOf(find: () => Promise<Host>, forget: (error: unknown) => void): typeof pg.Client {
  return class extends pg.Client {
    override connect(): Promise<this>;
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
    override connect(
      callback?: ((error: Error) => void) | ((error: null, client: pg.Client) => void),
    ): Promise<this> | void {
      if (!callback) return this.#toPrimary();
      // The pool passes a callback of Node's kind.
      Reflect.apply(
        callbackify(() => this.#toPrimary()),
        undefined,
        [callback],
      );
    }

    async #toPrimary(): Promise<this> {
      Object.assign(this, await find());
      try {
        await super.connect();
        if (await isReadOnly(this)) throw new NoPrimary('the server does not take writes any more');
        return this;
      } catch (error) {
        forget(error);
        await this.end().catch(() => undefined);
        throw error;
      }
    }
  };
}

/** Asks all servers at once; the first that takes writes wins. */
async function findPrimary({ url, hosts }: PostgresAddress): Promise<Host> {
  const refusals: unknown[] = [];
  const ask = async (host: Host): Promise<Host> => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE_MS });
    client.on('error', () => undefined);
    Object.assign(client, host);
    try {
      await client.connect();
      if (await isReadOnly(client)) throw new NoPrimary('it does not take writes');
      return host;
    } catch (error) {
      refusals.push(error);
      throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return Promise.any(hosts.map(ask)).catch(() => {
    // A wrong password is the same at all servers and no reason to wait.
    const login = refusals.find(
      (error) => error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code)),
    );
    throw login ?? new NoPrimary('no server of DATABASE_URL can be reached and takes writes');
  });
}
