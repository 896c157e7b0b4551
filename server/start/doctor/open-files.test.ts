import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openFilesIn, requireOpenFiles } from './open-files.ts';

const limits = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                  ${soft}                  files\n`;

test.each([
  [limits('256'), 256],
  [limits('1048576'), 1_048_576],
  [limits('unlimited'), Infinity],
  ['', null],
])('the number of open files is read from %j', (text, files) => {
  expect(openFilesIn(text)).toBe(files);
});

test('fewer than 1,024 open files refuse the start, and a system that does not say how many does not', () => {
  expect(() => requireOpenFiles(() => limits('1023'))).toThrow(
    expect.objectContaining({ faults: [expect.stringMatching(/^this process may open 1023 files.*ulimit -n 4096/)] }),
  );
  for (const read of [
    () => limits('1024'),
    () => '',
    () => {
      throw new Error('there is no such file');
    },
  ])
    expect(() => requireOpenFiles(read)).not.toThrow();
});

test.runIf(existsSync('/proc/self/limits'))(
  'with 256 open files the start ends with one line',
  () => {
    const main = new URL('../../main.ts', import.meta.url).pathname;
    const run = spawnSync('sh', ['-c', `ulimit -n 256; exec '${process.execPath}' '${main}'`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'] },
    });
    expect(run.stderr).toMatch(/^configuration: this process may open 256 files[^\n]*\n$/);
    expect(run.status).toBe(78);
  },
  120_000,
);
