// `npm run test:faults [-- AREA | PART OF A TITLE …]`: puts plausible faults into a copy of the project, one at a time, and counts how many
// the tests notice. The faults are in tests/faults.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { exitWithError, install, ownEnv, ownNode, root } from './project.js';

const LEFT_OUT = ['node_modules', '.git', 'artefacts', 'data', 'dist'];

await install().catch(exitWithError);
const copy = await mkdtemp(join(tmpdir(), 'test-faults-'));
await cp(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(root, path)) });
await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
const child = spawn(ownNode(), [join('tests', 'faults', 'measure.ts'), ...process.argv.slice(2)], {
  cwd: copy,
  stdio: 'inherit',
  env: { ...process.env, ...ownEnv() },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
process.exitCode = (await new Promise((done) => child.once('close', done))) ?? 1;
await rm(copy, { recursive: true, force: true });
