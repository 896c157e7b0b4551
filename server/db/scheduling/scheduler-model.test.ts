import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DatabaseBusy, DatabaseError, type Result } from '../database.ts';
import type { PipelineRun } from '../pipeline.ts';
import { classLimits, forEachClass, WORK_CLASSES, type WorkClass } from '../work-class.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

/**
 * Drives the scheduler with random interleavings of arrivals, ends of turns, answers, errors, lost connections and time, and compares it with
 * a model after each step.
 */
const SLOTS = 3;
const BATCH_MAX = 4;
const WAIT_MS = 1_000;
const WAITING_MAX = 12;
/** A statement may share a batch after this many samples (`BRIEF_SAMPLES` in estimates.ts). */
const BRIEF_SAMPLES = 5;
/** A waiting class lets at most eight jobs of others pass, and each of the four other classes may be due at the same time. */
const PASSED_MAX = 8 + 4;
const SHARES = { urgent: 1, staff: 1, customer: 0.7, server: 0.4, guest: 0.7 };

/** A submitted job. Its identity, role and setting are sent with it, and its answer repeats what was sent. */
type Job = {
  readonly id: number;
  readonly workClass: WorkClass;
  readonly text: string;
  readonly shares: boolean;
  started: number;
  settled: string[];
};
/** What occupies a slot: jobs that were sent together. */
type Sent = { readonly jobs: readonly Job[]; readonly finish: (how: 'answer' | 'lose') => void };

type World = {
  readonly scheduler: Scheduler;
  readonly submit: (workClass: WorkClass, caller: string, text: string, shares: boolean) => void;
  readonly endTurn: () => void;
  readonly jobs: Job[];
  /** What occupies a slot now. */
  readonly sent: Set<Sent>;
  /** For each class, the jobs of others that started while it waited and had a slot. */
  readonly passed: Record<WorkClass, number>;
};

const settings = {
  slots: SLOTS,
  limits: classLimits(SLOTS, SHARES, { waiting: WAITING_MAX, waitMs: WAIT_MS, ownWaitMs: WAIT_MS }),
};
const flush = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
};
/** A cheap assertion, because each run makes thousands of them. */
function check(condition: boolean, fault: string): void {
  if (!condition) throw new Error(fault);
}
const describeJob = ({ id, workClass }: Job): string => `${workClass} ${id}`;
/** Every seventh job fails, with an error that names it. */
const isRefused = ({ id }: Job): boolean => id % 7 === 3;

/**
 * `turns`: slots are assigned at the end of each turn, as on PostgreSQL. Otherwise they are assigned at once, and long work of customers and
 * guests is held back, as on the embedded engine.
 */
function createWorld(turns: boolean): World {
  let turn = Promise.withResolvers<void>();
  const scheduler = createScheduler({
    ...settings,
    longMs: turns ? null : 50,
    endOfTurn: turns ? () => turn.promise : null,
  });
  const jobs: Job[] = [];
  const sent = new Set<Sent>();
  const samples = new Map<string, number>();
  const neverHeldBack: readonly WorkClass[] = turns ? WORK_CLASSES : ['urgent', 'staff', 'server'];
  const passed: Record<WorkClass, number> = { ...forEachClass(() => 0) };
  const countRunning = (workClass: WorkClass): number =>
    [...sent].filter(({ jobs: [job] }) => job?.workClass === workClass).length;
  const occupy = (batch: readonly Job[], finish: Sent['finish']): void => {
    const [first] = batch;
    if (!first) throw new Error('an empty batch was sent');
    for (const other of WORK_CLASSES)
      passed[other] =
        other !== first.workClass &&
        scheduler.load()[other].waiting > 0 &&
        countRunning(other) < settings.limits[other].running
          ? passed[other] + 1
          : 0;
    const entry: Sent = {
      jobs: batch,
      finish(how) {
        sent.delete(entry);
        for (const { text } of batch) samples.set(text, (samples.get(text) ?? 0) + 1);
        finish(how);
      },
    };
    sent.add(entry);
    for (const job of batch) job.started += 1;
    check(sent.size <= SLOTS, 'more batches run than there are slots');
    check(countRunning(first.workClass) <= settings.limits[first.workClass].running, 'a class exceeds its limit');
    check(Math.max(...neverHeldBack.map((name) => passed[name])) <= PASSED_MAX, 'a class starves');
  };
  const findJob = ({ statements }: PipelineRun): Job => {
    const job = jobs[Number(statements.at(-1)?.values[0])];
    if (!job) throw new Error('an unknown job was sent');
    return job;
  };
  const runInBatch = scheduler.batching(BATCH_MAX, (runs) => {
    const batch = runs.map(findJob);
    check(new Set(batch.map(({ workClass }) => workClass)).size === 1, 'a batch holds several classes');
    check(batch.length <= BATCH_MAX, 'a batch is too large');
    if (batch.length > 1)
      for (const { text } of batch) check((samples.get(text) ?? 0) >= BRIEF_SAMPLES, 'a new statement shares a batch');
    return new Promise((resolve, reject) =>
      occupy(batch, (how) => {
        if (how === 'lose') return reject(new DatabaseError({ code: '08006', message: 'connection lost' }));
        runs.forEach(({ statements: [become], done }, index) => {
          const job = batch[index];
          const message = String(become?.values[0]);
          done(
            job && isRefused(job) ? new DatabaseError({ code: 'P0001', message }) : [{ rows: [{ message }], count: 1 }],
          );
        });
        resolve();
      }),
    );
  });
  const runAlone = (job: Job, caller: string): Promise<Result> =>
    scheduler.run(
      { workClass: job.workClass, caller, text: job.text },
      () =>
        new Promise((resolve, reject) =>
          occupy([job], (how) => {
            if (how === 'lose') return reject(new DatabaseError({ code: '08006', message: 'connection lost' }));
            const message = describeJob(job);
            if (isRefused(job)) reject(new DatabaseError({ code: 'P0001', message }));
            else resolve({ rows: [{ message }], count: 1 });
          }),
        ),
    );
  return {
    scheduler,
    jobs,
    sent,
    passed,
    submit(workClass, caller, text, shares) {
      const job: Job = { id: jobs.length, workClass, text, shares, started: 0, settled: [] };
      jobs.push(job);
      const statements = [
        { text: 'become', values: [describeJob(job)] },
        { text, values: [job.id] },
      ];
      const outcome = shares ? runInBatch({ workClass, caller }, statements) : runAlone(job, caller);
      outcome.then(
        ({ rows }) => job.settled.push(`answer to ${String(rows[0]?.['message'])}`),
        (error: unknown) =>
          job.settled.push(
            error instanceof DatabaseBusy ? 'busy' : error instanceof Error ? `error ${error.message}` : 'unknown',
          ),
      );
    },
    endTurn() {
      const { resolve } = turn;
      turn = Promise.withResolvers();
      resolve();
    },
  };
}

