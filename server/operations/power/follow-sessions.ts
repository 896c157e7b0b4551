import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import type { JobOutcome } from '../core/jobs.ts';

/** The lights go on this long before a session and off this long after it. */
const BEFORE = '5 minutes';
const AFTER = '10 minutes';

/** What switching the lights with the sessions works with. */
export type LightsContext = {
  readonly db: Pick<Database, 'query' | 'one'>;
  readonly power: Power;
  readonly clock: Clock;
};

/** Periodic task: queues a job when the sessions want the lights on or off and wanted otherwise before. */
export async function followSessions({ db, clock }: Pick<LightsContext, 'db' | 'clock'>): Promise<void> {
  await db.query('select private.follow_sessions($1::timestamptz, $2::interval, $3::interval)', [
    clock(),
    BEFORE,
    AFTER,
  ]);
}

/** Job `power.follow`: switches the lights as the sessions want them now, which a job that comes late may find changed. Throws `ProviderError`. */
export async function switchLights({ db, power }: Pick<LightsContext, 'db' | 'power'>): Promise<JobOutcome> {
  const state = await db.one<{ wanted: boolean }>('select wanted from private.light_state');
  if (state === null) return 'done';
  await power.set(state.wanted);
  if ((await power.isOn()) !== state.wanted) throw new ProviderError('plug', 'did_not_switch', { retryable: true });
  return 'done';
}
