import { randomUUID } from 'node:crypto';
import type { Faults } from './faults.ts';
import type { ProviderName } from './provider.ts';

/** Builds the request again for every try, because its signature contains the time of the try. */
export type MakeWebhook = () => { body: string; headers: Record<string, string> };

export type Delivery = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly url: string;
  /** Event type, in the provider's words. */
  readonly type: string;
  state: 'waiting' | 'delivered' | 'failed';
  tries: number;
  /** Status of the last answer; null when none came. */
  lastStatus: number | null;
  /** Real time of the last try. */
  lastAt: string | null;
};

export type Deliveries = {
  /** Sends in the background with a few retries; a fault can duplicate or reorder it. Calls `done` once, on the first success. */
  send(hook: { provider: ProviderName; url: string; type: string; make: MakeWebhook; done?: () => void }): void;
  /** Newest first. */
  list(provider: string | null): readonly Delivery[];
  /** Sends a delivery again, as the provider's dashboard can; false when the id is unknown. */
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
      delivery.lastStatus = null; // nothing is listening yet; tried again later
      return false;
    }
  }

  /** Waits, tries once, and schedules the next round on failure. After the last round the delivery is failed. */
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
      // The webhook that was held back follows this one.
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
