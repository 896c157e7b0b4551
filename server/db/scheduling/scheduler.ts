import { DatabaseBusy, type Result } from '../database.ts';
import type { Statement } from '../pipeline.ts';
import { type ClassLimits, type DatabaseLoad, forEachClass, WORK_CLASSES, type WorkClass } from '../work-class.ts';
import { type CallerTransaction, ownText, type Send, sendBatch } from './batches.ts';
import { createEstimates, type Estimates } from './estimates.ts';
import { createQueue, type Queue } from './queue.ts';
import type { Ticket } from './ticket.ts';

/**
 * Decides which statement runs next on the connections of one login, or on the single connection of the embedded engine.
 *
 * The problem: many callers share a few connections. Without an order, a guest with expensive reads delays a customer who is paying, and a
 * caller with many requests delays those with one. Each message to the database also has a fixed cost, which exceeds that of a brief
 * statement.
 *
 * The steps of a job:
 * 1. It arrives and waits. If too many of its class wait, the newest job of the caller with the most waiting jobs is refused (load
 *    shedding), which may be this one.
 * 2. Slots are assigned: at once, or at the end of the event loop's turn, so that jobs that arrive together can share a message. A free
 *    slot goes to the job that `Queue` chooses.
 * 3. A brief transaction of a caller is sent together with the brief transactions of its class that have waited longest (batching). They
 *    leave the queue and do not need a slot.
 * 4. The batch is sent. Each transaction gets its own outcome, and the slot is free again when all have theirs.
 *
 * A job is `waiting`, then `running`, then settled; or it is refused while it waits. The invariants, which `scheduler-model.test.ts` checks
 * with random interleavings:
 * - A job starts at most once and settles exactly once, with its own outcome.
 * - At most `slots` batches run, and no class exceeds its limit.
 * - Every slot becomes free again, even after errors and lost connections.
 * - A batch holds transactions of one class and one `Send` only.
 */
export type Scheduler = {
  /** Runs `work` in its turn, alone in its slot. Throws `DatabaseBusy` if it is refused, or what `work` throws. */
  run<T>(ticket: Ticket, work: () => Promise<T>): Promise<T>;
  /** Returns a function that runs callers' transactions, up to `most` of them in one call of `send`. */
  batching(most: number, send: Send): RunTransaction;
  load(): DatabaseLoad;
  /** Whether no job runs and none waits. */
  idle(): boolean;
};

/**
 * Runs a transaction of a caller in its turn and returns the result of its last statement, which is the caller's own. `started` is called
 * before it is sent. Throws `DatabaseBusy` if it is refused, and `DatabaseError`.
 */
export type RunTransaction = (
  ticket: Ticket,
  statements: readonly Statement[],
  started?: () => void,
) => Promise<Result>;

export type SchedulerOptions = {
  readonly slots: number;
  readonly limits: ClassLimits;
  /** See `createEstimates`. */
  readonly longMs?: number | null;
  /** Resolves at the end of the event loop's turn. If it is null, slots are assigned at once. */
  readonly endOfTurn?: (() => Promise<void>) | null;
  readonly now?: () => number;
};

/** Transactions that may share a call of `send`. */
type Batching = {
  readonly most: number;
  readonly send: Send;
  /** The waiting transactions of each class, in the order of their arrival. */
  readonly waiting: Readonly<Record<WorkClass, Set<Job>>>;
};

type Job = {
  readonly ticket: Ticket;
  /**
   * Runs the job together with its companions. Never rejects. Resolves with a function that settles the jobs that are not settled yet. The
   * function is called once the slot is free again, so that a caller's next statement can use the slot.
   */
  readonly start: (companions: readonly Job[]) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
  /** Which jobs may be sent with this one; null if it runs alone. */
  readonly batching: Batching | null;
  readonly transaction: CallerTransaction | null;
  state: 'waiting' | 'running' | 'refused';
  /** Refuses the job when it has waited too long. */
  timer: NodeJS.Timeout | null;
};

type State = {
  readonly slots: number;
  readonly limits: ClassLimits;
  readonly now: () => number;
  readonly endOfTurn: (() => Promise<void>) | null;
  readonly estimates: Estimates;
  readonly queue: Queue<Job>;
  readonly running: Record<WorkClass, number>;
  readonly refused: Record<WorkClass, number>;
  /** Jobs that have had no opportunity to start yet. */
  arrived: Job[];
  /** Whether slots will be assigned at the end of this turn of the event loop. */
  assigning: boolean;
  /** Assigns slots when jobs are no longer held back. */
  timer: NodeJS.Timeout | null;
};

/** The minimum time after which a refused caller should try again, in seconds. */
const RETRY_SECONDS = 1;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { slots, limits, longMs = null, endOfTurn = null, now = () => performance.now() } = options;
  const estimates = createEstimates(now, longMs);
  const state: State = {
    slots,
    limits,
    now,
    endOfTurn,
    estimates,
    queue: createQueue<Job>(estimates),
    running: { ...forEachClass(() => 0) },
    refused: { ...forEachClass(() => 0) },
    arrived: [],
    assigning: false,
    timer: null,
  };
  return {
    run: (ticket, work) => runAlone(state, ticket, work),
    batching(most, send) {
      const batching = { most, send, waiting: forEachClass(() => new Set<Job>()) };
      return (ticket, statements, started) => runInBatch(state, batching, { ticket, statements, started });
    },
    load: () =>
      forEachClass((workClass) => ({ waiting: state.queue.waiting(workClass), refused: state.refused[workClass] })),
    idle: () => WORK_CLASSES.every((workClass) => state.running[workClass] + state.queue.waiting(workClass) === 0),
  };
}

