import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createQueue } from '#server/queue/queue.ts';
import { createScheduler } from '#server/queue/scheduler.ts';
import { machineWarnings } from '#server/start/observe/machine.ts';
import { WARNING_WORKERS, warningJobs } from '#server/start/observe/warnings.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe.each(oneEngine)('warnings on $name', (engine) => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'warnings-'));
    server = await engine.open();
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('no backup, an old one and a new one: the sentence for the owner, or none', async () => {
    const { db } = server.app;
    const backup = { dir: folder, passphrase: 'x', keep: 1 };
    const read = async (up: number) =>
      machineWarnings({ db, dataDir: folder, backup }, () => up)
        .find(({ name }) => name === 'backup')
        ?.read();
    expect(await read(60)).toBeNull();
    expect(await read(3 * 3_600)).toBe(`There is no backup in ${folder}.`);
    const file = join(folder, 'studio-2026-05-01.backup');
    await writeFile(file, '');
    expect(await read(60)).toBeNull();
    const before = new Date(Date.now() - 31 * 3_600_000);
    await utimes(file, before, before);
    expect(await read(60)).toBe(`The newest backup in ${folder} is 31 hours old.`);
  });

  test('what is wrong becomes one failing job, which the owner is mailed about, and ends when it is mended', async () => {
    const { db } = server.app;
    let wrong: string | null = 'The newest backup is old.';
    const clock = (): Date => server.now();
    const { kinds, tasks } = warningJobs([{ name: 'backup', read: () => Promise.resolve(wrong) }], { db, clock });
    const queue = createQueue({ db, clock, log: LOG, workers: WARNING_WORKERS, kinds });
    const look = async (): Promise<void> => createScheduler(tasks, LOG).run();
    const open = async () =>
      (
        await db.query<{ tries: number; last_error: string; alerted: boolean }>(
          `select tries, last_error, alerted_at is not null as alerted from private.outbox where kind = 'system.warning' and done_at is null`,
        )
      ).rows;
    for (let round = 0; round < 3; round += 1) {
      await look();
      await queue.run();
      server.advance(20 * 60_000);
    }
    expect(await open()).toEqual([{ tries: 3, last_error: expect.stringContaining(wrong ?? ''), alerted: true }]);
    wrong = null;
    await queue.run();
    await look();
    expect(await open()).toEqual([]);
    wrong = 'Again.';
    await look();
    expect(await open()).toHaveLength(1);
  });
});
