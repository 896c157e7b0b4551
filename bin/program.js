// `npm run model -- --size 2x2x2` and similar: runs a program of the project with its own Node.
import { spawn } from 'node:child_process';
import { exitWithError, install, ownEnv, ownNode, root } from './project.js';

await install().catch(exitWithError);
const child = spawn(ownNode(), process.argv.slice(2), {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...ownEnv() },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
