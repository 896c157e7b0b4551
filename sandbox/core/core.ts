import { type Clock, createClock } from './clock.ts';
import { createDeliveries, type Deliveries, type MakeWebhook } from './deliveries.ts';
import { createFaults, type Fault, type FaultKind, type Faults } from './faults.ts';
import type { ProviderName } from './provider.ts';
import { createRequests, type LoggedRequest, type Requests } from './requests.ts';
import { createState, type State } from './state.ts';

/** The services that all simulated providers share. */
export type Core = {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly deliveries: Deliveries;
  readonly state: State;
  /** Base address of the server; webhook paths are appended to it. */
  readonly webhookTarget: string;
  /** Returns the public address of a provider, whose port is the home port plus this offset. */
  getUrl(offset: number): string;
  /**
   * Returns sandbox time, which applies to lock windows and to the expiry of sessions and tokens. Signatures, Date headers and mails use
   * real time.
   */
  now(): Date;
  takeFault(provider: ProviderName, kinds: readonly FaultKind[]): Fault | null;
  log(entry: LoggedRequest): void;
  deliver(provider: ProviderName, url: string, make: MakeWebhook, type?: string): void;
  close(): void;
};

export type CoreOptions = {
  /** The port of the home page. */
  readonly port: number;
  readonly webhookTarget: string;
  /** File for the state that survives a restart. With null no state is kept. */
  readonly stateFile: string | null;
};

export function createCore(options: CoreOptions): Core {
  const clock = createClock();
  const faults = createFaults();
  const requests = createRequests();
  const deliveries = createDeliveries(faults);
  const state = createState(options.stateFile);
  return {
    clock,
    faults,
    requests,
    deliveries,
    state,
    webhookTarget: options.webhookTarget.replace(/\/$/, ''),
    getUrl: (offset) => `http://localhost:${options.port + offset}`,
    now: () => clock.now(),
    takeFault: (provider, kinds) => faults.take(provider, kinds),
    log: (entry) => requests.log(entry),
    deliver: (provider, url, make, type = 'event') => deliveries.send({ provider, url, type, make }),
    close() {
      deliveries.close();
      state.flush();
    },
  };
}
