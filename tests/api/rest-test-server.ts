import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Engine } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

/** A house with the country of rest.sql in it, and bare HTTP where the client would hide what is asked. */
export type Country = {
  readonly server: TestServer;
  readonly someone: Customer;
  raw(path: string, init?: RequestInit, token?: string): Promise<{ status: number; headers: Headers; text: string }>;
  /** Runs statements, parted by empty lines, as the owner of the tables. */
  script(text: string): Promise<void>;
};

/** Asks again until what was noticed has come through, however busy the machine. */
export const soon = <T>(ask: () => Promise<T>): Promise<T> => vi.waitFor(ask, { timeout: 20_000, interval: 50 });

const SCHEMA = await readFile(join(import.meta.dirname, 'rest.sql'), 'utf8');

export async function openCountry(engine: Engine, env: Record<string, string> = {}): Promise<Country> {
  const server = await engine.open(env);
  // Something is known before the schema grows, so that only the notice can tell the door.
  await server.client().from('studios').select('id');
  await runScript(server, SCHEMA);
  await soon(async () => {
    if ((await server.client().from('lands').select('id')).error) throw new Error('not yet');
  });
  return {
    server,
    someone: await server.addCustomer(),
    script: (text) => runScript(server, text),
    async raw(path, init = {}, token = server.app.keys.anonKey) {
      const response = await fetch(`${server.url}/rest/v1${path}`, {
        ...init,
        headers: {
          apikey: server.app.keys.anonKey,
          authorization: `Bearer ${token}`,
          ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...Object.fromEntries(new Headers(init.headers)),
        },
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}
