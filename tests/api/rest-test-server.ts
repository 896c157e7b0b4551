import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { vi } from 'vitest';
import type { Engine } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

/** A test server with the schema of rest.sql, and raw HTTP where the client would hide the request. */
export type RestFixture = {
  readonly server: TestServer;
  readonly someone: Customer;
  /** Creates a client without types: the generated types do not include the tables of rest.sql. */
  client(token?: string): SupabaseClient;
  raw(path: string, init?: RequestInit, token?: string): Promise<{ status: number; headers: Headers; text: string }>;
  /** Runs statements, separated by empty lines, as the owner of the tables. */
  script(text: string): Promise<void>;
};

/** Repeats a call until the server has processed a schema notification, even on slow machines. */
export const soon = <T>(ask: () => Promise<T>): Promise<T> => vi.waitFor(ask, { timeout: 20_000, interval: 50 });

const SCHEMA = await readFile(join(import.meta.dirname, 'rest.sql'), 'utf8');

export async function openRestFixture(engine: Engine, env: Record<string, string> = {}): Promise<RestFixture> {
  const server = await engine.open(env);
  // The schema cache is loaded before the schema changes, so that only the notification can update it.
  await server.client().from('studios').select('id');
  await runScript(server, SCHEMA);
  const client: RestFixture['client'] = (token) => server.client(token);
  await soon(async () => {
    if ((await client().from('lands').select('id')).error) throw new Error('not yet');
  });
  return {
    server,
    client,
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
