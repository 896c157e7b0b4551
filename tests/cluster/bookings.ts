import type { Servers } from './servers.ts';

/** Books at a steady rate, as clients that try again when a server does not answer, and remembers what was acknowledged. */
export type Bookings = {
  /** Ids of bookings whose hold was acknowledged. */
  readonly held: ReadonlySet<string>;
  /** Ids of bookings that were paid at the provider, and the session. */
  readonly paid: ReadonlyMap<string, string>;
  /** Requests that did not succeed however often they were tried, and why. */
  readonly failed: readonly string[];
  /** When holds succeeded, in milliseconds of `performance.now()`. */
  readonly successes: readonly number[];
  /** Bookings that could not begin in time, because those before them still waited. */
  readonly skipped: number;
  stop(): Promise<void>;
};

type Hold = { readonly bookingId: string; readonly url: string };

const HOUR_MS = 3_600_000;
const AT_ONCE_MAX = 60;
/** How long a client tries. */
const TRY_MS = 60_000;
const PAUSE_MS = 250;
const FIRST_DAY = 3;
const LAST_DAY = 80;

export function startBookings(servers: Servers, perSecond: number): Bookings {
  const held = new Set<string>();
  const paid = new Map<string, string>();
  const failed: string[] = [];
  const successes: number[] = [];
  const running = new Set<Promise<void>>();
  const counts = { begun: 0, skipped: 0 };
  const begin = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + FIRST_DAY * 24 * HOUR_MS;

  async function book(at: number): Promise<void> {
    const room = servers.rooms[at % servers.rooms.length] ?? '';
    const start = begin + Math.floor(at / servers.rooms.length) * HOUR_MS;
    if (start > begin + LAST_DAY * 24 * HOUR_MS) throw new Error('there are no more hours to book');
    const body = {
      metadata: {
        studioId: room,
        startTime: new Date(start).toISOString(),
        endTime: new Date(start + HOUR_MS).toISOString(),
        couponCode: null,
        termsAccepted: true,
      },
    };
    const token = servers.tokens[at % servers.tokens.length] ?? '';
    const hold = await persistently(() => post<Hold>(servers, at, 'create-payment', token, body));
    successes.push(performance.now());
    held.add(hold.bookingId);
    const session = /cs_[A-Za-z0-9_]+/.exec(hold.url)?.[0] ?? '';
    await persistently(() => payAt(servers.sandboxUrl, session));
    paid.set(hold.bookingId, session);
  }

  const timer = setInterval(() => {
    if (running.size >= AT_ONCE_MAX) return void (counts.skipped += 1);
    const one = book((counts.begun += 1)).catch((error: unknown) => void failed.push(String(error)));
    running.add(one);
    void one.finally(() => running.delete(one));
  }, 1_000 / perSecond);

  return {
    held,
    paid,
    failed,
    successes,
    get skipped() {
      return counts.skipped;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** An answer that another try does not change. */
export class Refused extends Error {}

/** Tries again while nobody answers, or the answer is that the server is busy. */
export async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + TRY_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Refused || performance.now() > end) throw error;
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  }
}

let turn = 0;

/** Calls a function of the next server. */
async function post<T>(servers: Servers, at: number, name: string, token: string, body: unknown): Promise<T> {
  const url = servers.urls[(turn += 1) % servers.urls.length] ?? '';
  const response = await fetch(`${url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { apikey: servers.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  });
  const text = await response.text();
  // 202: the payment provider has not answered yet; the same call again asks for the same hold.
  if (response.status >= 500 || response.status === 202) throw new Error(`${name} ${at}: ${response.status} ${text}`);
  if (response.status !== 200) throw new Refused(`${name} ${at}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

async function payAt(sandboxUrl: string, session: string): Promise<void> {
  const response = await fetch(`${sandboxUrl}/api/payments/${session}`, {
    method: 'POST',
    body: JSON.stringify({ outcome: 'paid' }),
    headers: { 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`payment of ${session}: ${response.status} ${await response.text()}`);
}
