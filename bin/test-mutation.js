// `npm run test:mutation [-- AREA …]`: changes the code in small ways, one at a time, and counts how many changes the tests notice.
// Areas: rules, operations, functions, auth, sql; default all. `--size 60` and `--seed 2` choose the sample (150 and 1).
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startPostgres } from './machine.js';
import { exitWithError, install, ownEnv, ownNode, root, SetupError } from './project.js';

const AREAS = ['rules', 'operations', 'functions', 'auth', 'sql'];
const argv = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = argv.indexOf(name);
  return at < 0 ? otherwise : argv.splice(at, 2)[1];
};
const size = option('--size', '150');
const seed = option('--seed', '1');
const unknown = argv.filter((word) => !AREAS.includes(word));
if (unknown.length > 0)
  exitWithError(new SetupError(`There is no area ${unknown.join(', ')}; there are ${AREAS.join(', ')}.`));

await install().catch(exitWithError);
for (const area of argv.length === 0 ? AREAS : argv) {
  // Mutations of SQL run on a PostgreSQL server, where a new database takes a second.
  const postgres = area === 'sql' ? await startPostgres() : null;
  const args =
    area === 'sql'
      ? [join('tests', 'mutation', 'sql.ts'), size, seed]
      : [join('tests', 'mutation', 'stryker.ts'), area, size, seed];
  const child = spawn(ownNode(), args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...ownEnv(), ...(postgres ? { TEST_POSTGRES_URL: postgres.url } : {}) },
  });
  const code = await new Promise((done) => child.once('close', done));
  await postgres?.stop();
  if (code !== 0) process.exitCode = 1;
}
