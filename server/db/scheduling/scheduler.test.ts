import { expect, test, vi } from 'vitest';
import { DatabaseBusy, DatabaseError, type Principal } from '../database.ts';
import { createPostgresSchedulers } from '../postgres/postgres-schedulers.ts';
import { classLimits, type ClassLimits, forEachClass, type WorkClass } from '../work-class.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

const EVERYTHING = forEachClass(() => 1);
const limitsFor = (total: number, waiting = 100): ClassLimits =>
  classLimits(total, EVERYTHING, { waiting, waitMs: 10_000, ownWaitMs: 10_000 });

type Waiting = readonly [workClass: WorkClass, caller: string, name: string];

/** Returns work that runs until the test ends it. */
function heldWork(): { work: () => Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

/** Runs work that records its name; none of it starts before all of it waits. */
async function getOrder(scheduler: Scheduler, waiting: readonly Waiting[]): Promise<string[]> {
  const order: string[] = [];
  const first = heldWork();
  const held = scheduler.run({ workClass: 'server', caller: 'first' }, first.work);
  const all = waiting.map(([workClass, caller, name]) =>
    scheduler.run({ workClass, caller }, () => Promise.resolve(void order.push(name))),
  );
  first.end();
  await Promise.all([held, ...all]);
  expect(scheduler.idle()).toBe(true);
  return order;
}

test('a caller with many statements delays others by one of them only', async () => {
  const order = await getOrder(createScheduler({ slots: 1, limits: limitsFor(1) }), [
    ['customer', 'a', 'a1'],
    ['customer', 'a', 'a2'],
    ['customer', 'a', 'a3'],
    ['customer', 'b', 'b1'],
    ['customer', 'c', 'c1'],
    ['customer', 'c', 'c2'],
  ]);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('a free slot goes to the highest class that waits', async () => {
  const order = await getOrder(createScheduler({ slots: 1, limits: limitsFor(1) }), [
    ['guest', 'g', 'guest'],
    ['server', 's', 'server'],
    ['customer', 'c', 'customer'],
    ['staff', 's', 'staff'],
    ['urgent', 'u', 'urgent'],
  ]);
  expect(order).toEqual(['urgent', 'staff', 'customer', 'server', 'guest']);
});

test('a class that was passed over eight times gets the next turn', async () => {
  const urgent = Array.from({ length: 12 }, (_, index): Waiting => ['urgent', `u${index}`, 'urgent']);
  const order = await getOrder(createScheduler({ slots: 1, limits: limitsFor(1) }), [
    ['guest', 'g', 'guest'],
    ...urgent,
  ]);
  expect(order.indexOf('guest')).toBe(8);
});

test('within a class the caller whose statements took least lately goes first', async () => {
  let now = 0;
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1), now: () => now });
  const run = (caller: string, ms: number): Promise<unknown> =>
    scheduler.run({ workClass: 'guest', caller }, async () => void (now += ms));
  await run('heavy', 500);
  await run('heavier', 900);
  for (let index = 0; index < 10; index += 1) await run('light', 2);
  const waiting: Waiting[] = [
    ['guest', 'heavier', 'heavier'],
    ['guest', 'heavy', 'heavy'],
    ['guest', 'new', 'new'],
    ['guest', 'light', 'light'],
  ];
  expect(await getOrder(scheduler, waiting)).toEqual(['light', 'new', 'heavy', 'heavier']);
  now += 120_000;
  expect(await getOrder(scheduler, waiting)).toEqual(['heavier', 'heavy', 'new', 'light']);
});

test('a caller whose statements take a few milliseconds goes before one whose take twenty', async () => {
  let now = 0;
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1), now: () => now });
  for (let index = 0; index < 10; index += 1)
    for (const [caller, ms] of [
      ['brief', 3],
      ['longer', 19],
    ] as const)
      await scheduler.run({ workClass: 'guest', caller }, async () => void (now += ms));
  const order = await getOrder(scheduler, [
    ['guest', 'longer', 'longer'],
    ['guest', 'brief', 'brief'],
  ]);
  expect(order).toEqual(['brief', 'longer']);
});

test('a new caller whose statement is known to be brief goes before callers known for longer ones', async () => {
  let now = 0;
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1), now: () => now });
  const run = (caller: string, text: string, ms: number): Promise<unknown> =>
    scheduler.run({ workClass: 'guest', caller, text }, async () => void (now += ms));
  for (let index = 0; index < 10; index += 1) await run('heavy', 'sort everything', 20);
  await run('somebody', 'read a day', 2);
  const first = heldWork();
  const held = scheduler.run({ workClass: 'server', caller: 'first' }, first.work);
  const order: string[] = [];
  const all = [
    ['heavy', 'sort everything'],
    ['new', 'read a day'],
  ].map(([caller = '', text = '']) =>
    scheduler.run({ workClass: 'guest', caller, text }, async () => void order.push(caller)),
  );
  first.end();
  await Promise.all([held, ...all]);
  expect(order).toEqual(['new', 'heavy']);
});

