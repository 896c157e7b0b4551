import { DatabaseBusy } from './database.ts';
import { createExpectedTime, type ExpectedTime, type Turn } from './expected-time.ts';
import { type ClassLimits, type DatabaseLoad, forEachClass, WORK_CLASSES, type WorkClass } from './work-class.ts';

/** Slots for statements: a connection each, or the one engine. */
export type Slots = {
  /**
   * Runs `work` when it is this caller's turn. Throws `DatabaseBusy` when too many wait or the wait is too long. `work` may say that it does
   * the work of so many turns, so that none of them counts as long because of the others; 0: another turn has done its work.
   */
  run<T>(turn: Turn, work: (takesAlong: (turns: number) => void) => Promise<T>): Promise<T>;
  load(): DatabaseLoad;
  /** Whether nothing runs and nothing waits. */
  idle(): boolean;
};

/** One statement that waits. */
type Job = { readonly turn: Turn; readonly start: () => void; readonly refuse: () => void };
/** What waits in one class, by caller. */
type Lanes = Map<string, Job[]>;
type State = {
  readonly total: number;
  readonly limits: ClassLimits;
  readonly lanes: Readonly<Record<WorkClass, Lanes>>;
  readonly running: Record<WorkClass, number>;
  readonly waiting: Record<WorkClass, number>;
  readonly refused: Record<WorkClass, number>;
  /** How often a class was passed over while it waited. */
  readonly passed: Record<WorkClass, number>;
  /** Turns of each class that somebody had to wait for. */
  readonly turns: Record<WorkClass, number>;
  readonly expected: ExpectedTime;
  /** Starts what was held back. */
  timer: NodeJS.Timeout | null;
};

/** After this many turns of higher classes a waiting class gets one. */
const PATIENCE = 8;
/** The least time after which a refused caller should try again, in seconds. */
const RETRY_SECONDS = 1;

/**
 * Creates `total` slots. A free one goes to the highest class that waits and has slots of its share left; a class that was passed over
 * `PATIENCE` times goes first. Within a class the caller whose statements take least goes first, so that expensive statements do not delay
 * brief ones, and every `PATIENCE`th turn is for the one who waits longest. When too many of a class wait, the caller with the most waiting is
 * refused. `longMs`: see `createExpectedTime`.
 */
export function createSlots(
  total: number,
  limits: ClassLimits,
  { longMs = null, now = () => performance.now() }: { longMs?: number | null; now?: () => number } = {},
): Slots {
  const state: State = {
    total,
    limits,
    lanes: forEachClass(() => new Map<string, Job[]>()),
    running: { ...forEachClass(() => 0) },
    waiting: { ...forEachClass(() => 0) },
    refused: { ...forEachClass(() => 0) },
    passed: { ...forEachClass(() => 0) },
    turns: { ...forEachClass(() => 0) },
    expected: createExpectedTime(now, longMs),
    timer: null,
  };
  return {
    async run(turn, work) {
      const { workClass } = turn;
      if (mayStart(state, workClass) && !state.expected.isHeldBack(turn)) state.running[workClass] += 1;
      else await waitForTurn(state, turn);
      const began = now();
      let turns = 1;
      try {
        return await work((count) => {
          turns = count;
        });
      } finally {
        if (turns > 0) state.expected.add(turn, (now() - began) / turns, othersWait(state, turn.caller));
        state.running[workClass] -= 1;
        startWaiting(state);
      }
    },
    load: () => forEachClass((workClass) => ({ waiting: state.waiting[workClass], refused: state.refused[workClass] })),
    idle: () => WORK_CLASSES.every((workClass) => state.running[workClass] + state.waiting[workClass] === 0),
  };
}

const othersWait = ({ lanes }: State, caller: string): boolean =>
  WORK_CLASSES.some((one) => lanes[one].size > (lanes[one].has(caller) ? 1 : 0));

const sum = (counts: Readonly<Record<WorkClass, number>>): number =>
  WORK_CLASSES.reduce((all, workClass) => all + counts[workClass], 0);

function mayStart(state: State, workClass: WorkClass): boolean {
  return state.running[workClass] < state.limits[workClass].running && sum(state.running) < state.total;
}

