import type { Task } from '#server/queue/scheduler.ts';
import type { AccessContext } from '../access/context.ts';
import { checkLocks } from '../access/check-locks.ts';
import { followSessions, type LightsContext } from '../power/follow-sessions.ts';

const MINUTE_MS = 60_000;

/** Lists the periodic tasks of doors and lights. `lockCheckMinutes`: 0 checks no locks. */
export function doorTasks(
  { access, lights }: { access: AccessContext; lights: LightsContext },
  { lightsFollow, lockCheckMinutes }: { readonly lightsFollow: boolean; readonly lockCheckMinutes: number },
): readonly Task[] {
  return [
    ...(lightsFollow
      ? [{ name: 'switch the lights with the sessions', everyMs: 10_000, run: () => followSessions(lights) }]
      : []),
    ...(lockCheckMinutes > 0
      ? [
          {
            name: 'check the locks',
            everyMs: 10_000,
            run: (stop: () => boolean) => checkLocks(access, lockCheckMinutes * MINUTE_MS, stop),
          },
        ]
      : []),
  ];
}
