import { deliverRealWork, hasRealWork } from './real-work.ts';
import { type FakeClock, real } from './globals.ts';

/** The time of the simulation. It stands still while anything can still happen at the present instant. */
export type VirtualTime = {
  now(): number;
  /** Runs everything that happens at the present instant. */
  settle(): Promise<void>;
  /** Waits for `work`. If it waits for time to pass, time passes. Throws if it has not ended after `limitMs`. */
  until<T>(work: Promise<T>, limitMs?: number): Promise<T>;
  /** Waits for `work` that needs real time, such as loading the engine, while time stands still. */
  untilReal<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass, timer by timer. */
  advance(milliseconds: number): Promise<void>;
  /** Lets time pass at once, as when a computer sleeps: each timer that would have run several times runs once, at the end. */
  jump(milliseconds: number): Promise<void>;
};

const LIMIT_MS = 600_000;

export function createVirtualTime(clock: FakeClock): VirtualTime {
  const turn = (): Promise<void> => new Promise((resolve) => void real.setImmediate(resolve));
  /** Returns the instant of the next timer, or null if there is none. */
  const nextTimer = (): number | null => clock.timerHeap?.peek()?.callAt ?? null;
  /** Does one step at the present instant. Returns false if there is none. */
  async function step(): Promise<boolean> {
    await turn();
    if (hasRealWork()) {
      deliverRealWork();
      return true;
    }
    const next = nextTimer();
    if (next === null || next > clock.now) return false;
    clock.next();
    return true;
  }
  async function settle(): Promise<void> {
    while (await step());
  }
  async function advance(milliseconds: number): Promise<void> {
    const end = clock.now + milliseconds;
    for (;;) {
      await settle();
      const next = nextTimer();
      if (next === null || next > end) break;
      clock.tick(next - clock.now);
    }
    clock.tick(end - clock.now);
    await settle();
  }
  return {
    now: () => clock.now,
    settle,
    advance,
    async until<T>(work: Promise<T>, limitMs = LIMIT_MS): Promise<T> {
      const end = clock.now + limitMs;
      let isDone = false;
      const note = (): void => void (isDone = true);
      work.then(note, note);
      for (;;) {
        const moved = await step();
        if (isDone) return work;
        if (moved) continue;
        const next = nextTimer();
        if (next === null || next > end) throw new Error('the simulation waits for something that never happens');
        clock.tick(Math.max(0, next - clock.now));
      }
    },
    async untilReal<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const note = (): void => void (isDone = true);
      work.then(note, note);
      while (!isDone) await step();
      return work;
    },
    async jump(milliseconds) {
      await settle();
      clock.jump(milliseconds);
      await settle();
    },
  };
}
