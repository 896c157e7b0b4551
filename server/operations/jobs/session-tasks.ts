import type { Task } from '#server/queue/scheduler.ts';
import type { AccessContext } from '../access/context.ts';
import { checkLocks } from '../access/check-locks.ts';
import { followMissingIds } from '../identity/missing-ids.ts';
import type { PaymentContext } from '../payments/context.ts';
import { followSessions, type LightsContext } from '../power/follow-sessions.ts';

const MINUTE_MS = 60_000;

/** Lists the periodic tasks of sessions, doors and lights. `lockCheckMinutes`: 0 checks no locks. */
export function sessionTasks(
  { access, payment, lights }: { access: AccessContext; payment: PaymentContext; lights: LightsContext },
  { lightsFollow, lockCheckMinutes }: { readonly lightsFollow: boolean; readonly lockCheckMinutes: number },
): readonly Task[] {
  return [
    { name: 'follow lost ID checks', everyMs: 30_000, run: (stop) => followMissingIds(payment, stop) },
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
