import type { ProviderName } from './provider.ts';

export const faultKinds = [
  'refuse',
  'hang',
  'status',
  'garbage',
  'fail_after',
  'duplicate',
  'reorder',
  'offline',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export type Fault = {
  readonly provider: ProviderName;
  readonly kind: FaultKind;
  /** The status of the response to a `status` fault. */
  readonly status: number;
  /** Number of requests to which the fault still applies. */
  left: number;
  /** The time at which the fault ends, in milliseconds of real time. */
  until: number;
};

export type Faults = {
  /** Applies the oldest armed fault of these kinds once. Returns null if there is none. */
  take(provider: ProviderName, kinds: readonly FaultKind[]): Fault | null;
  add(fault: Fault): void;
  list(): readonly Fault[];
  clear(): void;
};

/** Keeps the armed faults. The oldest matching fault applies first. */
export function createFaults(): Faults {
  let armed: Fault[] = [];
  const list = (): readonly Fault[] => {
    armed = armed.filter((fault) => fault.left > 0 && fault.until > Date.now());
    return armed;
  };
  return {
    take(provider, kinds) {
      const found = list().find((fault) => fault.provider === provider && kinds.includes(fault.kind));
      if (!found) return null;
      found.left -= 1;
      return found;
    },
    add: (fault) => void armed.push(fault),
    list,
    clear: () => void (armed = []),
  };
}