/** Checks that each job has settled exactly once, with its own outcome. */
function checkOutcomes({ jobs }: World): void {
  for (const job of jobs) {
    check(job.settled.length === 1, `${describeJob(job)} settled ${job.settled.length} times`);
    check(job.started <= 1, `${describeJob(job)} started twice`);
    const own = isRefused(job) ? `error ${describeJob(job)}` : `answer to ${describeJob(job)}`;
    const [outcome] = job.settled;
    if (outcome === 'busy') check(job.started === 0, `${describeJob(job)} was refused after it had started`);
    else check(outcome === own || outcome === 'error connection lost', `${describeJob(job)}: ${outcome}`);
  }
}

type Step =
  | {
      readonly kind: 'submit';
      readonly workClass: WorkClass;
      readonly caller: string;
      readonly text: string;
      readonly shares: boolean;
    }
  | { readonly kind: 'end of turn' }
  | { readonly kind: 'answer' | 'lose'; readonly index: number }
  | { readonly kind: 'wait'; readonly ms: number };

const submit = fc.record({
  kind: fc.constant('submit' as const),
  workClass: fc.constantFrom(...WORK_CLASSES),
  caller: fc.constantFrom('a', 'b', 'c'),
  text: fc.constantFrom('first', 'second', 'third'),
  shares: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: submit },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end of turn' as const) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('answer' as const), index: fc.nat(SLOTS - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), index: fc.nat(SLOTS - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 20, 60, 400, WAIT_MS) }),
  },
);

async function take(world: World, action: Step): Promise<void> {
  if (action.kind === 'submit') world.submit(action.workClass, action.caller, action.text, action.shares);
  else if (action.kind === 'end of turn') world.endTurn();
  else if (action.kind === 'wait') await vi.advanceTimersByTimeAsync(action.ms);
  else [...world.sent][action.index]?.finish(action.kind);
  await flush();
}

/** Answers all jobs until none is left, and checks that every slot is free again. */
async function drain(world: World): Promise<void> {
  for (let round = 0; round < 200 && !world.scheduler.idle(); round += 1) {
    world.endTurn();
    await flush();
    for (const entry of world.sent) entry.finish('answer');
    await vi.advanceTimersByTimeAsync(20);
    await flush();
  }
  checkOutcomes(world);
  check(world.scheduler.idle(), 'the scheduler is not idle');
  for (let count = 0; count < SLOTS; count += 1) world.submit('urgent', `last ${count}`, `last ${count}`, false);
  world.endTurn();
  await flush();
  check(world.sent.size === SLOTS, 'a slot is not free');
}

/** Runs two of the statements often enough that they may share a batch. */
async function warmUp(world: World): Promise<void> {
  for (let sample = 0; sample < BRIEF_SAMPLES; sample += 1)
    for (const text of ['first', 'second']) {
      world.submit('server', 'warm-up', text, false);
      world.endTurn();
      await flush();
      for (const entry of world.sent) entry.finish('answer');
      await flush();
    }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ['at once', false],
  ['at the end of each turn', true],
])(
  'whatever the interleaving, with slots assigned %s: each job gets its own answer or error once, limits hold, no class starves, and every slot becomes free',
  async (_name, turns) => {
    const seen = { batches: 0, refusals: 0, losses: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
        const world = createWorld(turns);
        await warmUp(world);
        for (const action of steps) {
          await take(world, action);
          seen.batches += [...world.sent].filter(({ jobs }) => jobs.length > 1).length;
        }
        await drain(world);
        const outcomes = world.jobs.flatMap(({ settled }) => settled);
        seen.refusals += outcomes.filter((outcome) => outcome === 'busy').length;
        seen.losses += outcomes.filter((outcome) => outcome === 'error connection lost').length;
      }),
      { numRuns: 2_000 },
    );
    // A run without these would show nothing.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
  },
);
