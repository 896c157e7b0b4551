import type { Core } from '../core/core.ts';
import { newReportKey } from './reports.ts';
import type { Code } from './lock-rules.ts';

/** One line of a lock's log, as the cloud and the webhooks show it; `sent` once the bridge has carried it there. */
export type LogEntry = {
  readonly logType: number;
  /** Seconds since 1970, on the world's clock. */
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
  /** Newest first. */
  log: LogEntry[];
  wrong: number;
  /** Milliseconds. */
  lockedUntil: number;
};
export type JobEnd = 'done' | 'failed' | 'expired';
export type Job = {
  readonly id: string;
  readonly lockId: string;
  readonly jobType: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Milliseconds on the world's clock; a job that nobody did by then has expired. */
  readonly expiresAt: number;
  /** What was arranged for it; null: the lock decides. */
  readonly fate: 'failed' | 'expired' | null;
  end: JobEnd | null;
  result: Record<string, unknown> | null;
};
/** The installation: what survives a restart of the sandbox. */
export type Site = {
  locks: Lock[];
  jobs: Job[];
  bridge: { online: boolean; jobMs: number; fates: ('failed' | 'expired')[] };
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
] as const;

/** What was kept of the installation, or a new one. */
export function loadSite(core: Core): Site {
  const kept = core.state.load<Partial<Site>>('igloohome', {});
  // Made once and kept: whoever holds the public key must be able to go on with it after a restart.
  const site: Site = Object.assign(kept, {
    ...empty(),
    privateKey: kept.privateKey ?? newReportKey(),
    tokenKey: kept.tokenKey ?? crypto.randomUUID(),
    ...kept,
  });
  core.state.changed();
  return site;
}

/** Forgets codes, logs and jobs; the keys stay. */
export function resetSite(site: Site): void {
  Object.assign(site, empty());
}

function empty(): Pick<Site, 'locks' | 'jobs' | 'bridge'> {
  return {
    locks: LOCKS.map(([id, name]) => ({ id, name, battery: 91, codes: [], log: [], wrong: 0, lockedUntil: 0 })),
    jobs: [],
    bridge: { online: true, jobMs: JOB_MS, fates: [] },
  };
}
