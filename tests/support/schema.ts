import pg from 'pg';
import type { World } from './world.ts';

/** Runs a script of statements parted by empty lines, as the owner of the tables. */
export async function runScript(world: World, script: string): Promise<void> {
  if (world.ownerUrl === null) {
    for (const statement of script.split(/\n\n/)) await world.house.db.query(statement);
    return;
  }
  const owner = new pg.Client({ connectionString: world.ownerUrl });
  await owner.connect();
  try {
    await owner.query(script);
  } finally {
    await owner.end();
  }
}
