import { randomUUID } from 'node:crypto';
import type { Core } from '../core/core.ts';
import { ACCESS_NAME_MAX } from './algopin.ts';
import { readDate } from './dates.ts';
import type { Doors } from './doors.ts';
import { HOUR } from './lock-rules.ts';
import type { Reports } from './reports.ts';
import type { Job, JobEnd, Lock, Site } from './site.ts';

export type Jobs = {
  /** Queues a job for the bridge, or returns the message of a 400. */
  start(lock: Lock, jobType: unknown, data: Readonly<Record<string, unknown>>): Job | string;
  find(id: string): Job | null;
  /** Expires jobs that are overdue. */
  runDue(): void;
  close(): void;
};

/** The types of jobs: 1 lock, 2 unlock, 4 create a code, 5 delete a code, 9 battery, 10 status, 15 activity logs. */
const JOB_TYPES = [1, 2, 4, 5, 9, 10, 15] as const;
const EXPIRES_MS = 60_000;
const JOBS_KEPT = 500;

/** Creates the jobs of the bridge, which are accepted immediately and done a moment later. */
export function createJobs(core: Core, site: Site, doors: Doors, reports: Reports): Jobs {
  const timers = new Set<NodeJS.Timeout>();

  function finish(job: Job, end: JobEnd, result: Record<string, unknown> | null): void {
    if (job.end !== null) return;
    job.end = end;
    job.result = result;
    core.state.changed();
    reports.send(job.lockId, 3, { jobId: job.id, jobType: job.jobType, jobStatus: toStatus(end) });
  }

  function work(job: Job): void {
    const lock = doors.find(job.lockId);
    if (job.end !== null || job.forcedEnd === 'expired') return;
    // The bridge went offline, so the job waits until it expires.
    if (!doors.online()) return later(job);
    if (!lock || job.forcedEnd === 'failed') return finish(job, 'failed', null);
    const result = runJob(lock, job, doors, core.now());
    finish(job, result ? 'done' : 'failed', result);
  }

  function later(job: Job): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work(job);
    }, site.bridge.jobMs);
    timer.unref();
    timers.add(timer);
  }

  function runDue(): void {
    const now = core.now().getTime();
    for (const job of site.jobs) if (job.end === null && now >= job.expiresAt) finish(job, 'expired', null);
  }

  // Jobs that were open when the sandbox stopped are resumed.
  for (const job of site.jobs) if (job.end === null) later(job);

  return {
    runDue,
    find: (id) => site.jobs.find((job) => job.id === id) ?? null,
    start(lock, jobType, data) {
      const type = JOB_TYPES.find((type) => type === jobType);
      if (type === undefined) return `jobType is one of ${JOB_TYPES.join(', ')}`;
      const fault = type === 4 ? newCodeFault(data, Date.now()) : type === 5 ? pinFault(data['pin']) : null;
      if (fault !== null) return fault;
      const job: Job = {
        id: randomUUID(),
        lockId: lock.id,
        jobType: type,
        data,
        expiresAt: core.now().getTime() + EXPIRES_MS,
        forcedEnd: site.bridge.forcedEnds.shift() ?? null,
        end: null,
        result: null,
      };
      site.jobs.unshift(job);
      site.jobs.length = Math.min(site.jobs.length, JOBS_KEPT);
      core.state.changed();
      later(job);
      return job;
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Returns the vendor's status number: 0 for a job that is done, 2 for one that failed or expired. */
export function toStatus(end: JobEnd): 0 | 2 {
  return end === 'done' ? 0 : 2;
}

/** Runs a job on the lock. Returns null if the lock could not do it. */
function runJob(lock: Lock, job: Job, doors: Doors, now: Date): Record<string, unknown> | null {
  switch (job.jobType) {
    case 2:
      lock.openedFromAfar = (lock.openedFromAfar ?? 0) + 1;
      return {};
    case 4: {
      const code = readCode(job.data);
      return code && doors.store(lock, code) === 'stored' ? {} : null;
    }
    case 5:
      // Deleting a code that does not exist succeeds.
      doors.remove(lock, String(job.data['pin']));
      return {};
    case 9:
      return { batteryLevel: lock.battery };
    case 10:
      return { batteryLevel: lock.battery, lockStatus: 'locked', lockedOut: now.getTime() < lock.lockedUntil };
    case 15:
      return { activityLogs: lock.log.map(({ logType, entryDate, pin }) => ({ logType, entryDate, pin })) };
    default:
      return {};
  }
}

function readCode(data: Readonly<Record<string, unknown>>): Parameters<Doors['store']>[1] | null {
  const start = readDate(data['startDate'], 'minutes');
  const end = readDate(data['endDate'], 'minutes');
  if (!start || !end) return null;
  return {
    pin: String(data['pin']),
    kind: 'bridge',
    startsAt: start.time,
    endsAt: end.time,
    name: String(data['accessName']),
  };
}

function pinFault(pin: unknown): string | null {
  return typeof pin === 'string' && /^\d{4,10}$/.test(pin) ? null : 'jobData.pin must be a text of 4 to 10 digits';
}

/** Returns the fault of a new code, or null. `now` is real time, as for computed codes. */
function newCodeFault(data: Readonly<Record<string, unknown>>, now: number): string | null {
  const { accessName, pinType } = data;
  const wrongPin = pinFault(data['pin']);
  if (wrongPin !== null) return wrongPin;
  if (pinType !== 4) return 'jobData.pinType must be 4';
  if (typeof accessName !== 'string' || accessName === '' || accessName.length > ACCESS_NAME_MAX)
    return `jobData.accessName is needed, at most ${ACCESS_NAME_MAX} characters`;
  const start = readDate(data['startDate'], 'minutes');
  if (!start) return 'jobData.startDate must be YYYY-MM-DDTHH:mm:00+hh:mm';
  const end = readDate(data['endDate'], 'minutes');
  if (!end) return 'jobData.endDate must be YYYY-MM-DDTHH:mm:00+hh:mm';
  if (end.time <= start.time) return 'jobData.endDate must be after startDate';
  return start.time < Math.floor(now / HOUR) * HOUR ? 'jobData.startDate is before the current hour' : null;
}
