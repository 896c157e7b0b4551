import { createMigratedDatabase } from './postgres.ts';
import { createWorld, type World } from './world.ts';

export type Engine = { readonly name: string; open(env?: Record<string, string>): Promise<World> };

/** The engines there are on this machine: always the embedded one, PostgreSQL when the test run has started it. */
export const engines: readonly Engine[] = [
  { name: 'embedded', open: (env = {}) => createWorld({ env }) },
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'PostgreSQL', open: openOnPostgres }] : []),
];

async function openOnPostgres(env: Record<string, string> = {}): Promise<World> {
  const database = await createMigratedDatabase();
  if (!database) throw new Error('PostgreSQL went away');
  const world = await createWorld({ databaseUrl: database.url, env });
  return {
    ...world,
    close: async () => {
      await world.close();
      await database.drop();
    },
  };
}
