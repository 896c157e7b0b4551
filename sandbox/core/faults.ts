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
  /** The status that a `status` fault answers with. */
  readonly status: number;
  /** How many more requests it applies to. */
  left: number;
  /** When it ends, in milliseconds of real time. */
  until: number;
};

export type Faults = {
  /** Uses up the oldest armed fault of these kinds; null when there is none. */
  take(provider: ProviderName, kinds: readonly FaultKind[]): Fault | null;
  add(fault: Fault): void;
  list(): readonly Fault[];
  clear(): void;
};

/** Keeps the armed faults; the oldest matching one applies first. */
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
