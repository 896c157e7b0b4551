import { randomUUID } from 'node:crypto';
import type { Faults } from './faults.ts';
import type { ProviderName } from './provider.ts';

/** Makes the request anew for every try: signatures carry the time of the try. */
export type MakeWebhook = () => { body: string; headers: Record<string, string> };

export type Delivery = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly url: string;
  /** What it tells of, in the provider's words. */
  readonly type: string;
  state: 'waiting' | 'delivered' | 'failed';
  tries: number;
  /** The last answer; null: none came. */
  lastStatus: number | null;
  /** Real time of the last try. */
  lastAt: string | null;
};

export type Deliveries = {
  /** Sends without making anybody wait: a few tries, twice or out of order when a fault says so. `done` is called once, when it has arrived. */
  send(hook: { provider: ProviderName; url: string; type: string; make: MakeWebhook; done?: () => void }): void;
  /** Newest first. */
  list(provider: string | null): readonly Delivery[];
  /** Sends one again, as the provider's dashboard can; false: there is none with this id. */
  replay(id: string): boolean;
  clear(): void;
  close(): void;
};

const TRIES_AFTER_MS = [0, 500, 2_000, 5_000, 10_000, 20_000, 30_000];
const REORDER_MS = 3_000;
const ANSWER_MS = 10_000;
const KEPT = 500;

type Hook = { delivery: Delivery; make: MakeWebhook; done: () => void };

export function createDeliveries(faults: Faults): Deliveries {
  let hooks: Hook[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const held = new Map<ProviderName, () => void>();

  function later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  async function post(hook: Hook): Promise<boolean> {
    const { delivery } = hook;
    delivery.tries += 1;
    delivery.lastAt = new Date().toISOString();
    try {
      const { body, headers } = hook.make();
      const response = await fetch(delivery.url, {
        method: 'POST',
        body,
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      await response.arrayBuffer();
      delivery.lastStatus = response.status;
      return response.ok;
    } catch {
      delivery.lastStatus = null; // nobody is listening yet; tried again
      return false;
    }
  }

  /** One try after its wait, then the next round; the last one that fails is listed as failed. */
  function attempt(hook: Hook, round: number): void {
    const wait = TRIES_AFTER_MS[round];
    if (wait === undefined) {
      if (hook.delivery.state === 'waiting') hook.delivery.state = 'failed';
      return;
    }
    later(wait, () => {
      void post(hook).then((arrived) => {
        if (!arrived) return attempt(hook, round + 1);
        if (hook.delivery.state !== 'delivered') hook.done();
        hook.delivery.state = 'delivered';
      });
    });
  }

  return {
    send({ provider, url, type, make, done }) {
      const delivery: Delivery = {
        id: randomUUID(),
        provider,
        url,
        type,
        state: 'waiting',
        tries: 0,
        lastStatus: null,
        lastAt: null,
      };
      const hook: Hook = { delivery, make, done: done ?? ((): void => undefined) };
      hooks.unshift(hook);
      hooks.length = Math.min(hooks.length, KEPT);
      const waiting = held.get(provider);
      if (!waiting && faults.take(provider, ['reorder'])) {
        const release = (): void => {
          if (held.get(provider) !== release) return;
          held.delete(provider);
          attempt(hook, 0);
        };
        held.set(provider, release);
        later(REORDER_MS, release);
        return;
      }
      attempt(hook, 0);
      if (faults.take(provider, ['duplicate'])) attempt(hook, 1);
      // The one that was held back follows behind this one.
      if (waiting) later(300, waiting);
    },
    list: (provider) =>
      hooks.map((hook) => hook.delivery).filter((one) => provider === null || one.provider === provider),
    replay(id) {
      const hook = hooks.find((one) => one.delivery.id === id);
      if (!hook) return false;
      attempt(hook, 0);
      return true;
    },
    clear: () => void (hooks = []),
    close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
