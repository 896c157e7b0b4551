import { mkdtemp, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectoryLocked, lockDirectory } from './directory-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

const HOLDER = `
import { lockDirectory } from ${JSON.stringify(join(import.meta.dirname, 'directory-lock.ts'))};
try { await lockDirectory(process.argv[1]); console.log('held'); setInterval(() => {}, 1000); }
catch (error) { console.log(error.name); }
`;

function startHolder(): Promise<{ output: string; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', HOLDER, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return new Promise((resolve) => {
    child.stdout.once('data', (data: Buffer) =>
      resolve({
        output: data.toString().trim(),
        kill: () => {
          child.kill('SIGKILL');
          return exited;
        },
      }),
    );
  });
}

test('a second holder of the same folder is refused until the first releases it', async () => {
  const release = await lockDirectory(folder);
  await expect(lockDirectory(folder)).rejects.toThrow(DirectoryLocked);
  await release();
  const releaseSecond = await lockDirectory(folder);
  await releaseSecond();
});

test('two spellings of a path lock the same folder', async () => {
  const release = await lockDirectory(folder);
  await expect(lockDirectory(join(folder, '..', folder.split('/').at(-1) ?? ''))).rejects.toThrow(DirectoryLocked);
  await release();
});

test('the lock of a killed process is taken over by exactly one of several rivals', async () => {
  const first = await startHolder();
  expect(first.output).toBe('held');
  await first.kill();
  const rivals = await Promise.all(Array.from({ length: 5 }, startHolder));
  expect(rivals.map((rival) => rival.output).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'DirectoryLocked'),
    'held',
  ]);
  await Promise.all(rivals.map((rival) => rival.kill()));
});

test('without abstract sockets, and in a folder with a long name, the lock holds too', async () => {
  const deep = join(folder, 'd'.repeat(60), 'e'.repeat(60));
  const real = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  try {
    const release = await lockDirectory(deep);
    await expect(lockDirectory(deep)).rejects.toThrow(DirectoryLocked);
    await release();
    await (
      await lockDirectory(deep)
    )();
  } finally {
    Object.defineProperty(process, 'platform', real);
  }
});
