// `npm run restore -- FILE` and similar: runs a command of the server (server/main.ts) with the project's own Node.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { dataFolder, exitWithError, install, loadEnvFile, ownEnv, ownNode, root } from './project.js';

loadEnvFile();
await install().catch(exitWithError);
const [name, ...rest] = process.argv.slice(2);
// File names are relative to the folder in which the person ran npm.
const args = rest.map((word) => (word.startsWith('-') ? word : resolve(process.env.INIT_CWD ?? '.', word)));
const child = spawn(ownNode(), ['server/main.ts', name, ...args], {
  cwd: root,
  env: { ...process.env, ...ownEnv(), DATA_DIR: dataFolder() },
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
