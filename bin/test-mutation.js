// `npm run test:mutation [-- AREA …]`: puts small faults into the code, one at a time, and counts how many the tests notice.
// Areas: rules, operations, functions, auth, sql; all of them without one. `--size 60` and `--seed 2` choose the sample (150 and 1).
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startPostgres } from './machine.js';
import { giveUp, install, ownEnv, ownNode, root } from './project.js';

const AREAS = ['rules', 'operations', 'functions', 'auth', 'sql'];
const words = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : words.splice(at, 2)[1];
};
const size = option('--size', '150');
const seed = option('--seed', '1');
const unknown = words.filter((word) => !AREAS.includes(word));
if (unknown.length > 0) giveUp(new Error(`There is no area ${unknown.join(', ')}; there are ${AREAS.join(', ')}.`));

await install().catch(giveUp);
for (const area of words.length === 0 ? AREAS : words) {
  // Faults in SQL are tried on a server: it makes a database in a second.
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
