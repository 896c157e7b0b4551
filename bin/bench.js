// `npm run bench`: measures our paths beside their limits in one run, as ratios. `npm run bench -- rest` runs one file.
// Needs PostgreSQL with pgbench.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from './machine.js';
import { install, loadEnvFile, ownEnv, ownNode, root, run, say } from './project.js';

loadEnvFile();
await install();
const postgres = await startPostgres();
if (!postgres) {
  say('The bench needs PostgreSQL 15 or newer with pgbench.');
  process.exit(1);
}
/** Modules that benchmarks share; not benchmarks themselves. */
const SHARED = ['load.ts', 'pgbench.ts', 'test-server.ts'];
const selected = process.argv.slice(2).map((name) => `${name}.ts`);
const benches = readdirSync(join(root, 'bench')).filter((file) => file.endsWith('.ts') && !SHARED.includes(file));
let failed = 0;
for (const file of benches.filter((one) => selected.length === 0 || selected.includes(one))) {
  const { code, output } = await run(ownNode(), [`bench/${file}`], {
    ...ownEnv(),
    TEST_POSTGRES_URL: postgres.url,
    TEST_POSTGRES_BIN: postgres.bin,
    NODE_ENV: 'development',
  });
  say(output);
  if (code !== 0) failed = code ?? 1;
}
await postgres.stop?.();
process.exit(failed);
