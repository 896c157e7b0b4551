import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '#tests/operations/booking-system.ts';
import { type Change, createInterrupter, type Interrupter, isExpected, type Run } from './interrupted.ts';
import type { Operation } from './begin.ts';
import { OPERATIONS } from './operations.ts';
import { readPoints } from './points.ts';
import { CHANGES } from './changes.ts';
import { requestsOfCancelled, requireOrder } from './order.ts';
import { createWorld, type Subject, type World } from './world.ts';
import { OUTSIDE } from './without-case.ts';

/** The tests use one engine: a change comes at an exact statement, and no transaction waits for another. */
const [database] = databases;
let interrupter: Interrupter;

const TICK = 1_000;
/** Whether to run every pair of a change and a point. Otherwise most changes are made at one point of each operation. */
const WHOLE = process.env['TEST_LONG'] !== undefined;
/** The points that any run has passed so far. */
const passed = new Set<string>();

type Make = (
  world: World,
  subject: Subject,
  db: Parameters<Change>[0],
  more: Readonly<Record<string, Change>>,
) => Promise<unknown>;
/** The names of the changes that can interrupt only the operation that ran last. */
let own: readonly string[] = [];

/** Runs an operation with a change at its `at`-th point, or without a change, and then checks everything. */
async function runOnce({ begin, byJobs }: Operation, at = 0, make: Make = () => Promise.resolve()): Promise<Run> {
  const world = await createWorld(interrupter);
  const { subject, run, more = {} } = await begin(world);
  own = Object.keys(more);
  let requests: number | null = null;
  const result = await interrupter.run(run, at, async (db, isOutside) => {
    world.system.state.now += TICK;
    await make(world, subject, db, more);
    // Another server runs the resulting jobs at once.
    if (isOutside && byJobs !== true) await world.system.jobs.drain();
    requests = await requestsOfCancelled({ ...world, db }, subject);
    world.system.state.now += TICK;
  });
  for (const name of result.points) passed.add(name);
  const place = result.points[at - 1] ?? 'no point';
  expect(result.error === null || isExpected(result.error), `${place}: ${String(result.error)}`).toBe(true);
  await requireOrder(world, subject).catch((error: unknown) => {
    if (error instanceof Error) error.message = `${place}: ${error.message}`;
    throw error;
  });
  // A request that is already on its way cannot be withdrawn.
  const onTheWay = place.endsWith('.issueCode') ? 1 : 0;
  const requestsAfter = await requestsOfCancelled(world, subject);
  if (requests !== null && requestsAfter !== null)
    expect(requestsAfter - requests, `${place}: requests for codes after the cancellation`).toBeLessThanOrEqual(
      onTheWay,
    );
  return result;
}

describe.each(OPERATIONS)('$name', (operation) => {
  let points = 0;
  let ownChanges: readonly string[] = [];
  let close: (() => Promise<void>) | undefined;
  // Each operation has its own database. Otherwise jobs of earlier runs, whose providers are gone, are retried again and again, which made
  // later runs twenty times as slow.
  beforeAll(async () => {
    if (database === undefined) throw new Error('there is no database');
    const opened = await database.open();
    close = opened.close;
    interrupter = createInterrupter(opened.db);
    const undisturbed = await runOnce(operation);
    // An operation that is refused before its first lock would pass every case.
    if (operation.refusal === undefined) expect(undisturbed.error).toBeNull();
    else expect(undisturbed.error).toMatchObject({ code: operation.refusal });
    points = undisturbed.points.length;
    ownChanges = own;
    expect(points).toBeGreaterThan(0);
  }, 180_000);
  afterAll(() => close?.());
  /** `turn` selects the point at which the change is made; null selects every point. Successive turns cover all points. */
  const requireOrderWith = async (turn: number | null, make: Make): Promise<void> => {
    for (let index = 1; index <= points; index += 1)
      if (WHOLE || turn === null || index === (turn % points) + 1)
        expect((await runOnce(operation, index, make)).changed).toBe(true);
  };

  const matters = ({ ofNewHours, ofStaff }: (typeof CHANGES)[number]): boolean =>
    (ofNewHours !== true || operation.takesHours) && (ofStaff !== true || operation.name.startsWith('staff '));
  const changes = CHANGES.filter(matters);
  test.each(changes.map((change, turn) => ({ ...change, turn: change.everywhere === true ? null : turn })))(
    'money, codes and hours are in order when $name at a lock or during a call of a provider',
    { timeout: 120_000 },
    ({ make, turn }) => requireOrderWith(turn, make),
  );

  test(
    'the same holds for the changes that only this operation can be interrupted by',
    { timeout: 120_000 },
    async () => {
      for (const name of ownChanges)
        await requireOrderWith(null, async (_world, _subject, db, more) => more[name]?.(db, false));
    },
  );
});

test('every lock and every call of a provider in the operations has a case here, or is listed with the test or reason in its place', () => {
  const places = readPoints();
  const listed = Object.keys(OUTSIDE);
  expect(
    listed.filter((name) => passed.has(name) || !places.has(name)),
    'listed, but has a case or is gone',
  ).toEqual([]);
  const missing = [...places.keys()].filter((name) => !passed.has(name) && !listed.includes(name));
  expect(missing, `without a case:\n${missing.join('\n')}`).toEqual([]);
});
