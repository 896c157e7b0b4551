import type { Task } from '#server/queue/scheduler.ts';
import { tellHeldCodes } from '../access/code-hold.ts';
import { checkLocks } from '../access/check-locks.ts';
import { extendClosures } from '../closures/close-hours.ts';
import { followMissingIds } from '../identity/missing-ids.ts';
import { queueThanks } from '../mails/after-session.ts';
import { queueReminders } from '../mails/reminders.ts';
import { startNightlyCheck } from '../reconciliation/compare-ledger.ts';
import { followOpeningHours } from '../settings/set-room.ts';
import { followSessions } from '../power/follow-sessions.ts';
import { followWaitlist } from '../customers/waitlist.ts';
import type { Services } from '../core/services.ts';

const MINUTE_MS = 60_000;

type TaskSettings = {
  readonly lightsFollow: boolean;
  /** 0 disables the checks of locks. */
  readonly lockCheckMinutes: number;
  /** 0 disables the periodic comparison of the ledger; staff can still start one. */
  readonly ledgerCheckHours: number;
};

/** Lists the periodic tasks of sessions, doors and lights, and the comparison with the payment provider. */
export function sessionTasks(
  services: Services,
  { lightsFollow, lockCheckMinutes, ledgerCheckHours }: TaskSettings,
): readonly Task[] {
  return [
    { name: 'follow the opening hours', everyMs: MINUTE_MS, run: () => followOpeningHours(services) },
    { name: 'extend closures without an end', everyMs: MINUTE_MS, run: () => extendClosures(services) },
    { name: 'follow the wait list', everyMs: 2_000, run: () => followWaitlist(services) },
    { name: 'remind of sessions', everyMs: 30_000, run: () => queueReminders(services) },
    { name: 'thank after sessions', everyMs: MINUTE_MS, run: () => queueThanks(services) },
    { name: 'tell customers of held codes', everyMs: 30_000, run: () => tellHeldCodes(services) },
    { name: 'follow lost ID checks', everyMs: 30_000, run: (stop) => followMissingIds(services, stop) },
    ...(lightsFollow
      ? [{ name: 'switch the lights with the sessions', everyMs: 10_000, run: () => followSessions(services) }]
      : []),
    ...(lockCheckMinutes > 0
      ? [
          {
            name: 'check the locks',
            everyMs: 10_000,
            run: (stop: () => boolean) => checkLocks(services, lockCheckMinutes * MINUTE_MS, stop),
          },
        ]
      : []),
    ...(ledgerCheckHours > 0
      ? [
          {
            name: 'compare with the payment provider',
            everyMs: 10 * MINUTE_MS,
            run: () => startNightlyCheck(services, ledgerCheckHours * 60 * MINUTE_MS),
          },
        ]
      : []),
  ];
}
