import { AsyncLocalStorage } from 'node:async_hooks';
import type { FakeClock } from './globals.ts';

/** A part of the simulated world that can end, such as one run of the server. */
export type Owner = {
  readonly name: string;
  readonly isAlive: boolean;
  /** Resolves when the part ends. */
  readonly ended: Promise<void>;
  end(): void;
};

export function createOwner(name: string): Owner {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isAlive = true;
  return {
    name,
    get isAlive() {
      return isAlive;
    },
    ended: promise,
    end() {
      isAlive = false;
      resolve();
    },
  };
}

const current = new AsyncLocalStorage<Owner>();
const owners = new WeakMap<object, Owner>();

/** Runs `work` in the name of `owner`: its timers and requests end with it. */
export const runAs = <T>(owner: Owner, work: () => T): T => current.run(owner, work);

export const currentOwner = (): Owner | null => current.getStore() ?? null;

type Callback = (...args: unknown[]) => void;
type SetTimer = (callback: Callback, ...rest: unknown[]) => unknown;

/** Makes every timer keep its owner and its context, as real timers do. Call it once, after the timers were replaced. */
export function ownTimers(): void {
  for (const name of ['setTimeout', 'setInterval', 'setImmediate'] as const) {
    // Cast: the three functions have this form.
    const set = globalThis[name] as unknown as SetTimer;
    const owned: SetTimer = (callback, ...rest) => {
      const owner = currentOwner();
      const inContext = AsyncLocalStorage.snapshot();
      const run: Callback = (...args) => {
        if (owner?.isAlive !== false) inContext(callback, ...args);
      };
      if (owner) owners.set(run, owner);
      return set(run, ...rest);
    };
    Object.assign(globalThis, { [name]: owned });
  }
}

type Timer = { readonly id: number; readonly type: string; readonly func?: object };

/** Lists the timers that wait, with their owners. */
function ownedTimers(clock: FakeClock): { readonly id: number; readonly type: string; readonly owner: Owner }[] {
  // Cast: fake-timers keeps the callback in `func`.
  return ([...(clock.timerHeap?.timers ?? [])] as unknown as Timer[]).flatMap(({ id, type, func }) => {
    const owner = func && owners.get(func);
    return owner ? [{ id, type, owner }] : [];
  });
}

/** Removes the timers of owners that have ended. */
export function clearDeadTimers(clock: FakeClock): void {
  for (const { id, type, owner } of ownedTimers(clock)) {
    if (owner.isAlive) continue;
    if (type === 'Immediate') clock.clearImmediate(id as never);
    else clock.clearTimeout(id);
  }
}

/** Whether a timer of an owner with this name waits. */
export const hasTimers = (clock: FakeClock, name: string): boolean =>
  ownedTimers(clock).some(({ owner }) => owner.name === name);
