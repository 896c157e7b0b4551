import type { Core } from '../core/core.ts';
import { newReportKey } from './reports.ts';
import type { Code } from './lock-rules.ts';

/** One entry of a lock's log, as cloud and webhooks show it. `sent`: whether the bridge has sent it. */
export type LogEntry = {
  readonly logType: number;
  /** The time of the entry in Unix seconds, in sandbox time. */
  readonly entryDate: number;
  readonly pin: string;
  readonly opened: boolean;
  readonly reason: string;
  sent: boolean;
};
export type Lock = {
  readonly id: string;
  readonly name: string;
  battery: number;
  codes: Code[];
  /** The entries of the lock's log, newest first. */
  log: LogEntry[];
  wrong: number;
  /** The time until which the keypad is locked, in milliseconds. */
  lockedUntil: number;
  /** Number of times that the lock was opened through the bridge. It is missing in a file of an earlier version. */
  openedFromAfar?: number;
};
export type JobEnd = 'done' | 'failed' | 'expired';
export type Job = {
  readonly id: string;
  readonly lockId: string;
  readonly jobType: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** When the job expires, in milliseconds of sandbox time. */
  readonly expiresAt: number;
  /** The end that was set through the control API, or null if the lock decides. */
  readonly forcedEnd: 'failed' | 'expired' | null;
  end: JobEnd | null;
  result: Record<string, unknown> | null;
};
/** The installation; it survives a restart of the sandbox. */
export type Site = {
  locks: Lock[];
  jobs: Job[];
  /** `forcedEnds`: the ends of the next jobs, set through the control API. */
  bridge: { online: boolean; jobMs: number; forcedEnds: ('failed' | 'expired')[] };
  readonly privateKey: string;
  readonly tokenKey: string;
};

export const BRIDGE_ID = 'EB1X00001';
export const KEYPAD_ID = 'EK1X00001';
export const HOME_ID = 'home-1';
export const JOB_MS = 300;

const LOCKS = [
  ['SPA1X0001', 'Studio A'],
  ['SPB1X0002', 'Studio B'],
  ['SPC1X0003', 'Studio C'],
  // This lock is for a room that staff may add.
  ['SPD1X0004', 'Spare lock'],
] as const;

/** Loads the saved installation, or creates one. */
export function loadSite(core: Core): Site {
  const saved = core.state.load<Partial<Site>>('igloohome', {});
  // Keys are created once and saved, so that integrators can use the public key even after a restart.
  const site: Site = Object.assign(saved, {
    ...empty(),
    privateKey: saved.privateKey ?? newReportKey(),
    tokenKey: saved.tokenKey ?? crypto.randomUUID(),
    ...saved,
    bridge: { ...empty().bridge, ...saved.bridge },
  });
  core.state.changed();
  return site;
}

/** Deletes codes, logs and jobs; keeps the keys. */
export function resetSite(site: Site): void {
  Object.assign(site, empty());
}

function empty(): Pick<Site, 'locks' | 'jobs' | 'bridge'> {
  return {
    locks: LOCKS.map(([id, name]) => ({ id, name, battery: 91, codes: [], log: [], wrong: 0, lockedUntil: 0 })),
    jobs: [],
    bridge: { online: true, jobMs: JOB_MS, forcedEnds: [] },
  };
}
