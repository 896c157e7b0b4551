import { expect, test, vi } from 'vitest';
import { DatabaseBusy, DatabaseError, type Principal } from './database.ts';
import { createPostgresSlots } from './postgres-slots.ts';
import { createSlots, type Slots } from './slots.ts';
import { classLimits, type ClassLimits, forEachClass, type WorkClass } from './work-class.ts';

const EVERYTHING = forEachClass(() => 1);
const limitsOf = (total: number, waiting = 100): ClassLimits =>
  classLimits(total, EVERYTHING, { waiting, waitMs: 10_000, ownWaitMs: 10_000 });

type Wanted = readonly [workClass: WorkClass, caller: string, name: string];

/** Work that runs until it is ended. */
function heldWork(): { work: () => Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

/** Runs work that records its name; none starts before all wait. */
async function orderOf(slots: Slots, wanted: readonly Wanted[]): Promise<string[]> {
  const order: string[] = [];
  const first = heldWork();
  const held = slots.run({ workClass: 'server', caller: 'first' }, first.work);
  const all = wanted.map(([workClass, caller, name]) =>
    slots.run({ workClass, caller }, () => Promise.resolve(void order.push(name))),
  );
  first.end();
  await Promise.all([held, ...all]);
  expect(slots.idle()).toBe(true);
  return order;
}

test('a caller with many statements delays others by one of them only', async () => {
  const order = await orderOf(createSlots(1, limitsOf(1)), [
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
  const order = await orderOf(createSlots(1, limitsOf(1)), [
    ['guest', 'g', 'guest'],
    ['server', 's', 'server'],
    ['customer', 'c', 'customer'],
    ['staff', 's', 'staff'],
    ['urgent', 'u', 'urgent'],
  ]);
  expect(order).toEqual(['urgent', 'staff', 'customer', 'server', 'guest']);
});

test('a class that was passed over eight times gets the next turn', async () => {
  const urgent = Array.from({ length: 12 }, (_, at): Wanted => ['urgent', `u${at}`, 'urgent']);
  const order = await orderOf(createSlots(1, limitsOf(1)), [['guest', 'g', 'guest'], ...urgent]);
  expect(order.indexOf('guest')).toBe(8);
});

test('within a class the caller whose statements took least lately goes first', async () => {
  let now = 0;
  const slots = createSlots(1, limitsOf(1), () => now);
  const run = (caller: string, ms: number): Promise<unknown> =>
    slots.run({ workClass: 'guest', caller }, async () => void (now += ms));
  await run('heavy', 500);
  await run('heavier', 900);
  for (let at = 0; at < 10; at += 1) await run('light', 2);
  const wanted: Wanted[] = [
    ['guest', 'heavier', 'heavier'],
    ['guest', 'heavy', 'heavy'],
    ['guest', 'new', 'new'],
    ['guest', 'light', 'light'],
  ];
  expect(await orderOf(slots, wanted)).toEqual(['light', 'new', 'heavy', 'heavier']);
  now += 120_000;
  expect(await orderOf(slots, wanted)).toEqual(['heavier', 'heavy', 'new', 'light']);
});

test('every eighth turn of a class is for the caller who waits longest', async () => {
  let now = 0;
  const slots = createSlots(1, limitsOf(1), () => now);
  await slots.run({ workClass: 'guest', caller: 'heavy' }, async () => void (now += 900));
  const light = Array.from({ length: 12 }, (_, at): Wanted => ['guest', `light ${at}`, 'light']);
  const order = await orderOf(slots, [['guest', 'heavy', 'heavy'], ...light]);
  expect(order.indexOf('heavy')).toBe(7);
});

test('work runs one at a time in one slot, and a failure rejects only its own promise', async () => {
  const slots = createSlots(1, limitsOf(1));
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
    slots.run({ workClass: 'customer', caller }, () => work(fails));
  const outcomes = await Promise.allSettled([run('a', false), run('b', true), run('c', false)]);
  expect(outcomes.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await run('a', false)).toBe(7);
});

test('guests never use the slots that are kept for others', async () => {
  const shares = { ...EVERYTHING, guest: 0.5 };
  const slots = createSlots(4, classLimits(4, shares, { waiting: 10, waitMs: 10_000, ownWaitMs: 10_000 }));
  const guest = heldWork();
  const started = vi.fn(guest.work);
  const guests = ['a', 'b', 'c'].map((caller) => slots.run({ workClass: 'guest', caller }, started));
  expect(started).toHaveBeenCalledTimes(2);
  expect(slots.load().guest.waiting).toBe(1);
  expect(await slots.run({ workClass: 'customer', caller: 'd' }, () => Promise.resolve('at once'))).toBe('at once');
  guest.end();
  await Promise.all(guests);
  expect(started).toHaveBeenCalledTimes(3);
});

test('a full queue refuses the next caller at once, with the seconds to wait', async () => {
  const slots = createSlots(1, limitsOf(1, 4));
  const first = heldWork();
  const held = slots.run({ workClass: 'guest', caller: 'first' }, first.work);
  const waiting = ['a', 'b'].map((caller) => slots.run({ workClass: 'guest', caller }, () => Promise.resolve()));
  const refused = await slots.run({ workClass: 'guest', caller: 'c' }, () => Promise.resolve()).catch(String);
  expect(refused).toContain('The server is busy');
  await expect(slots.run({ workClass: 'guest', caller: 'c' }, () => Promise.resolve())).rejects.toMatchObject({
    code: 'PT503',
    retryAfter: 1,
  });
  expect(slots.load().guest).toEqual({ waiting: 2, refused: 2 });
  first.end();
  await Promise.all([held, ...waiting]);
});

test('a full queue refuses the newest statement of the caller with the most, not a new caller', async () => {
  const slots = createSlots(1, limitsOf(1, 6));
  const first = heldWork();
  const held = slots.run({ workClass: 'guest', caller: 'first' }, first.work);
  const many = [1, 2, 3].map((n) => slots.run({ workClass: 'guest', caller: 'many' }, () => Promise.resolve(n)));
  const one = slots.run({ workClass: 'guest', caller: 'one' }, () => Promise.resolve('answered'));
  await expect(many[2]).rejects.toBeInstanceOf(DatabaseBusy);
  first.end();
  expect(await Promise.all([one, many[0], many[1], held])).toEqual(['answered', 1, 2, undefined]);
});

test('what waits too long is refused, and its place is free again', async () => {
  vi.useFakeTimers();
  try {
    const slots = createSlots(1, limitsOf(1));
    const first = heldWork();
    const held = slots.run({ workClass: 'guest', caller: 'first' }, first.work);
    const late = slots.run({ workClass: 'guest', caller: 'late' }, () => Promise.resolve());
    const refused = expect(late).rejects.toBeInstanceOf(DatabaseBusy);
    await vi.advanceTimersByTimeAsync(10_000);
    await refused;
    first.end();
    await held;
    expect(slots.idle()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

const GUEST: Principal = { role: 'anon', claims: '{}', caller: 'ip:192.0.2.1', settings: { search_path: 'public' } };

test('a statement runs briefly first, and again with its full time when it was stopped', async () => {
  const slots = createPostgresSlots(4, { waiting: 10, waitMs: 1_000, ownWaitMs: 1_000, quickMs: 50 });
  const limits: (string | undefined)[] = [];
  const answer = await slots.runStatement({ workClass: 'guest', caller: 'a' }, GUEST, async ({ settings }) => {
    limits.push(settings?.['statement_timeout']);
    if (limits.length === 1) throw new DatabaseError({ code: '57014', message: 'canceling statement' });
    return settings?.['search_path'];
  });
  expect([limits, answer]).toEqual([['50ms', undefined], 'public']);
  const failing = slots.runStatement({ workClass: 'guest', caller: 'a' }, GUEST, () => {
    limits.push('other');
    return Promise.reject(new DatabaseError({ code: '42501', message: 'denied' }));
  });
  await expect(failing).rejects.toMatchObject({ code: '42501' });
  expect(limits).toHaveLength(3);
});

test('long statements of guests leave the slots for brief ones free', async () => {
  const slots = createPostgresSlots(10, { waiting: 400, waitMs: 10_000, ownWaitMs: 10_000, quickMs: 50 });
  const long = heldWork();
  const run = async ({ settings }: Principal): Promise<void> => {
    if (settings?.['statement_timeout'] !== undefined) throw new DatabaseError({ code: '57014', message: 'stopped' });
    await long.work();
  };
  const heavy = Array.from({ length: 12 }, (_, at) =>
    slots.runStatement({ workClass: 'guest', caller: `heavy ${at}` }, GUEST, run),
  );
  await vi.waitFor(() => expect(slots.load().guest.waiting).toBe(10));
  const light = slots.runStatement({ workClass: 'guest', caller: 'light' }, GUEST, () => Promise.resolve('at once'));
  expect(await light).toBe('at once');
  expect(slots.load().guest.waiting).toBe(10);
  long.end();
  await Promise.all(heavy);
});
