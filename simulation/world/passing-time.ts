import { clearDeadTimers, hasTimers } from '../runtime/owner.ts';
import { restart, type World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Every task runs at these moments, such as the hours at which sessions begin. In production they run every few seconds. */
const ALL_TASKS_MS = HOUR;
/** The tasks that do what is due, by the column of `NEXT_DUE` that says when. */
const TASKS = {
  jobs: ['mail', 'alerts', 'payments', 'locks', 'images', 'texts', 'power', 'account-mails'].map(
    (name) => `worker ${name}`,
  ),
  holds: ['release expired holds', 'follow the wait list'],
  webhooks: ['handle stored webhooks'],
  reconciliation: ['reconcile payments'],
} as const;
type Cause = keyof typeof TASKS;
const CAUSES: readonly Cause[] = ['jobs', 'holds', 'webhooks', 'reconciliation'];
/** The pause before the tasks run again for something that they did not do, as while a provider is down. */
const OVERDUE_MS = 30 * SECOND;
/** How long the sandbox repeats a webhook that was not accepted. */
const REPEATS_MS = 90 * SECOND;
/** The longest time that the server stays down after it was killed. */
const DOWN_MAX_MS = 10 * MINUTE;

/** When the server has something to do next, by cause. */
const NEXT_DUE = `
select
  (select min(greatest(due_at, lease_until)) from private.outbox where done_at is null and closed_at is null) as jobs,
  (select min(hold_expires_at) from private.booking where status = 'pending') as holds,
  (select min(coalesce(next_try_at, received_at)) from private.webhook_inbox where handled_at is null) as webhooks,
  (select min(until) from private.lease where name = 'reconcile' and exists (
    select from private.payment where state in ('intent', 'open') and created_at > $1::timestamptz)) as reconciliation`;
type Due = Readonly<Record<Cause, Date | null>>;

/** Lets time pass until an instant, while the server does what becomes due. A killed server is started again meanwhile. */
export async function passUntil(world: World, end: number): Promise<void> {
  const { time } = world;
  let causes = CAUSES;
  while (time.now() < end) {
    await reviveServer(world);
    const isFull = time.now() % ALL_TASKS_MS === 0;
    await runTasks(world, isFull ? undefined : causes.flatMap((cause) => TASKS[cause]));
    await letRequestsEnd(world);
    const due = await readNextDue(world);
    const next = Math.min(
      end,
      (Math.floor(time.now() / ALL_TASKS_MS) + 1) * ALL_TASKS_MS,
      ...CAUSES.map((cause) => toFuture(time.now(), due?.[cause]?.getTime())),
    );
    if (next > time.now()) await time.jump(next - time.now());
    causes = CAUSES.filter((cause) => (due?.[cause]?.getTime() ?? next + 1) <= next);
    world.runSandbox();
    await time.settle();
  }
}

/** What is overdue is tried again after a pause. */
function toFuture(now: number, at: number | undefined): number {
  if (at === undefined) return Number.POSITIVE_INFINITY;
  return at > now ? at : now + OVERDUE_MS;
}

/** Starts the server again if it was killed. Sometimes the machine has lost power too, so that the database recovers from its files. */
async function reviveServer(world: World): Promise<void> {
  const { run, time, machine, random, counters } = world;
  if (run?.owner.isAlive === true) return;
  counters.count('server.killed');
  world.kills += 1;
  world.trace.add('server', 'killed');
  world.run = null;
  clearDeadTimers(world.clock);
  await time.advance(random.below(DOWN_MAX_MS));
  if (random.chance(0.2)) {
    counters.count('engine.crashed');
    await time.untilReal(machine.engine.crash());
  } else await time.until(machine.engine.forgetSession());
  await restart(world);
}

/** Runs one round of background tasks, unless the server is killed meanwhile. */
async function runTasks({ run, time }: World, names: readonly string[] | undefined): Promise<void> {
  if (run?.owner.isAlive !== true || names?.length === 0) return;
  await time.until(Promise.race([run.app.scheduler.run(names), run.owner.ended]));
}

/** Lets time pass second by second while requests are on their way, or webhooks are repeated. */
async function letRequestsEnd({ time, clock, machine }: World): Promise<void> {
  const end = time.now() + REPEATS_MS;
  await time.settle();
  while (time.now() < end && (machine.network.inFlight() > 0 || hasTimers(clock, 'sandbox')))
    await time.advance(SECOND);
}

/** Returns null if the server is down. */
async function readNextDue({ run, time }: World): Promise<Due | null> {
  if (run?.owner.isAlive !== true) return null;
  const row = run.app.db.queryRow<Due>(NEXT_DUE, [new Date(time.now() - HOUR)]).catch((error: unknown) => {
    if (run.owner.isAlive) throw error;
    return null;
  });
  return time.until(Promise.race([row, run.owner.ended.then(() => null)]));
}
