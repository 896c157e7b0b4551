// `npm run bench`: our path and its limit in one run, as ratios. Needs PostgreSQL with pgbench.
import { startPostgres } from './machine.js';
import { install, loadEnvFile, ownEnv, ownNode, run, say } from './project.js';

loadEnvFile();
await install();
const postgres = await startPostgres();
if (!postgres) {
  say('The bench needs PostgreSQL 15 or newer with pgbench.');
  process.exit(1);
}
const { code, output } = await run(ownNode(), ['bench/bench.ts'], {
  ...ownEnv(),
  TEST_POSTGRES_URL: postgres.url,
  TEST_POSTGRES_BIN: postgres.bin,
  NODE_ENV: 'development',
});
say(output);
await postgres.stop?.();
process.exit(code);
