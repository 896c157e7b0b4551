import type { Caller, ReadCaller } from './caller.ts';

/** Thrown for a caller whose statements were stopped too often. No request of the caller runs until `retryAfter` has passed. */
export class CallerSuspended extends Error {
  override readonly name = 'CallerSuspended';
  /** Whole seconds until the caller may try again. */
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super('Too many of your requests took too long. Please try again later.');
    this.retryAfter = retryAfter;
  }
}

/** Returns the key of a caller for limits: the account, or the address of a guest or of a client with the service key. */
export function callerKey(caller: Pick<Caller, 'role' | 'userId' | 'ip'>): string {
  if (caller.userId !== null) return `user:${caller.userId}`;
  return caller.role === 'service_role' ? `service:${caller.ip}` : `ip:${caller.ip}`;
}

/**
 * Returns a reader of callers that throws `CallerSuspended` while a caller must wait. `wait` returns whole seconds or null. `note` is
 * called with each caller's key.
 */
export function refuseSuspended(
  readCaller: ReadCaller,
  wait: (key: string) => number | null,
  note: (key: string) => void = () => undefined,
): ReadCaller {
  return async (request, ip) => {
    const caller = await readCaller(request, ip);
    const key = callerKey(caller);
    note(key);
    const seconds = wait(key);
    if (seconds !== null) throw new CallerSuspended(seconds);
    return caller;
  };
}
