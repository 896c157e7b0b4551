import { createStopwatch, nextUrl, type Wait } from './client.ts';
import type { Servers } from './servers.ts';

/** Reads as pages do, at a steady rate. Each read goes to the next server, and is retried at another if one does not answer. */
export type Reads = {
  readonly done: number;
  readonly failed: readonly string[];
  /** Returns the longest time for which a client has had to retry a request since the last call of `slowest`. */
  slowest(): Wait;
  stop(): Promise<void>;
};

const AT_ONCE_MAX = 100;

export function startReads(servers: Servers, perSecond: number): Reads {
  const failed: string[] = [];
  const running = new Set<Promise<void>>();
  const { ask, slowest } = createStopwatch();
  let done = 0;
  async function read(at: number): Promise<void> {
    const room = servers.rooms[at % servers.rooms.length] ?? '';
    const path =
      at % 3 === 0
        ? 'studios?select=id,name&order=name&limit=20'
        : `bookings?select=start_time,end_time&studio_id=eq.${room}&limit=50`;
    const attempt = async (): Promise<void> => {
      const response = await fetch(`${nextUrl(servers)}/rest/v1/${path}`, {
        headers: { apikey: servers.anonKey },
        signal: AbortSignal.timeout(15_000),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      if (!Array.isArray(JSON.parse(text))) throw new Error(`${path}: ${text}`);
    };
    await ask(attempt);
    done += 1;
  }
  let begun = 0;
  const timer = setInterval(() => {
    if (running.size >= AT_ONCE_MAX) return;
    const attempt = read((begun += 1)).catch((error: unknown) => void failed.push(String(error)));
    running.add(attempt);
    void attempt.finally(() => running.delete(attempt));
  }, 1_000 / perSecond);
  return {
    get done() {
      return done;
    },
    failed,
    slowest,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
