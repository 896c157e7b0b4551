import type { Task } from '#server/queue/scheduler.ts';
import type { AccessContext } from '../access/context.ts';
import { tellHeldCodes } from '../access/code-hold.ts';
import { checkLocks } from '../access/check-locks.ts';
import { extendClosures } from '../closures/close-hours.ts';
import { followMissingIds } from '../identity/missing-ids.ts';
import type { PaymentContext } from '../payments/context.ts';
import { queueThanks } from '../mails/after-session.ts';
import { queueReminders, type ReminderContext } from '../mails/reminders.ts';
import { startNightlyCheck } from '../reconciliation/compare-ledger.ts';
import { followOpeningHours } from '../settings/set-room.ts';
import { followSessions, type LightsContext } from '../power/follow-sessions.ts';
import { followWaitlist } from '../customers/waitlist.ts';

const MINUTE_MS = 60_000;

type TaskSettings = {
  readonly lightsFollow: boolean;
  /** 0 checks no locks. */
  readonly lockCheckMinutes: number;
  /** 0 compares the ledger only when staff ask. */
  readonly ledgerCheckHours: number;
};

/** Lists the periodic tasks of sessions, doors and lights, and the comparison with the payment provider. */
export function sessionTasks(
  {
    access,
    payment,
    lights,
    mails,
  }: { access: AccessContext; payment: PaymentContext; lights: LightsContext; mails: ReminderContext },
  { lightsFollow, lockCheckMinutes, ledgerCheckHours }: TaskSettings,
): readonly Task[] {
  return [
    { name: 'follow the opening hours', everyMs: MINUTE_MS, run: () => followOpeningHours(access) },
    { name: 'extend closures without an end', everyMs: MINUTE_MS, run: () => extendClosures(payment) },
    { name: 'follow the wait list', everyMs: 2_000, run: () => followWaitlist(payment) },
    { name: 'remind of sessions', everyMs: 30_000, run: () => queueReminders(mails) },
    { name: 'thank after sessions', everyMs: MINUTE_MS, run: () => queueThanks(mails) },
    { name: 'tell customers of held codes', everyMs: 30_000, run: () => tellHeldCodes(access) },
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
    ...(ledgerCheckHours > 0
      ? [
          {
            name: 'compare with the payment provider',
            everyMs: 10 * MINUTE_MS,
            run: () => startNightlyCheck(payment, ledgerCheckHours * 60 * MINUTE_MS),
          },
        ]
      : []),
  ];
}
