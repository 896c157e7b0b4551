import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import { enqueue, type JobHandler } from './jobs.ts';
import { createQueue } from './queue.ts';

let db: Database;
const errors: Record<string, unknown>[] = [];
const quiet = (): void => undefined;
const log = { info: quiet, warn: quiet, error: (fields: Record<string, unknown>) => void errors.push(fields) };

beforeAll(async () => {
  db = await openMigratedDatabase();
}, 120_000);
afterAll(() => db.close());
beforeEach(async () => {
  errors.length = 0;
  await db.query('delete from private.outbox');
});

function queueWith(handle: JobHandler, more: Partial<Parameters<typeof createQueue>[0]> = {}) {
  return createQueue({
    db,
    clock: () => new Date(),
    log,
    workers: { first: { atOnce: 2 }, last: { atOnce: 2, later: true } },
    kinds: { 'last.job': { worker: 'last', handle }, 'first.job': { worker: 'first', handle } },
    ...more,
  });
}
const add = (kind: string): Promise<void> => enqueue(db, { kind, subjectId: randomUUID(), dueAt: new Date() });

test('a round runs the jobs of all workers, those marked `later` last, or those of the named workers', async () => {
  const ran: string[] = [];
  const queue = queueWith(async (job) => {
    ran.push(job.kind);
    return 'done';
  });
  expect(queue.tasks.map(({ name, stage }) => [name, stage])).toEqual([
    ['worker first', 0],
    ['worker last', 1],
  ]);
  await add('last.job');
  await add('first.job');
  expect(await queue.run()).toBe(2);
  expect(ran).toEqual(['first.job', 'last.job']);
  await add('last.job');
  await add('first.job');
  expect(await queue.run(['last'])).toBe(1);
  expect(ran.at(-1)).toBe('last.job');
});

test('a worker that is woken runs its due jobs at once, and no others', async () => {
  const ran: string[] = [];
  const queue = queueWith(async (job) => {
    ran.push(job.kind);
    return 'done';
  });
  await add('last.job');
  await add('first.job');
  queue.wake('first');
  await expect.poll(() => ran).toEqual(['first.job']);
  expect(() => queue.wake('nobody')).toThrow('no worker has the name nobody');
});

test('a worker that is woken and cannot read the queue is named in the log', async () => {
  const failing: Database = { ...db, query: () => Promise.reject(new Error('down')) };
  queueWith(() => Promise.resolve('done'), { db: failing }).wake('last');
  await expect.poll(() => errors).toMatchObject([{ worker: 'last', err: { message: 'down' } }]);
});

test('a kind whose worker does not exist is refused', () => {
  const handle: JobHandler = () => Promise.resolve('done');
  expect(() => queueWith(handle, { kinds: { 'a.job': { worker: 'nobody', handle } } })).toThrow(
    'no worker runs jobs of the kinds a.job',
  );
});
