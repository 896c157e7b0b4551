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

function startHolder(): Promise<{ said: string; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', HOLDER, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return new Promise((resolve) => {
    child.stdout.once('data', (data: Buffer) =>
      resolve({
        said: data.toString().trim(),
        kill: () => {
          child.kill('SIGKILL');
          return gone;
        },
      }),
    );
  });
}

test('a second holder of the same folder is refused until the first lets go', async () => {
  const letGo = await lockDirectory(folder);
  await expect(lockDirectory(folder)).rejects.toThrow(DirectoryLocked);
  await letGo();
  const again = await lockDirectory(folder);
  await again();
});

test('a folder reached by two spellings is one folder', async () => {
  const letGo = await lockDirectory(folder);
  await expect(lockDirectory(join(folder, '..', folder.split('/').at(-1) ?? ''))).rejects.toThrow(DirectoryLocked);
  await letGo();
});

test('the lock of a killed process is taken over, and of many who try at once exactly one gets it', async () => {
  const first = await startHolder();
  expect(first.said).toBe('held');
  await first.kill();
  const rivals = await Promise.all(Array.from({ length: 5 }, startHolder));
  expect(rivals.map((rival) => rival.said).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'DirectoryLocked'),
    'held',
  ]);
  await Promise.all(rivals.map((rival) => rival.kill()));
});