/** Resolves when the statement has its slot. Throws `DatabaseBusy`. */
function waitForTurn(state: State, turn: Turn): Promise<void> {
  const { workClass, caller } = turn;
  const { waiting: most, waitMs } = state.limits[workClass];
  if (state.waiting[workClass] >= most && !makeRoom(state, workClass, caller)) {
    state.refused[workClass] += 1;
    return Promise.reject(new DatabaseBusy(RETRY_SECONDS));
  }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      remove(state, workClass, caller, job);
      job.refuse();
    }, waitMs);
    const job: Job = {
      turn,
      start() {
        clearTimeout(timer);
        resolve();
      },
      refuse() {
        clearTimeout(timer);
        state.refused[workClass] += 1;
        reject(new DatabaseBusy(RETRY_SECONDS));
      },
    };
    const lane = state.lanes[workClass].get(caller);
    if (lane) lane.push(job);
    else state.lanes[workClass].set(caller, [job]);
    state.waiting[workClass] += 1;
    startWaiting(state);
  });
}

/** Refuses the newest statement of the caller with the most waiting, if that is more than `caller` has. Returns whether it did. */
function makeRoom(state: State, workClass: WorkClass, caller: string): boolean {
  const lanes = state.lanes[workClass];
  let longest: [string, Job[]] | null = null;
  for (const entry of lanes) if (longest === null || entry[1].length > longest[1].length) longest = entry;
  if (longest === null || longest[1].length <= (lanes.get(caller)?.length ?? 0) + 1) return false;
  const job = longest[1].at(-1);
  if (!job) return false;
  remove(state, workClass, longest[0], job);
  job.refuse();
  return true;
}

function remove(state: State, workClass: WorkClass, caller: string, job: Job): void {
  const lanes = state.lanes[workClass];
  const left = (lanes.get(caller) ?? []).filter((one) => one !== job);
  if (left.length === 0) lanes.delete(caller);
  else lanes.set(caller, left);
  state.waiting[workClass] -= 1;
}

/** Gives free slots to those who wait. */
function startWaiting(state: State): void {
  while (sum(state.waiting) > 0) {
    const ready = WORK_CLASSES.filter((one) => state.waiting[one] > 0 && mayStart(state, one) && hasReady(state, one));
    const workClass = ready.find((one) => state.passed[one] >= PATIENCE) ?? ready[0];
    if (workClass === undefined) return startLater(state);
    for (const one of ready) state.passed[one] = one === workClass ? 0 : state.passed[one] + 1;
    const job = nextJob(state, workClass);
    if (!job) return;
    const { caller } = job.turn;
    remove(state, workClass, caller, job);
    state.running[workClass] += 1;
    // A caller's other statements go behind those of callers like it.
    const lane = state.lanes[workClass].get(caller);
    if (lane) {
      state.lanes[workClass].delete(caller);
      state.lanes[workClass].set(caller, lane);
    }
    job.start();
  }
}

/** The first statement of each caller that may run now, the caller who waits longest first. */
function* readyJobs({ lanes, expected }: State, workClass: WorkClass): Generator<Job> {
  for (const [job] of lanes[workClass].values()) if (job && !expected.isHeldBack(job.turn)) yield job;
}

const hasReady = (state: State, workClass: WorkClass): boolean => readyJobs(state, workClass).next().done === false;

/** Returns whose turn it is: every `PATIENCE`th turn is for who waits longest, the others for whose statements take least. */
function nextJob(state: State, workClass: WorkClass): Job | null {
  const { turns, expected } = state;
  turns[workClass] += 1;
  const inTurn = turns[workClass] % PATIENCE === 0;
  let best: { readonly job: Job; readonly rank: number } | null = null;
  for (const job of readyJobs(state, workClass)) {
    if (inTurn) return job;
    const rank = expected.rank(job.turn);
    if (best === null || rank < best.rank) best = { job, rank };
  }
  return best?.job ?? null;
}

/** Starts what waits when it is no longer held back. */
function startLater(state: State): void {
  const ms = state.expected.heldBackFor();
  if (ms === 0 || state.timer) return;
  state.timer = setTimeout(() => {
    state.timer = null;
    startWaiting(state);
  }, Math.ceil(ms));
}
