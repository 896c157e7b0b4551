/** The queue of an engine that runs one statement at a time. */
export type FairQueue = {
  /** Runs `work` when it is this lane's turn and nothing else runs; returns its result. */
  take<T>(lane: string, work: () => Promise<T>): Promise<T>;
  /** Whether nothing runs and nothing waits. */
  idle(): boolean;
};

/** The lane of the server's own work. */
export const SERVER_LANE = '';

type Job = () => Promise<unknown>;

/**
 * Creates a fair queue: the server and the callers alternate, and callers take turns with each other, so that a caller with many requests
 * delays another by only one of them. Within a lane the order is kept.
 */
export function createFairQueue(): FairQueue {
  const lanes = new Map<string, Job[]>();
  let running = false;
  let serverWasLast = false;

  function pick(): Job | null {
    const server = lanes.get(SERVER_LANE);
    if (server && (!serverWasLast || lanes.size === 1)) return shift(SERVER_LANE, server);
    // The map is ordered by turn: a lane moves to the end after its turn.
    for (const [lane, jobs] of lanes) if (lane !== SERVER_LANE) return shift(lane, jobs);
    return null;
  }

  function shift(lane: string, jobs: Job[]): Job | null {
    serverWasLast = lane === SERVER_LANE;
    const job = jobs.shift() ?? null;
    lanes.delete(lane);
    if (jobs.length > 0) lanes.set(lane, jobs);
    return job;
  }

  async function run(): Promise<void> {
    running = true;
    // A job never rejects: `take` passes its outcome to the caller.
    for (let job = pick(); job; job = pick()) await job();
    running = false;
  }

  return {
    take<T>(lane: string, work: () => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const job = (): Promise<void> => work().then(resolve, reject);
        const jobs = lanes.get(lane);
        if (jobs) jobs.push(job);
        else lanes.set(lane, [job]);
        if (!running) void run();
      });
    },
    idle: () => !running && lanes.size === 0,
  };
}
