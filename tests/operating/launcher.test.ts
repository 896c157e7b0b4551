import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const LAUNCHER = new URL('../../bin/launcher.js', import.meta.url).pathname;

/** Stands in for bin/start.js. It prints its process id, and prints `ended` when its launcher has ended. */
const program = (proc: string): string =>
  `import { watchLauncher } from ${JSON.stringify(LAUNCHER)};
   watchLauncher(() => { process.stdout.write('ended'); process.exit(0); }, ${JSON.stringify(proc)});
   setInterval(() => {}, 1_000);
   process.stdout.write(String(process.pid) + '\\n');`;
/** Stands in for npm: runs a script in a shell that stays between them, and waits. */
const NPM = `require('node:child_process').spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; true', process.execPath, process.argv[1]], { stdio: 'inherit' });`;

test.each(['/proc', join(import.meta.dirname, 'no-such-folder')])(
  'the kill of npm ends what it started, though the shell between them stays (processes described in %s)',
  async (proc) => {
    const npm = spawn(process.execPath, ['-e', NPM, program(proc)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    npm.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await expect.poll(() => printed).toMatch(/^\d+\n$/);
    npm.kill('SIGKILL');
    await once(npm, 'exit');
    await expect.poll(() => printed).toMatch(/^\d+\nended$/);
    const pid = Number.parseInt(printed, 10);
    await expect.poll(() => isThere(pid)).toBe(false);
  },
);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
