// `npm run demo`: fills the database with three months of bookings, to try the product and for screenshots. The server must be stopped. A
// sandbox runs in parallel, for the payments of bookings that are not over.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { dataFolder, exitWithError, install, loadEnvFile, ownEnv, ownNode, root, run, say } from './project.js';

loadEnvFile();
await install().catch(exitWithError);
const env = { ...ownEnv(), DATA_DIR: dataFolder() };
const sandbox = spawn(ownNode(), ['sandbox/main.ts'], {
  cwd: root,
  env: { ...process.env, ...env, SANDBOX_STATE: join(env.DATA_DIR, 'sandbox.json') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(sandbox, 'exit');
// The sandbox prints a line when it listens. If it cannot listen, it ends.
await Promise.race([once(sandbox.stdout, 'data'), ended]);
if (sandbox.exitCode !== null) {
  say('Stop the running server first: npm run demo starts its own sandbox.');
  process.exit(1);
}
const { code, output } = await run(ownNode(), ['server/main.ts', 'demo'], env);
say(output.trimEnd());
sandbox.kill('SIGTERM');
await ended;
process.exit(code);
