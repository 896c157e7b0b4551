import type { Clock } from '../caller.ts';

/** A part of the service as customers see it. Resolves to false, or rejects, while it does not work. */
export type StatusPart = { readonly name: string; readonly works: () => Promise<boolean> };
/** `stop` ends the regular checks. */
type Status = { readonly read: () => Promise<readonly PartState[]>; readonly stop: () => void };

const EVERY_MS = 15_000;

/** `since`: when the part entered this state, or when this process started. */
export type PartState = {
  readonly name: string;
  readonly state: 'working' | 'disturbed';
  readonly since: Date;
};

/**
 * Returns the reader for /status.json. Times are kept in memory, so that it answers without a database. The parts are checked every 15
 * seconds, so that the times are accurate when they are read.
 */
export function createStatus(parts: readonly StatusPart[], clock: Clock): Status {
  const began = clock();
  const last = new Map<string, PartState>();
  const readState = async ({ name, works }: StatusPart): Promise<PartState> => {
    const state: PartState['state'] = (await works().catch(() => false)) ? 'working' : 'disturbed';
    const before = last.get(name) ?? ({ name, state, since: began } satisfies PartState);
    const now: PartState = before.state === state ? before : { name, state, since: clock() };
    last.set(name, now);
    return now;
  };
  const read = (): Promise<readonly PartState[]> => Promise.all(parts.map(readState));
  const timer = setInterval(() => void read(), EVERY_MS);
  timer.unref();
  return { read, stop: () => clearInterval(timer) };
}
