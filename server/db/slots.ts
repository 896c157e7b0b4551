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

const sum = ({ urgent, staff, customer, server, guest }: Readonly<Record<WorkClass, number>>): number =>
  urgent + staff + customer + server + guest;

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
  const lane = state.lanes[workClass].get(caller) ?? [];
  lane.splice(lane.indexOf(job), 1);
  if (lane.length === 0) state.lanes[workClass].delete(caller);
  state.waiting[workClass] -= 1;
}

/** Gives free slots to those who wait. */
function startWaiting(state: State): void {
  while (sum(state.waiting) > 0) {
    const job = nextJob(state);
    if (!job) return startLater(state);
    const { workClass, caller } = job.turn;
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

/** Returns whose turn it is of all who wait, or null when none of them may start now. */
function nextJob(state: State): Job | null {
  let highest: Job | null = null;
  let patient: Job | null = null;
  for (const workClass of WORK_CLASSES) {
    if (state.waiting[workClass] === 0 || !mayStart(state, workClass)) continue;
    const job = nextOfClass(state, workClass);
    if (job === null) continue;
    highest ??= job;
    if (state.passed[workClass] >= PATIENCE) patient ??= job;
    state.passed[workClass] += 1;
  }
  const job = patient ?? highest;
  if (job) {
    state.passed[job.turn.workClass] = 0;
    state.turns[job.turn.workClass] += 1;
  }
  return job;
}

/**
 * Returns who of a class is next; null when none of them may start now. Only the first statement of each caller is considered. Every
 * `PATIENCE`th turn is for who waits longest, the others for whose statements take least.
 */
function nextOfClass({ lanes, expected, turns }: State, workClass: WorkClass): Job | null {
  const inTurn = turns[workClass] % PATIENCE === PATIENCE - 1;
  let best: Job | null = null;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const [job] of lanes[workClass].values()) {
    if (!job || expected.isHeldBack(job.turn)) continue;
    if (inTurn) return job;
    const rank = expected.rank(job.turn);
    if (rank >= bestRank) continue;
    best = job;
    bestRank = rank;
  }
  return best;
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
