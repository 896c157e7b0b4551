/** What every stand-in shares: a clock that can be moved, faults on demand, and a log of all that came in. */

export type ProviderName = 'stripe' | 'igloohome' | 'plug' | 'mail';
export const providerNames: readonly ProviderName[] = ['stripe', 'igloohome', 'plug', 'mail'];

export type FaultKind = 'refuse' | 'hang' | 'status' | 'garbage' | 'fail_after' | 'duplicate' | 'reorder' | 'offline';
export const faultKinds: readonly FaultKind[] = [
  'refuse',
  'hang',
  'status',
  'garbage',
  'fail_after',
  'duplicate',
  'reorder',
  'offline',
];
export type Fault = {
  readonly provider: ProviderName;
  readonly kind: FaultKind;
  readonly status: number;
  left: number;
  until: number;
};

export type LoggedRequest = {
  readonly at: string;
  readonly provider: ProviderName;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: string;
};

export type Core = {
  /** The world's time: lock windows, session expiry. Signatures, Date headers and mails stay on real time. */
  now(): Date;
  advance(seconds: number): void;
  setNow(at: Date): void;
  /** Takes a fault for a provider if one of these kinds is armed. */
  takeFault(provider: ProviderName, kinds: readonly FaultKind[]): Fault | null;
  addFault(fault: Fault): void;
  clearFaults(): void;
  faults(): readonly Fault[];
  log(entry: LoggedRequest): void;
  requests(provider: string | null): readonly LoggedRequest[];
  /** Sends a webhook without making anybody wait: a few tries, twice or out of order when a fault says so. */
  deliver(provider: ProviderName, url: string, make: () => { body: string; headers: Record<string, string> }): void;
  close(): void;
};

const LOG_MAX = 2_000;
const TRIES_AFTER_MS = [0, 500, 2_000, 5_000, 10_000, 20_000, 30_000];

export function createCore(): Core {
  let shift = 0;
  let closed = false;
  const armed: Fault[] = [];
  const log: LoggedRequest[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const held = new Map<ProviderName, () => void>();

  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!closed) work();
    }, ms);
    timers.add(timer);
  };

  async function post(url: string, make: () => { body: string; headers: Record<string, string> }): Promise<boolean> {
    try {
      const { body, headers } = make();
      const response = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(10_000) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false; // nobody is listening yet; tried again
    }
  }
  function attempt(url: string, make: () => { body: string; headers: Record<string, string> }, round: number): void {
    const wait = TRIES_AFTER_MS[round];
    if (wait === undefined) return;
    later(wait, () => void post(url, make).then((arrived) => (arrived ? undefined : attempt(url, make, round + 1))));
  }

  const core: Core = {
    now: () => new Date(Date.now() + shift),
    advance: (seconds) => void (shift += seconds * 1000),
    setNow: (at) => void (shift = at.getTime() - Date.now()),
    takeFault(provider, kinds) {
      const found = armed.find(
        (fault) =>
          fault.provider === provider && kinds.includes(fault.kind) && fault.left > 0 && fault.until > Date.now(),
      );
      if (!found) return null;
      found.left -= 1;
      return found;
    },
    addFault: (fault) => void armed.push(fault),
    clearFaults: () => void (armed.length = 0),
    faults: () => armed.filter((fault) => fault.left > 0 && fault.until > Date.now()),
    log(entry) {
      log.push(entry);
      if (log.length > LOG_MAX) log.shift();
    },
    requests: (provider) => log.filter((entry) => provider === null || entry.provider === provider).toReversed(),
    deliver(provider, url, make) {
      const waiting = held.get(provider);
      if (!waiting && core.takeFault(provider, ['reorder'])) {
        held.set(provider, () => attempt(url, make, 0));
        later(3_000, () => {
          held.get(provider)?.();
          held.delete(provider);
        });
        return;
      }
      attempt(url, make, 0);
      if (core.takeFault(provider, ['duplicate'])) attempt(url, make, 1);
      if (waiting) {
        held.delete(provider);
        waiting();
      }
    },
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
  return core;
}
