import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM_ENV } from '#tests/support/server-process.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
/** Whether this process may mount file systems. The test needs a disk of a few megabytes. */
const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;

test.runIf(process.env['TEST_LONG'] === '1' && canMount).each(['200k', '8m', '38m'])(
  'a start on a disk of %s, which is full before the database is open, ends with 1 and one line',
  (size) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'full-'));
    const mounted = `mount -t tmpfs -o size=${size} tmpfs "$DATA_DIR" && exec "$0" server/main.ts`;
    const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', mounted, process.execPath], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...PROGRAM_ENV, DATA_DIR: dataDir, SANDBOX: 'on', PORT: '0', LOG_LEVEL: 'silent' },
    });
    rmSync(dataDir, { recursive: true });
    expect(stderr.trim()).toMatch(/^The disk is full: .*$/);
    expect(status).toBe(1);
  },
  60_000,
);
