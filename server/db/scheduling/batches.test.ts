import { expect, test } from 'vitest';
import { DatabaseBusy, DatabaseError, type Result } from '../database.ts';
import type { PipelineRun } from '../pipeline.ts';
import { classLimits, forEachClass } from '../work-class.ts';
import { createEndOfTurn } from './end-of-turn.ts';
import { createScheduler } from './scheduler.ts';

const BATCH_MAX = 8;
const GUEST = { workClass: 'guest', caller: 'ip:192.0.2.1' } as const;
const CUSTOMER = { workClass: 'customer', caller: 'user:1' } as const;
const statements = (value: string, text = 'select $1') => [{ text, values: [value] }];
const answerTo = ({ statements: sent }: PipelineRun): Result => ({ rows: [{ value: sent[0]?.values[0] }], count: 1 });

/** Resolves after the current turn of the event loop, when everything that waits for its end has been sent. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Opens one slot, and a connection that answers only when the test tells it to. */
function open(waitMs = 60_000) {
  const limits = classLimits(
    1,
    forEachClass(() => 1),
    { waiting: 100, waitMs, ownWaitMs: waitMs },
  );
  const sent: PipelineRun[][] = [];
  let hold: Promise<void> = Promise.resolve();
  const scheduler = createScheduler({ slots: 1, limits, endOfTurn: createEndOfTurn() });
  const run = scheduler.batching(BATCH_MAX, async (runs) => {
    sent.push([...runs]);
    await hold;
    for (const pipeline of runs) {
      const result = answerTo(pipeline);
      const isWrong = result.rows[0]?.['value'] === 'wrong';
      pipeline.done(isWrong ? new DatabaseError({ code: '22P02', message: 'wrong' }) : [result]);
    }
  });
  const held = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    return resolve;
  };
  const warmUp = async (text?: string): Promise<void> => {
    for (let index = 0; index < 10; index += 1) await run(GUEST, statements('first', text));
    // The slot is free again after the answer.
    await nextTurn();
    sent.length = 0;
  };
  const sizes = (): number[] => sent.map((runs) => runs.length);
  return { run, held, warmUp, sizes };
}

test('transactions of a class that wait for a slot are sent together, and each gets its own answer', async () => {
  const { run, held, warmUp, sizes } = open();
  await warmUp();
  const release = held();
  const first = run(GUEST, statements('guest 0'));
  await nextTurn();
  const others = Array.from({ length: 11 }, (_, index) => run(GUEST, statements(`guest ${index + 1}`)));
  const customer = run(CUSTOMER, statements('customer'));
  release();
  const values = (await Promise.all([first, ...others, customer])).map(({ rows }) => rows[0]?.['value']);
  expect(values).toEqual([...Array.from({ length: 12 }, (_, index) => `guest ${index}`), 'customer']);
  // The first guest has the slot; then the customer runs alone; then the waiting guests, eight at a time.
  expect(sizes()).toEqual([1, 1, 8, 3]);
});

test('transactions that were sent with another one leave their slot at once to the next that wait', async () => {
  const { run, held, warmUp, sizes } = open();
  await warmUp();
  const release = held();
  const first = run(GUEST, statements('first'));
  await nextTurn();
  const others = Array.from({ length: 11 }, (_, index) => run(GUEST, statements(`other ${index}`)));
  release();
  // The seven transactions that were sent along with another use none of these turns of the event loop.
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  expect(sizes()).toEqual([1, 8, 3]);
  await Promise.all([first, ...others]);
});

test('transactions that arrive in one turn of the event loop share a write, and each is onStart before it is sent', async () => {
  const { run, warmUp, sizes } = open();
  await warmUp();
  const sizesAtStart: number[] = [];
  const onStart = (): void => void sizesAtStart.push(sizes().length);
  const all = ['a', 'b', 'c'].map((value) => run(GUEST, statements(value), onStart));
  expect((await Promise.all(all)).map(({ rows }) => rows[0]?.['value'])).toEqual(['a', 'b', 'c']);
  expect(sizes()).toEqual([3]);
  expect(sizesAtStart).toEqual([0, 0, 0]);
});

test('a transaction that fails leaves those sent with it alone', async () => {
  const { run, held, warmUp, sizes } = open();
  await warmUp();
  const release = held();
  const all = ['a', 'b', 'wrong', 'c'].map((value) => run(GUEST, statements(value)));
  release();
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(sizes()).toEqual([4]);
});

test('a statement that is not known to be brief runs alone', async () => {
  const { run, held, sizes } = open();
  const release = held();
  const all = ['a', 'b', 'c'].map((value) => run(GUEST, statements(value)));
  release();
  await Promise.all(all);
  expect(sizes()).toEqual([1, 1, 1]);
});

test('a transaction that waits too long is refused and never sent', async () => {
  const { run, held, warmUp, sizes } = open(20);
  await warmUp();
  const release = held();
  const first = run(GUEST, statements('first'));
  await nextTurn();
  await expect(run(GUEST, statements('late'))).rejects.toBeInstanceOf(DatabaseBusy);
  release();
  await first;
  await run(GUEST, statements('next'));
  expect(sizes()).toEqual([1, 1]);
});

test('when the connection fails, all transactions sent on it fail', async () => {
  const limits = classLimits(
    1,
    forEachClass(() => 1),
    { waiting: 100, waitMs: 60_000, ownWaitMs: 60_000 },
  );
  const scheduler = createScheduler({ slots: 1, limits });
  const run = scheduler.batching(BATCH_MAX, () => Promise.reject(new Error('no connection')));
  const all = ['a', 'b'].map((value) => run(GUEST, statements(value)));
  for (const outcome of await Promise.allSettled(all)) expect(outcome).toMatchObject({ status: 'rejected' });
});
