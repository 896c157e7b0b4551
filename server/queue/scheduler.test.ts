import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';
import { createScheduler, type Task } from './scheduler.ts';

const errors: { fields: Record<string, unknown>; message: string }[] = [];
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: Record<string, unknown>, message: string) => void errors.push({ fields, message }),
};
/** Returns a promise and a function that resolves it. */
function gate(): { wait: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait, open };
}

test('a hanging task does not delay other tasks', async () => {
  const hung = gate();
  let rounds = 0;
  const scheduler = createScheduler(
    [
      { name: 'hangs', everyMs: 1, run: () => hung.wait },
      { name: 'works', everyMs: 1, run: async () => void (rounds += 1) },
    ],
    log,
  );
  scheduler.start();
  await expect.poll(() => rounds).toBeGreaterThan(3);
  hung.open();
  await scheduler.stop();
  const after = rounds;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(rounds).toBe(after);
});

test('a task never overlaps with itself, not even when run manually', async () => {
  let atOnce = 0;
  let most = 0;
  let rounds = 0;
  const scheduler = createScheduler(
    [
      {
        name: 'counts',
        everyMs: 1,
        async run() {
          atOnce += 1;
          most = Math.max(most, atOnce);
          await new Promise((resolve) => setTimeout(resolve, 2));
          atOnce -= 1;
          rounds += 1;
        },
      },
    ],
    log,
  );
  scheduler.start();
  await Promise.all([scheduler.run(), scheduler.run(), scheduler.run()]);
  await scheduler.stop();
  expect(rounds).toBeGreaterThanOrEqual(3);
  expect(most).toBe(1);
});

test('a failed round is logged with its error, and the task runs again', async () => {
  errors.length = 0;
  let rounds = 0;
  const failure = new Error('broken');
  const scheduler = createScheduler(
    [
      {
        name: 'fails',
        everyMs: 1,
        async run() {
          rounds += 1;
          throw failure;
        },
      },
    ],
    log,
  );
  scheduler.start();
  await expect.poll(() => rounds).toBeGreaterThan(2);
  await scheduler.stop();
  expect(errors[0]).toEqual({
    fields: { err: failure, task: 'fails' },
    message: 'a task failed and runs again in its next round',
  });
});

test('stop signals running rounds and waits for them, at most for the grace period', async () => {
  const slow = gate();
  let signalled = false;
  const scheduler = createScheduler(
    [
      {
        name: 'slow',
        everyMs: 1,
        async run(stop) {
          await slow.wait;
          signalled = stop();
        },
      },
    ],
    log,
  );
  scheduler.start();
  let stopped = false;
  const stopping = scheduler.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(stopped).toBe(false);
  slow.open();
  await stopping;
  expect(signalled).toBe(true);
  const endless = createScheduler([{ name: 'endless', everyMs: 1, run: () => new Promise(() => undefined) }], log);
  endless.start();
  await endless.stop(10);
});

test('a manual round runs the tasks of a later stage after all of an earlier one', async () => {
  const order: string[] = [];
  const task = (name: string, stage: number, ms: number) => ({
    name,
    everyMs: 1,
    stage,
    async run() {
      await new Promise((resolve) => setTimeout(resolve, ms));
      order.push(name);
    },
  });
  await createScheduler([task('last', 1, 0), task('slow', 0, 15), task('quick', 0, 0)], log).run();
  expect(order).toEqual(['quick', 'slow', 'last']);
});

test('parallel work respects its limit, stops on request, and fails only after running work has ended', async () => {
  let atOnce = 0;
  let most = 0;
  const ended: number[] = [];
  const work = async (item: number): Promise<void> => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setTimeout(resolve, item));
    atOnce -= 1;
    if (item === 1) throw new Error('one of them');
    ended.push(item);
  };
  expect(await inParallel([3, 2, 4, 2, 3, 2], 3, work)).toBe(6);
  expect(most).toBe(3);
  expect(await inParallel([3, 2, 4], 2, work, () => ended.length >= 6)).toBe(0);
  await expect(inParallel([9, 1, 5, 5], 2, work)).rejects.toThrow('one of them');
  expect(ended.at(-1)).toBe(9);
});

test('a task waits until this process holds its lease, a task for every process does not, and stopping gives the leases back', async () => {
  const ran: string[] = [];
  const given = gate();
  let held = false;
  let names: readonly string[] = [];
  let released = 0;
  const task = (name: string, everywhere: boolean): Task => ({
    name,
    everyMs: 1,
    everywhere,
    run: async () => void ran.push(name),
  });
  const scheduler = createScheduler([task('shared', false), task('own', true)], log, {
    start: (tasks) => void (names = tasks),
    holds: () => held,
    taken: () => given.wait,
    release: async () => void (released += 1),
  });
  scheduler.start();
  await expect.poll(() => ran.length).toBeGreaterThan(2);
  expect(names).toEqual(['shared']);
  expect(ran).not.toContain('shared');
  held = true;
  given.open();
  await expect.poll(() => ran).toContain('shared');
  await scheduler.stop();
  expect(released).toBe(1);
});

test('stopping ends a task that waits for its lease', async () => {
  const scheduler = createScheduler(
    [{ name: 'shared', everyMs: 1, run: () => Promise.reject(new Error('ran')) }],
    log,
    {
      start: () => undefined,
      holds: () => false,
      taken: () => new Promise(() => undefined),
      release: () => Promise.resolve(),
    },
  );
  scheduler.start();
  errors.length = 0;
  await scheduler.stop();
  expect(errors).toEqual([]);
});