/** Slots that hold long statements back, on a clock that the test moves; `run` advances it by `ms`. */
function slotsWithHoldBack() {
  vi.useFakeTimers();
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1), longMs: 50 });
  const started: string[] = [];
  const run = async (workClass: WorkClass, caller: string, text: string, ms: number): Promise<void> => {
    await scheduler.run({ workClass, caller, text }, async () => {
      started.push(`${caller}: ${text}`);
      await vi.advanceTimersByTimeAsync(ms);
    });
  };
  /** Runs a statement of 300 ms while another statement waits. */
  const block = async (caller: string): Promise<void> => {
    await Promise.all([run('guest', caller, 'long', 300), run('staff', 'staff', 'brief', 0)]);
  };
  return { scheduler, started, run, block, [Symbol.dispose]: () => void vi.useRealTimers() };
}

test('after a long statement of a guest no other one that may be long starts for as long, and brief ones do', async () => {
  using held = slotsWithHoldBack();
  const { scheduler, started, run, block } = held;
  await run('guest', 'light', 'brief', 2);
  await block('heavy');
  started.length = 0;
  const waiting = [
    run('guest', 'heavy', 'long', 0),
    run('customer', 'customer', 'long', 0),
    run('guest', 'new', 'unknown', 0),
  ];
  await run('guest', 'light', 'brief', 0);
  await run('guest', 'other', 'brief', 0);
  await run('staff', 'staff', 'long', 0);
  await run('urgent', 'functions', 'a hold', 0);
  expect(started).toEqual(['light: brief', 'other: brief', 'staff: long', 'functions: a hold']);
  await vi.advanceTimersByTimeAsync(298);
  expect(scheduler.load().guest.waiting).toBe(2);
  await vi.advanceTimersByTimeAsync(2);
  await Promise.all(waiting);
  expect(started).toHaveLength(7);
  expect(scheduler.idle()).toBe(true);
});

test('nothing is held back after a long statement that nobody else waited for', async () => {
  using held = slotsWithHoldBack();
  const { scheduler, started, run } = held;
  await Promise.all([run('guest', 'alone', 'long', 300), run('guest', 'alone', 'next', 0)]);
  const others = [run('guest', 'alone', 'unknown', 0), run('guest', 'new', 'unknown', 0)];
  await Promise.resolve();
  expect(scheduler.load().guest.waiting).toBe(1);
  await Promise.all(others);
  expect(started).toHaveLength(4);
});

test('a caller known for brief statements cannot hide a long one among them', async () => {
  using held = slotsWithHoldBack();
  const { scheduler, run, block } = held;
  for (let index = 0; index < 10; index += 1) await run('guest', 'mixed', 'brief', 2);
  await block('heavy');
  const hidden = run('guest', 'mixed', 'long', 0);
  expect(scheduler.load().guest.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(300);
  await hidden;
});

test('every eighth turn of a class is for the caller who waits longest', async () => {
  let now = 0;
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1), now: () => now });
  await scheduler.run({ workClass: 'guest', caller: 'heavy' }, async () => void (now += 900));
  const light = Array.from({ length: 12 }, (_, index): Waiting => ['guest', `light ${index}`, 'light']);
  const order = await getOrder(scheduler, [['guest', 'heavy', 'heavy'], ...light]);
  expect(order.indexOf('heavy')).toBe(7);
});

test('work runs one at a time in one slot, and a failure rejects only its own promise', async () => {
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1) });
  let running = 0;
  const work = async (fails: boolean): Promise<number> => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (fails) throw new Error('refused');
    return 7;
  };
  const run = (caller: string, fails: boolean): Promise<number> =>
    scheduler.run({ workClass: 'customer', caller }, () => work(fails));
  const outcomes = await Promise.allSettled([run('a', false), run('b', true), run('c', false)]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await run('a', false)).toBe(7);
});

test('guests never use the slots that are kept for others', async () => {
  const shares = { ...EVERYTHING, guest: 0.5 };
  const scheduler = createScheduler({
    slots: 4,
    limits: classLimits(4, shares, { waiting: 10, waitMs: 10_000, ownWaitMs: 10_000 }),
  });
  const guest = heldWork();
  const started = vi.fn(guest.work);
  const guests = ['a', 'b', 'c'].map((caller) => scheduler.run({ workClass: 'guest', caller }, started));
  expect(started).toHaveBeenCalledTimes(2);
  expect(scheduler.load().guest.waiting).toBe(1);
  expect(await scheduler.run({ workClass: 'customer', caller: 'd' }, () => Promise.resolve('at once'))).toBe('at once');
  guest.end();
  await Promise.all(guests);
  expect(started).toHaveBeenCalledTimes(3);
});

