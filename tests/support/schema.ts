import pg from 'pg';
import type { TestServer } from './test-server.ts';

/** Runs statements separated by empty lines, as the owner of the tables. */
export async function runScript(server: TestServer, script: string): Promise<void> {
  if (server.ownerUrl === null) {
    for (const statement of script.split(/\n\n/)) await server.app.db.query(statement);
    return;
  }
  const owner = new pg.Client({ connectionString: server.ownerUrl });
  await owner.connect();
  try {
    await owner.query(script);
  } finally {
    await owner.end();
  }
}
