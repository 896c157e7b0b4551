import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { migratedFolder } from '#tests/support/image.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
let folder: string;
let running: App;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commands-'));
  await migratedFolder(join(folder, 'database'));
  await writeFile(join(folder, 'dump.sql'), '');
  running = await compose(readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' }));
}, 120_000);
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

/** Runs the program with a command until it exits. Returns its exit code and its stderr. */
function run(args: readonly string[], env: Record<string, string> = {}): [status: number | null, errors: string] {
  const { status, stderr } = spawnSync(process.execPath, ['server/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], DATA_DIR: folder, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return [status, stderr.trim()];
}

describe.each(['import-users', 'remove-demo'])(
  'the command %s',
  (name) => {
    const command = (): string[] => (name === 'import-users' ? [name, join(folder, 'dump.sql')] : [name]);

    test('ends with 78 and a line per fault when the configuration is not valid', () => {
      const [status, errors] = run(command(), { HOLD_MINUTES: 'soon', POOL_SIZE: 'many' });
      expect(errors.split('\n').map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
        'configuration: POOL_SIZE',
        'configuration: HOLD_MINUTES',
      ]);
      expect(status).toBe(78);
    });

    test('ends with 75 and one line while another process has the embedded database open', () => {
      const [status, errors] = run(command());
      expect(errors).toMatch(/^another server is running on .*$/);
      expect(status).toBe(75);
    });
  },
  120_000,
);

test('any other failure of a command ends with 1 and its message', () => {
  expect(run(['import-users'])).toEqual([1, expect.stringMatching(/^Name a file: .*$/)]);
  expect(run(['import-users', join(folder, 'none')])).toEqual([1, `There is no file ${join(folder, 'none')}.`]);
  expect(run(['import-user'])).toEqual([
    1,
    'There is no command import-user; the commands are import-users, demo, backup, restore, verify-backup, upgrade-check, move-to-postgres, accept-keys, client-keys, remove-demo, doctor.',
  ]);
}, 120_000);
