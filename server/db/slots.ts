import { DatabaseBusy } from './database.ts';
import { createExpectedTime, type ExpectedTime, type Turn } from './expected-time.ts';
import { type ClassLimits, type DatabaseLoad, forEachClass, WORK_CLASSES, type WorkClass } from './work-class.ts';

/** Slots for statements. On PostgreSQL each slot is a connection; the embedded engine is a single slot. */
export type Slots = {
  /**
   * Runs `work` when it is this caller's turn. Throws `DatabaseBusy` if too many statements wait or the wait is too long. `work` may report
   * that it did the work of several turns, so that their shared duration is divided among them; 0: another turn did its work.
   */
  run<T>(turn: Turn, work: (takesAlong: (turns: number) => void) => Promise<T>): Promise<T>;
  load(): DatabaseLoad;
  /** Whether no statement runs and none waits. */
  idle(): boolean;
};

/** One waiting statement. */
type Job = { readonly turn: Turn; readonly start: () => void; readonly refuse: () => void };
/** The waiting statements of one class, by caller. */
type Lanes = Map<string, Job[]>;
type State = {
  readonly total: number;
  readonly limits: ClassLimits;
  readonly lanes: Readonly<Record<WorkClass, Lanes>>;
  readonly running: Record<WorkClass, number>;
  readonly waiting: Record<WorkClass, number>;
  readonly refused: Record<WorkClass, number>;
  /** How many times a class was passed over while it waited. */
  readonly passed: Record<WorkClass, number>;
  /** The number of turns of each class that had to wait. */
  readonly turns: Record<WorkClass, number>;
  readonly expected: ExpectedTime;
  /** Starts the statements that were held back. */
  timer: NodeJS.Timeout | null;
};

/** After this many turns of higher classes, a waiting class gets a turn. */
const PATIENCE = 8;
/** The minimum time after which a refused caller should try again, in seconds. */
const RETRY_SECONDS = 1;

/**
 * Creates `total` slots. A free slot goes to the highest waiting class that has slots of its share left; a class that was passed over
 * `PATIENCE` times goes first. Within a class, the caller with the shortest expected statement goes first, so that expensive statements do
 * not delay brief ones, and every `PATIENCE`th turn goes to the caller that has waited longest. If too many statements of a class wait, the
 * caller with the most waiting statements is refused. `longMs`: see `createExpectedTime`.
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

/**
 * Refuses the newest statement of the caller with the most waiting statements if that caller has more of them than `caller`. Returns
 * whether it did.
 */
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

/** Gives free slots to waiting statements. */
function startWaiting(state: State): void {
  while (sum(state.waiting) > 0) {
    const job = nextJob(state);
    if (!job) return startLater(state);
    const { workClass, caller } = job.turn;
    remove(state, workClass, caller, job);
    state.running[workClass] += 1;
    // The caller's other statements go behind those of callers with the same rank.
    const lane = state.lanes[workClass].get(caller);
    if (lane) {
      state.lanes[workClass].delete(caller);
      state.lanes[workClass].set(caller, lane);
    }
    job.start();
  }
}

/** Returns the waiting statement whose turn it is, or null if none of them may start now. */
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
 * Returns the next statement of a class, or null if none of them may start now. Considers only the first statement of each caller. Every
 * `PATIENCE`th turn goes to the caller that has waited longest, the others to the shortest expected statement.
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

/** Schedules the start of waiting statements for when they are no longer held back. */
function startLater(state: State): void {
  const ms = state.expected.heldBackFor();
  if (ms === 0 || state.timer) return;
  state.timer = setTimeout(() => {
    state.timer = null;
    startWaiting(state);
  }, Math.ceil(ms));
}
