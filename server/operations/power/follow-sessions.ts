import { constants } from '#rules/venue.ts';
import { ProviderError } from '#server/providers/call.ts';
import { callSql } from '../core/call-sql.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

const BEFORE = `${constants.lightsBeforeMinutes} minutes`;
const AFTER = `${constants.lightsAfterMinutes} minutes`;

/** Periodic task: queues a job for each plug whose required state (on or off), as determined by the sessions of its rooms, has changed. */
export async function followSessions({ db, plugs, clock }: Services): Promise<void> {
  await callSql(db, 'follow_sessions', {
    p_now: clock(),
    p_before: BEFORE,
    p_after: AFTER,
    p_plugs: [...plugs.keys()],
  });
}

/**
 * Job `power.follow`: switches a plug to the state that the sessions require now, which may differ from when the job was queued. The job's
 * subject is the row of the plug. Throws `ProviderError`.
 */
async function switchLights({ db, plugs }: Services, { subjectId }: Pick<Job, 'subjectId'>): Promise<JobOutcome> {
  const readState = () =>
    db.queryRow<{ plug: string; wanted: boolean }>('select plug, wanted from private.light_state where id = $1::uuid', [
      subjectId,
    ]);
  const state = await readState();
  const power = state === null ? undefined : plugs.get(state.plug);
  // The operator may have removed the plug.
  if (state === null || power === undefined) return { closed: 'The plug is no longer set up.' };
  await power.set(state.wanted);
  if ((await power.isOn()) !== state.wanted) throw new ProviderError('plug', 'did_not_switch', { retryable: true });
  await callSql(db, 'announce_lights', {});
  // Another server may have switched the plug to a newer state between our read and our call.
  if ((await readState())?.wanted !== state.wanted)
    throw new ProviderError('plug', 'wish_changed', { retryable: true });
  return 'done';
}

export const switchLightsJob = defineJob({
  kind: 'power.follow',
  title: 'Session lights',
  worker: 'power',
  longestWaitMs: URGENT_WAIT_MS,
  alerts: 'once',
  handle: (services, job) => switchLights(services, job),
});
