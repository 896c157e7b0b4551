import { formatStudioTime } from '#rules/studio-time.ts';
import type { StaffBooking } from './booking.ts';

/** The fields of a booking on which the readiness of its door depends. */
type Session = Pick<StaffBooking, 'status' | 'startTime' | 'endTime' | 'code' | 'isTest'>;

/** How ready the door is for a booking: `done` counts the completed steps out of four, and `label` describes the last one. */
export type Readiness = {
  readonly done: number;
  readonly label: string;
  readonly tone: 'plain' | 'good' | 'warn' | 'bad';
};
/** The steps of a code, in order. */
export const STEPS = ['code issued', 'accepted by the lock', 'emailed', 'seen'] as const;

/** Within this time before the start, a missing code needs the attention of staff. */
const NEAR_MS = 30 * 60_000;

/** Describes the progress of a booking's access code. */
export function describeReadiness({ status, startTime, endTime, code, isTest }: Session, now: Date): Readiness {
  if (status === 'pending') return { done: 0, label: 'Awaiting payment', tone: 'plain' };
  const done = stepsDone(code);
  if (code.used !== null) return { done: 4, label: `Door opened ${formatStudioTime(code.used)}`, tone: 'good' };
  if (code.seen !== null) return { done, label: `Code seen ${formatStudioTime(code.seen)}`, tone: 'good' };
  if (code.mailed !== null) return { done, label: `Code emailed ${formatStudioTime(code.mailed)}`, tone: 'good' };
  if (code.accepted !== null) return { done, label: 'Accepted by the lock', tone: 'good' };
  const near = now.getTime() >= startTime.getTime() - NEAR_MS;
  if (now >= endTime) return { done, label: 'No code', tone: 'plain' };
  if (code.requested !== null) return { done, label: 'Waiting for the lock', tone: near ? 'bad' : 'warn' };
  if (isTest) return { done, label: 'Test', tone: 'plain' };
  if (code.due !== null && code.due > now)
    return { done, label: `Code due ${formatStudioTime(code.due)}`, tone: 'plain' };
  return { done, label: 'No code yet', tone: near ? 'bad' : 'plain' };
}

/** Counts the completed steps of a code. A later step includes the earlier ones. */
function stepsDone({ requested, accepted, mailed, seen }: StaffBooking['code']): number {
  return [requested, accepted, mailed, seen].findLastIndex((at) => at !== null) + 1;
}