function runAlone<T>(state: State, ticket: Ticket, work: () => Promise<T>): Promise<T> {
  const { estimates, now } = state;
  return new Promise((resolve, reject) => {
    const start = async (): Promise<() => void> => {
      const began = now();
      try {
        const value = await work();
        return () => resolve(value);
      } catch (error) {
        return () => reject(error);
      } finally {
        if (ticket.text !== undefined) estimates.addStatement(ticket.text, now() - began, true);
      }
    };
    enqueue(state, { ticket, start, reject, batching: null, transaction: null, state: 'waiting', timer: null });
  });
}

/** Runs a transaction, with others if its statement has been brief so far. */
function runInBatch(
  state: State,
  batching: Batching,
  { ticket, statements, started }: { ticket: Ticket } & Pick<CallerTransaction, 'statements' | 'started'>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const transaction = { statements, started, resolve, reject };
    const isBrief = state.estimates.isBrief(ownText(statements));
    const start = async (companions: readonly Job[]): Promise<() => void> => {
      const others = companions.flatMap((companion) => companion.transaction ?? []);
      await sendBatch([transaction, ...others], batching.send, state);
      return () => undefined;
    };
    const job: Job = {
      ticket,
      start,
      reject,
      batching: isBrief ? batching : null,
      transaction,
      state: 'waiting',
      timer: null,
    };
    job.batching?.waiting[ticket.workClass].add(job);
    enqueue(state, job);
  });
}

function enqueue(state: State, job: Job): void {
  const { queue, limits, arrived } = state;
  const { workClass, caller } = job.ticket;
  const isFirst = isQueueEmpty(state);
  if (queue.waiting(workClass) >= limits[workClass].waiting) {
    const surplus = queue.findSurplus(workClass, caller);
    refuse(state, surplus ?? job);
    if (!surplus) return;
  }
  queue.add(job);
  arrived.push(job);
  // Waiting for the end of the turn lets other jobs join a batch, so a job that runs alone need not wait for it.
  if (isFirst && job.batching === null) assign(state);
  else assignSoon(state);
}

const isQueueEmpty = ({ queue }: State): boolean => WORK_CLASSES.every((workClass) => queue.waiting(workClass) === 0);

function refuse(state: State, job: Job): void {
  leaveQueue(state, job);
  job.state = 'refused';
  state.refused[job.ticket.workClass] += 1;
  job.reject(new DatabaseBusy(RETRY_SECONDS));
}

function leaveQueue({ queue }: State, job: Job): void {
  queue.remove(job);
  job.batching?.waiting[job.ticket.workClass].delete(job);
  if (job.timer) clearTimeout(job.timer);
}

function assignSoon(state: State): void {
  if (!state.endOfTurn) return assign(state);
  if (state.assigning) return;
  state.assigning = true;
  void state.endOfTurn().then(() => assign(state));
}

/** Gives free slots to waiting jobs. */
function assign(state: State): void {
  const { queue, limits } = state;
  const hasSlot = (workClass: WorkClass): boolean => hasFreeSlot(state, workClass);
  state.assigning = false;
  for (let job = queue.takeNext(hasSlot); job; job = queue.takeNext(hasSlot)) void start(state, job);
  const { arrived } = state;
  state.arrived = [];
  for (const job of arrived)
    if (job.state === 'waiting') job.timer = setTimeout(() => refuse(state, job), limits[job.ticket.workClass].waitMs);
  assignWhenNotHeldBack(state);
}

const hasFreeSlot = ({ running, limits, slots }: State, workClass: WorkClass): boolean =>
  running[workClass] < limits[workClass].running && WORK_CLASSES.reduce((sum, name) => sum + running[name], 0) < slots;

/** Runs a job that has its slot, and frees the slot. */
async function start(state: State, leader: Job): Promise<void> {
  const { queue, running, estimates, now } = state;
  const { workClass, caller } = leader.ticket;
  leaveQueue(state, leader);
  const companions = takeCompanions(state, leader);
  for (const job of [leader, ...companions]) job.state = 'running';
  running[workClass] += 1;
  const began = now();
  const settle = await leader.start(companions);
  estimates.addWork(leader.ticket, (now() - began) / (1 + companions.length), queue.othersWait(caller));
  running[workClass] -= 1;
  assignSoon(state);
  settle();
}

/** Takes jobs of the same class out of the queue that may be sent with this one. */
function takeCompanions(state: State, { batching, ticket }: Job): Job[] {
  const companions = [...(batching?.waiting[ticket.workClass] ?? [])].slice(0, (batching?.most ?? 1) - 1);
  for (const companion of companions) leaveQueue(state, companion);
  return companions;
}

/** Assigns slots when jobs are no longer held back. */
function assignWhenNotHeldBack(state: State): void {
  const ms = state.estimates.heldBackMs();
  if (ms === 0 || state.timer || isQueueEmpty(state)) return;
  state.timer = setTimeout(() => {
    state.timer = null;
    assign(state);
  }, Math.ceil(ms));
}