test('a full queue refuses the next caller at once, with the seconds to wait', async () => {
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1, 4) });
  const first = heldWork();
  const held = scheduler.run({ workClass: 'guest', caller: 'first' }, first.work);
  const waiting = ['a', 'b'].map((caller) => scheduler.run({ workClass: 'guest', caller }, () => Promise.resolve()));
  const refused = await scheduler.run({ workClass: 'guest', caller: 'c' }, () => Promise.resolve()).catch(String);
  expect(refused).toContain('The server is busy');
  await expect(scheduler.run({ workClass: 'guest', caller: 'c' }, () => Promise.resolve())).rejects.toMatchObject({
    code: 'PT503',
    retryAfter: 1,
  });
  expect(scheduler.load().guest).toEqual({ waiting: 2, refused: 2 });
  first.end();
  await Promise.all([held, ...waiting]);
});

test('a full queue refuses the newest statement of the caller with the most, not a new caller', async () => {
  const scheduler = createScheduler({ slots: 1, limits: limitsFor(1, 6) });
  const first = heldWork();
  const held = scheduler.run({ workClass: 'guest', caller: 'first' }, first.work);
  const many = [1, 2, 3].map((n) => scheduler.run({ workClass: 'guest', caller: 'many' }, () => Promise.resolve(n)));
  const single = scheduler.run({ workClass: 'guest', caller: 'one' }, () => Promise.resolve('answered'));
  await expect(many[2]).rejects.toBeInstanceOf(DatabaseBusy);
  first.end();
  expect(await Promise.all([single, many[0], many[1], held])).toEqual(['answered', 1, 2, undefined]);
});

test('what waits too long is refused, and its place is free again', async () => {
  vi.useFakeTimers();
  try {
    const scheduler = createScheduler({ slots: 1, limits: limitsFor(1) });
    const first = heldWork();
    const held = scheduler.run({ workClass: 'guest', caller: 'first' }, first.work);
    const late = scheduler.run({ workClass: 'guest', caller: 'late' }, () => Promise.resolve());
    const refused = expect(late).rejects.toBeInstanceOf(DatabaseBusy);
    await vi.advanceTimersByTimeAsync(10_000);
    await refused;
    first.end();
    await held;
    expect(scheduler.idle()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

const GUEST: Principal = { role: 'anon', claims: '{}', caller: 'ip:192.0.2.1', settings: { search_path: 'public' } };

test('a statement runs briefly first, and again with its full time when it was stopped', async () => {
  const scheduler = createPostgresSchedulers(4, { waiting: 10, waitMs: 1_000, ownWaitMs: 1_000, quickMs: 50 });
  const limits: (string | undefined)[] = [];
  const answer = await scheduler.runStatement({ workClass: 'guest', caller: 'a' }, GUEST, async ({ settings }) => {
    limits.push(settings?.['statement_timeout']);
    if (limits.length === 1) throw new DatabaseError({ code: '57014', message: 'canceling statement' });
    return settings?.['search_path'];
  });
  expect([limits, answer]).toEqual([['50ms', undefined], 'public']);
  const failing = scheduler.runStatement({ workClass: 'guest', caller: 'a' }, GUEST, () => {
    limits.push('other');
    return Promise.reject(new DatabaseError({ code: '42501', message: 'denied' }));
  });
  await expect(failing).rejects.toMatchObject({ code: '42501' });
  expect(limits).toHaveLength(3);
});

test('long statements of guests leave the slots for brief ones free', async () => {
  const scheduler = createPostgresSchedulers(10, { waiting: 400, waitMs: 10_000, ownWaitMs: 10_000, quickMs: 50 });
  const long = heldWork();
  const run = async ({ settings }: Principal): Promise<void> => {
    if (settings?.['statement_timeout'] !== undefined) throw new DatabaseError({ code: '57014', message: 'stopped' });
    await long.work();
  };
  const heavy = Array.from({ length: 12 }, (_, index) =>
    scheduler.runStatement({ workClass: 'guest', caller: `heavy ${index}` }, GUEST, run),
  );
  await vi.waitFor(() => expect(scheduler.load().guest.waiting).toBe(10));
  const light = scheduler.runStatement({ workClass: 'guest', caller: 'light' }, GUEST, () =>
    Promise.resolve('at once'),
  );
  expect(await light).toBe('at once');
  expect(scheduler.load().guest.waiting).toBe(10);
  long.end();
  await Promise.all(heavy);
});
