// `npm run bench`: compares paths of the server with their limits in one run, as ratios. `npm run bench -- rest` runs one file, and `npm
// run bench -- rest point insert` two of its cases. Needs PostgreSQL with pgbench.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from './machine.js';
import { buildWeb, install, loadEnvFile, ownEnv, ownNode, root, say } from './project.js';

loadEnvFile();
await install();
const words = process.argv.slice(2);
// Benches read the statements that the server sends. `staff` also reads how long they took. `holds` waits for the disk, as in production.
const postgres = await startPostgres(
  'track_activity_query_size=16kB',
  ...(words.includes('staff') ? ['shared_preload_libraries=pg_stat_statements'] : []),
  ...(words.includes('holds') ? ['fsync=on'] : []),
);
if (!postgres) {
  say('The bench needs PostgreSQL 15 or newer with pgbench.');
  process.exit(1);
}
/** Entries of bench/ that are not benchmarks: shared modules and earlier figures. */
const SHARED = ['callers', 'limits', 'results', 'rows', 'test-server.ts'];
/** Benchmarks that run only when named: they take long, install something, or have a separate command. */
const NAMED_ONLY = ['ablation', 'fair', 'overload', 'peer', 'scale', 'staff', 'web'];
/** The benchmarks by name. A benchmark is a file, or a folder with a main.ts. */
const benches = new Map(
  readdirSync(join(root, 'bench'), { withFileTypes: true })
    .filter(({ name }) => !SHARED.includes(name))
    .map((entry) => [entry.name.replace('.ts', ''), entry.isDirectory() ? `${entry.name}/main.ts` : entry.name]),
);
const named = words.filter((word) => benches.has(word));
const cases = words.filter((word) => !benches.has(word));
if (cases.length > 0 && named.length !== 1) {
  say(`Name one of ${[...benches.keys()].join(', ')}.`);
  process.exit(1);
}
if (named.includes('staff')) await buildWeb();
let failed = 0;
for (const name of named.length > 0 ? named : [...benches.keys()].filter((name) => !NAMED_ONLY.includes(name))) {
  const env = {
    ...process.env,
    ...ownEnv(),
    TEST_POSTGRES_URL: postgres.url,
    TEST_POSTGRES_BIN: postgres.bin,
    NODE_ENV: 'development',
  };
  // A bench takes minutes or hours, so each line appears when it is measured.
  const args = [`bench/${benches.get(name)}`, ...cases];
  const bench = spawn(ownNode(), args, { cwd: root, env, stdio: 'inherit' });
  const [code] = await once(bench, 'exit');
  if (code !== 0) failed = code ?? 1;
}
await postgres.stop?.();
process.exit(failed);
