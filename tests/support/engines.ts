import { createMigratedDatabase } from './postgres.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export type Engine = { readonly name: string; open(env?: Record<string, string>): Promise<TestServer> };

/** The database engines on this machine: always the embedded one, and PostgreSQL when the test run has started it. */
export const engines: readonly Engine[] = [
  { name: 'embedded', open: (env = {}) => startTestServer({ env }) },
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'PostgreSQL', open: openOnPostgres }] : []),
];

async function openOnPostgres(env: Record<string, string> = {}): Promise<TestServer> {
  const database = await createMigratedDatabase();
  if (!database) throw new Error('PostgreSQL is not available');
  const server = await startTestServer({ databaseUrl: database.url, env });
  return {
    ...server,
    close: async () => {
      await server.close();
      await database.drop();
    },
  };
}
