import { randomUUID } from 'node:crypto';
import type { Faults } from './faults.ts';
import type { ProviderName } from './provider.ts';

/** Builds the request. It is called for every attempt, because the signature contains the time of the attempt. */
export type MakeWebhook = () => { body: string; headers: Record<string, string> };

type Delivery = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly url: string;
  /** Event type, in the provider's words. */
  readonly type: string;
  state: 'waiting' | 'delivered' | 'failed';
  tries: number;
  /** Status of the last response, or null if no response came. */
  lastStatus: number | null;
  /** Time of the last attempt, in real time. */
  lastAt: string | null;
};

export type Deliveries = {
  /**
   * Sends a webhook in the background and retries it a few times. A fault can duplicate or reorder it. Calls `done` once, at the first
   * success.
   */
  send(webhook: { provider: ProviderName; url: string; type: string; make: MakeWebhook; done?: () => void }): void;
  /** Returns the deliveries, newest first. A null `provider` means all providers. */
  list(provider: string | null): readonly Delivery[];
  /** Sends a delivery again, as in the provider's dashboard. Returns false if the id is unknown. */
  replay(id: string): boolean;
  clear(): void;
  close(): void;
};

/** The delay of each attempt after the failure of the previous one. */
const TRY_AFTER_MS = [0, 500, 2_000, 5_000, 10_000, 20_000, 30_000];
/** How long a webhook is held back if no other webhook follows it. */
const REORDER_MS = 3_000;
/** The delay between the next webhook and the held one. */
const FOLLOW_MS = 300;
const RESPONSE_MS = 10_000;
const LIST_MAX = 500;

type Webhook = { readonly delivery: Delivery; readonly make: MakeWebhook; readonly done: () => void };

export function createDeliveries(faults: Faults): Deliveries {
  let webhooks: Webhook[] = [];
  const timers = createTimers();
  /** Functions that send the held webhook of each provider, which waits for the provider's next webhook. */
  const held = new Map<ProviderName, () => void>();

  /** Waits, makes one attempt, and schedules the next one if it fails. After the last attempt, the delivery counts as failed. */
  function attempt(webhook: Webhook, round: number): void {
    const { delivery } = webhook;
    const wait = TRY_AFTER_MS[round];
    if (wait === undefined) {
      if (delivery.state === 'waiting') delivery.state = 'failed';
      return;
    }
    timers.after(wait, () => {
      void post(webhook).then((arrived) => {
        if (!arrived) return attempt(webhook, round + 1);
        if (delivery.state !== 'delivered') webhook.done();
        delivery.state = 'delivered';
      });
    });
  }

  /** Holds a webhook back until the provider's next one has been sent. */
  function hold(provider: ProviderName, webhook: Webhook): void {
    const release = (): void => {
      if (held.get(provider) !== release) return;
      held.delete(provider);
      attempt(webhook, 0);
    };
    held.set(provider, release);
    timers.after(REORDER_MS, release);
  }

  return {
    send({ provider, url, type, make, done = () => undefined }) {
      const webhook: Webhook = { delivery: createDelivery(provider, url, type), make, done };
      webhooks = [webhook, ...webhooks].slice(0, LIST_MAX);
      const earlier = held.get(provider);
      if (!earlier && faults.take(provider, ['reorder'])) return hold(provider, webhook);
      attempt(webhook, 0);
      if (faults.take(provider, ['duplicate'])) attempt(webhook, 1);
      if (earlier) timers.after(FOLLOW_MS, earlier);
    },
    list: (provider) =>
      webhooks
        .map(({ delivery }) => delivery)
        .filter((delivery) => provider === null || delivery.provider === provider),
    replay(id) {
      const webhook = webhooks.find(({ delivery }) => delivery.id === id);
      if (!webhook) return false;
      attempt(webhook, 0);
      return true;
    },
    clear: () => void (webhooks = []),
    close: timers.clear,
  };
}

function createDelivery(provider: ProviderName, url: string, type: string): Delivery {
  return { id: randomUUID(), provider, url, type, state: 'waiting', tries: 0, lastStatus: null, lastAt: null };
}

/** Sends a webhook once. Returns whether the receiver answered with 2xx. */
async function post({ delivery, make }: Webhook): Promise<boolean> {
  delivery.tries += 1;
  delivery.lastAt = new Date().toISOString();
  try {
    const { body, headers } = make();
    const response = await fetch(delivery.url, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    await response.arrayBuffer();
    delivery.lastStatus = response.status;
    return response.ok;
  } catch {
    delivery.lastStatus = null; // the receiver is not listening; the webhook is tried again later
    return false;
  }
}

/** Creates timers that can be cancelled together. */
function createTimers(): { after(ms: number, work: () => void): void; clear(): void } {
  const timers = new Set<NodeJS.Timeout>();
  return {
    after(ms, work) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        work();
      }, ms);
      timers.add(timer);
    },
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
