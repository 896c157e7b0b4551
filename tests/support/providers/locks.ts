import { createHash } from 'node:crypto';
import { ProviderError } from '#server/providers/call.ts';
import type { IssuedCode, LockCapabilities, Locks } from '#server/providers/ports.ts';

type NewCode = Parameters<Locks['issueCode']>[0];
/** A code that a lock stores. */
type LockCode = {
  readonly lockId: string;
  readonly pin: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  used: number;
};
/** Locks in memory, with the state that a test changes and inspects. */
export type FakeLocks = {
  readonly locks: Locks;
  /** Every request for a code, in order, including those that were refused. */
  readonly requests: NewCode[];
  /** The codes that the locks store: `lock:digits` → name. */
  readonly codes: ReadonlyMap<string, string>;
  /** Every requested removal: `lock:digits`. */
  readonly revoked: string[];
  /** Locks that were opened remotely. */
  readonly opened: string[];
  /** While it is set, the locks fail with this error. */
  fails: ProviderError | null;
  /** Runs during a request, before the lock answers. */
  duringRequest: () => Promise<unknown>;
  /** Stores the code of a request that got no answer because the lock was slow. */
  storeLate(input: NewCode): void;
  /** Enters digits at a keypad. Returns whether the door opens. A code for one use opens it once. */
  enter(lockId: string, pin: string): boolean;
};

const HOUR = 3_600_000;
const HOURLY_MAX_HOURS = 672;
const ONETIME_HOURS = 24;
const NAME_MAX = 32;

const refused = (reason: string): ProviderError => new ProviderError('igloohome', reason, { retryable: false });

/**
 * Creates locks in memory that check all their input. Behind a bridge, which is the default, they store chosen digits. Otherwise they
 * compute the digits from the lock, the hours and the variant: the same input always gives the same digits, as on real locks. `lockIds`:
 * the existing locks.
 */
export function createFakeLocks(
  clock: () => Date,
  lockIds: readonly string[],
  given: Partial<LockCapabilities> = {},
): FakeLocks {
  const bridged = (given.mode ?? 'bridge') === 'bridge';
  const capabilities: LockCapabilities = {
    mode: 'bridge',
    choosesDigits: bridged,
    remoteOpen: bridged,
    granularityMinutes: 1,
    singleUse: false,
    endEnforced: true,
    revocable: true,
    codesPerWindow: 20,
    storedCodes: 199,
    ...given,
  };
  const codes = new Map<string, LockCode>();
  const requireLock = (lockId: string): void => {
    if (!lockIds.includes(lockId)) throw refused('http_404');
  };
  const fake: FakeLocks = {
    requests: [],
    codes: createView(codes),
    revoked: [],
    opened: [],
    fails: null,
    duringRequest: () => Promise.resolve(),
    storeLate: (input) => void storeCode(codes, capabilities, input, clock()),
    enter: (lockId, pin) => enter(codes.get(`${lockId}:${pin}`), capabilities, clock()),
    locks: {
      provider: 'igloohome',
      revocableModes: ['bridge'],
      capabilities,
      async issueCode(input) {
        fake.requests.push(input);
        await fake.duringRequest();
        if (fake.fails) throw fake.fails;
        requireLock(input.lockId);
        return storeCode(codes, capabilities, input, clock());
      },
      async revokeCode({ lockId, pin }) {
        if (!capabilities.revocable) throw refused('not_supported');
        fake.revoked.push(`${lockId}:${pin}`);
        if (fake.fails) throw fake.fails;
        requireLock(lockId);
        if (!/^\d{4,10}$/.test(pin)) throw refused('http_400');
        // Removing a code that the lock does not store succeeds.
        codes.delete(`${lockId}:${pin}`);
      },
      async open({ lockId }) {
        if (!capabilities.remoteOpen) throw refused('not_supported');
        requireLock(lockId);
        fake.opened.push(lockId);
      },
      check: () =>
        Promise.resolve({ devices: lockIds.map((id) => ({ id, name: id, isLock: true, batteryPercent: 80 })) }),
      async readStatus({ lockId }) {
        requireLock(lockId);
        return { online: capabilities.remoteOpen ? true : null };
      },
    },
  };
  return fake;
}

/** Returns a read-only view of the names of the codes. */
const createView = (codes: ReadonlyMap<string, LockCode>): ReadonlyMap<string, string> =>
  new Proxy(new Map<string, string>(), {
    get(_target, property) {
      const names = new Map([...codes].map(([key, { name }]) => [key, name]));
      const value: unknown = Reflect.get(names, property);
      return typeof value === 'function' ? value.bind(names) : value;
    },
  });

function storeCode(
  codes: Map<string, LockCode>,
  capabilities: LockCapabilities,
  input: NewCode,
  now: Date,
): IssuedCode {
  const code = capabilities.choosesDigits ? readBridgeCode(input) : computeCode(capabilities, input);
  if (code.startsAt.getTime() < Math.floor(now.getTime() / HOUR) * HOUR || code.endsAt <= code.startsAt)
    throw refused('http_400');
  const key = `${code.lockId}:${code.pin}`;
  const before = codes.get(key);
  const isSame = before !== undefined && +before.startsAt === +code.startsAt && +before.endsAt === +code.endsAt;
  const live = [...codes.values()].filter(({ lockId, endsAt }) => lockId === code.lockId && endsAt > now);
  if (!isSame) {
    if (before !== undefined && before.endsAt > now) throw refused('http_400');
    if (live.length >= capabilities.storedCodes) throw refused('http_400');
    codes.set(key, code);
  }
  return { pin: code.pin, providerCodeId: capabilities.choosesDigits ? null : `code-${code.pin}` };
}

/** Reads a code with chosen digits, whose hours are exact to the minute. */
function readBridgeCode({ lockId, pin, accessName, startsAt, endsAt }: NewCode): LockCode {
  if (!/^\d{4,10}$/.test(pin) || accessName === '') throw refused('http_400');
  const toMinute = (at: Date): Date => new Date(Math.floor(at.getTime() / 60_000) * 60_000);
  return {
    lockId,
    pin,
    name: accessName.slice(0, NAME_MAX),
    startsAt: toMinute(startsAt),
    endsAt: toMinute(endsAt),
    used: 0,
  };
}

/** Computes a code whose digits follow from the lock, the hours and the variant. */
function computeCode({ mode, codesPerWindow }: LockCapabilities, input: NewCode): LockCode {
  const { lockId, accessName, variant } = input;
  if (!Number.isInteger(variant) || variant < 1 || variant > codesPerWindow || accessName === '')
    throw refused('http_400');
  const start = Math.floor(input.startsAt.getTime() / HOUR) * HOUR;
  const end = mode === 'onetime' ? start + ONETIME_HOURS * HOUR : Math.ceil(input.endsAt.getTime() / HOUR) * HOUR;
  if ((end - start) / HOUR > HOURLY_MAX_HOURS) throw refused('http_400');
  const digest = createHash('sha256').update(`${lockId}|${mode}|${start}|${end}|${variant}`).digest();
  const pin = String(100_000_000 + (digest.readUIntBE(0, 6) % 900_000_000));
  return {
    lockId,
    pin,
    name: accessName.slice(0, NAME_MAX),
    startsAt: new Date(start),
    endsAt: new Date(end),
    used: 0,
  };
}

function enter(code: LockCode | undefined, { mode }: LockCapabilities, now: Date): boolean {
  if (code === undefined || now < code.startsAt || now >= code.endsAt) return false;
  if (mode === 'onetime' && code.used > 0) return false;
  code.used += 1;
  return true;
}
