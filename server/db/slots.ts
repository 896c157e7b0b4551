import { DatabaseBusy } from './database.ts';
import { type ClassLimits, type DatabaseLoad, forEachClass, WORK_CLASSES, type WorkClass } from './work-class.ts';

/** Who waits for a slot. `caller`: callers of one class take turns. */
export type Turn = { readonly workClass: WorkClass; readonly caller: string };

/** Slots for statements: a connection each, or the one engine. */
export type Slots = {
  /** Runs `work` when it is this caller's turn. Throws `DatabaseBusy` when too many wait or the wait is too long. */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
  load(): DatabaseLoad;
  /** Whether nothing runs and nothing waits. */
  idle(): boolean;
};

/** One statement that waits. */
type Job = { readonly start: () => void; readonly refuse: () => void };
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
  readonly usage: Usage;
};

/** After this many turns of higher classes a waiting class gets one. */
const PATIENCE = 8;
/** The least time after which a refused caller should try again, in seconds. */
const RETRY_SECONDS = 1;

/**
 * Creates `total` slots. A free one goes to the highest class that waits and has slots of its share left; a class that was passed over
 * `PATIENCE` times goes first. Within a class the caller whose statements took least lately goes first, so that expensive statements do not
 * delay brief ones, and every `PATIENCE`th turn is for the one who waits longest. When too many of a class wait, the caller with the most waiting is refused.
 */
export function createSlots(total: number, limits: ClassLimits, now: () => number = () => performance.now()): Slots {
  const state: State = {
    total,
    limits,
    lanes: forEachClass(() => new Map<string, Job[]>()),
    running: { ...forEachClass(() => 0) },
    waiting: { ...forEachClass(() => 0) },
    refused: { ...forEachClass(() => 0) },
    passed: { ...forEachClass(() => 0) },
    turns: { ...forEachClass(() => 0) },
    usage: createUsage(now),
  };
  return {
    async run(turn, work) {
      const { workClass, caller } = turn;
      if (mayStart(state, workClass)) state.running[workClass] += 1;
      else await waitForTurn(state, turn);
      const began = now();
      try {
        return await work();
      } finally {
        state.usage.add(caller, now() - began);
        state.running[workClass] -= 1;
        startWaiting(state);
      }
    },
    load: () => forEachClass((workClass) => ({ waiting: state.waiting[workClass], refused: state.refused[workClass] })),
    idle: () => WORK_CLASSES.every((workClass) => state.running[workClass] + state.waiting[workClass] === 0),
  };
}

const sum = (counts: Readonly<Record<WorkClass, number>>): number =>
  WORK_CLASSES.reduce((all, workClass) => all + counts[workClass], 0);

function mayStart(state: State, workClass: WorkClass): boolean {
  return state.running[workClass] < state.limits[workClass].running && sum(state.running) < state.total;
}

/** Resolves when the statement has its slot. Throws `DatabaseBusy`. */
function waitForTurn(state: State, { workClass, caller }: Turn): Promise<void> {
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
    const ready = WORK_CLASSES.filter((one) => state.waiting[one] > 0 && mayStart(state, one));
    const workClass = ready.find((one) => state.passed[one] >= PATIENCE) ?? ready[0];
    if (workClass === undefined) return;
    for (const one of ready) state.passed[one] = one === workClass ? 0 : state.passed[one] + 1;
    const caller = nextCaller(state, workClass);
    const job = state.lanes[workClass].get(caller)?.[0];
    if (!job) return;
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

/** Returns whose turn it is: every `PATIENCE`th turn is for who waits longest, the others for whose statements take least. */
function nextCaller({ lanes, turns, usage }: State, workClass: WorkClass): string {
  turns[workClass] += 1;
  const callers = lanes[workClass].keys();
  const [longest = ''] = turns[workClass] % PATIENCE === 0 ? callers : [];
  return longest === '' ? usage.least(callers) : longest;
}

/** How long the statements of each caller took lately. */
type Usage = {
  add(caller: string, ms: number): void;
  /** The caller whose statements took least; the first of equals. */
  least(callers: Iterable<string>): string;
};

/** Callers whose statements differ by less than this take turns. */
const STEP_MS = 20;
/** After so many statements a caller is known, and may go before those who are not. */
const KNOWN = 10;
/** Where callers who are not known stand: behind those known for statements of less than `STEP_MS` times this. */
const UNKNOWN_STEPS = 2;
/** How much the newest statement counts beside those before it. */
const WEIGHT = 0.3;
const FORGET_MS = 60_000;
/** The most callers remembered; beyond that the one that was idle longest is dropped. */
const CALLERS_MAX = 10_000;

function createUsage(now: () => number): Usage {
  const known = new Map<string, { readonly ms: number; readonly count: number; readonly at: number }>();
  const of = (caller: string) => {
    const found = known.get(caller);
    return found && now() - found.at < FORGET_MS ? found : null;
  };
  const stepsOf = (caller: string): number => {
    const found = of(caller);
    if (!found) return UNKNOWN_STEPS;
    const steps = Math.floor(found.ms / STEP_MS);
    return found.count < KNOWN ? Math.max(UNKNOWN_STEPS, steps) : steps;
  };
  return {
    add(caller, ms) {
      const before = of(caller);
      const [oldest] = known.keys();
      known.delete(caller); // re-insert, so that the map is ordered by last use
      if (known.size >= CALLERS_MAX && oldest !== undefined) known.delete(oldest);
      const mean = before ? before.ms * (1 - WEIGHT) + ms * WEIGHT : ms;
      known.set(caller, { ms: mean, count: (before?.count ?? 0) + 1, at: now() });
    },
    least(callers) {
      let best: { readonly caller: string; readonly steps: number } | null = null;
      for (const caller of callers) {
        const steps = stepsOf(caller);
        if (best === null || steps < best.steps) best = { caller, steps };
      }
      return best?.caller ?? '';
    },
  };
}
