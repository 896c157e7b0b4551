import { createStopwatch, payAt, persistently, post, type Wait } from './client.ts';
import type { Servers } from './servers.ts';

/** Makes bookings at a steady rate, retries when a server does not answer, and records what was acknowledged. */
export type Bookings = {
  /** Ids of bookings whose hold was acknowledged, in the order of acknowledgement. */
  readonly held: readonly string[];
  /** Ids of bookings that were paid at the provider, with the payment session. */
  readonly paid: ReadonlyMap<string, string>;
  /**
   * Ids of paid bookings that a client then cancelled, and whether the cancellation was acknowledged. A cancellation that was not
   * acknowledged may still have succeeded.
   */
  readonly cancelled: ReadonlyMap<string, boolean>;
  /** Requests that failed despite all retries, with the reason. */
  readonly failed: readonly string[];
  /** Times at which holds succeeded, in milliseconds of `performance.now()`. */
  readonly successes: readonly number[];
  /** Number of bookings that could not begin on time, because earlier ones were still waiting. */
  readonly skipped: number;
  /** Returns the longest time for which a client has had to retry a request since the last call of `slowest`. */
  slowest(): Wait;
  stop(): Promise<void>;
};

export type BookingLoad = {
  readonly perSecond: number;
  /** One of this many bookings is cancelled, so that its money is refunded. 0 cancels none. */
  readonly cancelEvery?: number;
};

type Hold = { readonly bookingId: string; readonly url: string };

const HOUR_MS = 3_600_000;
const AT_ONCE_MAX = 60;
const FIRST_DAY = 3;
const LAST_DAY = 80;
/** Number of hours in one room that bookings can take. */
const HOURS_OF_ROOM = (LAST_DAY - FIRST_DAY) * 24;

/** Returns how many rooms this many bookings need. */
export const roomsFor = (bookings: number): number => Math.max(60, Math.ceil(bookings / HOURS_OF_ROOM) + 1);

const toMessage = (error: unknown): string => String(error);

export function startBookings(servers: Servers, { perSecond, cancelEvery = 0 }: BookingLoad): Bookings {
  const held: string[] = [];
  const paid = new Map<string, string>();
  const cancelled = new Map<string, boolean>();
  const failed: string[] = [];
  const successes: number[] = [];
  const running = new Set<Promise<void>>();
  const counts = { begun: 0, skipped: 0 };
  const { ask, slowest } = createStopwatch();
  const begin = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + FIRST_DAY * 24 * HOUR_MS;

  async function book(at: number): Promise<void> {
    const start = begin + Math.floor(at / servers.rooms.length) * HOUR_MS;
    if (start > begin + HOURS_OF_ROOM * HOUR_MS) throw new Error('there are no more hours to book');
    const metadata = {
      studioId: servers.rooms[at % servers.rooms.length],
      startTime: new Date(start).toISOString(),
      endTime: new Date(start + HOUR_MS).toISOString(),
      couponCode: null,
      termsAccepted: true,
    };
    const token = servers.tokens[at % servers.tokens.length] ?? '';
    const { bookingId, url } = await ask(() =>
      post<Hold>(servers, { name: 'create-payment', token, body: { metadata } }),
    );
    successes.push(performance.now());
    held.push(bookingId);
    const session = /cs_[A-Za-z0-9_]+/.exec(url)?.[0] ?? '';
    await ask(() => payAt(servers.sandboxUrl, session));
    paid.set(bookingId, session);
    if (cancelEvery === 0 || at % cancelEvery !== 0) return;
    cancelled.set(bookingId, false);
    // The booking is not confirmed until its payment has arrived.
    const call = { name: 'cancel-booking', token, body: { bookingId }, wait: 'not_confirmed' };
    const problem = await persistently(() => post(servers, call)).then(() => null, toMessage);
    // `already_done`: an earlier try succeeded, but its answer was lost.
    if (problem === null || problem.includes('already_done')) cancelled.set(bookingId, true);
    else if (!problem.includes('not_confirmed')) throw new Error(problem);
  }

  const timer = setInterval(() => {
    if (running.size >= AT_ONCE_MAX) return void (counts.skipped += 1);
    const attempt = book((counts.begun += 1)).catch((error: unknown) => void failed.push(String(error)));
    running.add(attempt);
    void attempt.finally(() => running.delete(attempt));
  }, 1_000 / perSecond);

  return {
    held,
    paid,
    cancelled,
    failed,
    successes,
    get skipped() {
      return counts.skipped;
    },
    slowest,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
