import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectedFailure } from '../exit.ts';
import { requireWritable } from './require-writable.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writable-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const getFailure = (dataDir: string) =>
  requireWritable(dataDir).then(
    () => null,
    (error: unknown) => expectedFailure(error),
  );

test('a folder that can be written passes, is made when it is missing, and keeps no trace', async () => {
  expect(await getFailure(folder)).toBeNull();
  expect(await getFailure(join(folder, 'a', 'b'))).toBeNull();
  expect(await readdir(folder)).toEqual(['a']);
  expect(await readdir(join(folder, 'a', 'b'))).toEqual([]);
});

test('a DATA_DIR that is a file, or inside of one, ends the start with 78 and one line', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  for (const dataDir of [file, join(file, 'data')])
    expect(await getFailure(dataDir)).toEqual({
      code: 78,
      lines: [expect.stringMatching(new RegExp(`^DATA_DIR ${dataDir} cannot be written: E(EXIST|NOTDIR)`))],
    });
});

// No user, not even root, can create a file there.
test.skipIf(process.platform !== 'linux')(
  'a DATA_DIR that is there and takes no file ends the start with 78 and one line',
  async () => {
    expect(await getFailure('/proc/self')).toEqual({
      code: 78,
      lines: [expect.stringContaining('/proc/self cannot be written: E')],
    });
  },
);

// Root can write everywhere.
test.skipIf(process.getuid?.() === 0)('a DATA_DIR of another user ends the start with 78 and one line', async () => {
  await chmod(folder, 0o500);
  expect(await getFailure(folder)).toEqual({ code: 78, lines: [expect.stringContaining('cannot be written: EACCES')] });
});
