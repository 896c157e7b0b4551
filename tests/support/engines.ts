import { createMigratedDatabase } from './postgres.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export type Engine = { readonly name: string; open(env?: Record<string, string>): Promise<TestServer> };

/** The name of the only engine to test; `npm test` runs the tests of each engine separately. If it is not set, all engines are tested. */
const chosen = process.env['TEST_ENGINE'];

/** Whether only PostgreSQL is tested. Tests that need no engine, or only the embedded one, have then already run. */
export const onlyPostgres = chosen === 'PostgreSQL';

/** The database engines to test: the embedded one, and PostgreSQL if the test run has started it. */
const available: readonly Engine[] = [
  { name: 'embedded', open: (env: Record<string, string> = {}) => startTestServer({ env }) },
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'PostgreSQL', open: openOnPostgres }] : []),
];
const isChosen = ({ name }: Engine): boolean => chosen === undefined || chosen === name;
export const engines = available.filter(isChosen);

/**
 * A single engine, for behaviour that no engine can change, such as an operator's settings. PostgreSQL if it is available, because a server
 * opens on it in a fifth of the time.
 */
export const oneEngine = available.slice(-1).filter(isChosen);

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
