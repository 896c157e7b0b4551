import type { Fault } from './fault.ts';

export const BOOKING_FAULTS: readonly Fault[] = [
  {
    name: 'one-hold-too-many',
    file: 'database/code/bookings/holds.sql',
    find: 'if v_live >= v_live_max or v_recent >= v_hour_max then',
    replace: 'if v_live > v_live_max or v_recent >= v_hour_max then',
  },
  {
    name: 'cancelled-hold-keeps-series',
    file: 'server/operations/payments/confirm.ts',
    find: " or (status = 'pending' and order_id = (select b.order_id from private.booking b where b.id = $1::uuid))",
    replace: '',
  },
  {
    name: 'move-ignores-its-price',
    file: 'server/operations/bookings/move.ts',
    find: '  requireShown(move, price);\n',
    replace: '',
  },
  {
    name: 'confirmation-mail-not-queued',
    file: 'server/operations/payments/confirm.ts',
    find: "if (isFirst(booking)) await enqueue(tx, { kind: 'mail.booking-confirmed', subjectId: booking.id, dueAt: now });",
    replace: '',
  },
  {
    name: 'cancellation-leaves-code',
    file: 'server/operations/payments/confirm.ts',
    find: "  await enqueue(tx, { kind: 'access.revoke', subjectId: id, dueAt });\n",
    replace: '',
  },
  {
    name: 'cancellation-not-in-audit-log',
    file: 'server/operations/payments/confirm.ts',
    find: "  await recordAudit(tx, { actor, action: 'update', resource: 'booking', id, details });\n",
    replace: '',
  },
];

export const CODE_FAULTS: readonly Fault[] = [
  {
    name: 'code-requested-an-hour-late',
    file: 'server/operations/access/queue-access.ts',
    find: 'dueAt: new Date(Math.max(now.getTime(), start.getTime() - studio.requestLeadMinutes * 60_000)),',
    replace: 'dueAt: new Date(Math.max(now.getTime(), start.getTime())),',
  },
  {
    name: 'move-leaves-requested-code',
    file: 'server/operations/access/queue-access.ts',
    find: "where booking_id = $1::uuid and status in ('requested', 'issued')",
    replace: "where booking_id = $1::uuid and status = 'issued'",
  },
];

export const QUEUE_FAULTS: readonly Fault[] = [
  {
    name: 'failed-job-counts-as-done',
    file: 'server/queue/worker.ts',
    find: 'if (wait === null || job.tries > 1) return failJob(worker, job, lease, { error, waitMs: wait ?? 0 });',
    replace: 'if (wait === null || job.tries > 1) return completeJob(worker, job);',
  },
  {
    name: 'postponed-job-waits-for-a-month',
    file: 'server/queue/outcomes.ts',
    find: '[job.id, lease, at],',
    replace: '[job.id, lease, new Date(at.getTime() + 30 * 86_400_000)],',
  },
  {
    name: 'job-not-marked-as-done',
    file: 'server/queue/outcomes.ts',
    find: "'update private.outbox set done_at = $2::timestamptz, last_error = null where id = $1::uuid and done_at is null',",
    replace: "'update private.outbox set last_error = null where id = $1::uuid and $2::timestamptz is not null',",
  },
  {
    name: 'expired-holds-stay',
    file: 'server/operations/jobs/periodic-tasks.ts',
    find: 'run: (stop) => tasks.releaseExpiredHolds(() => stop() || tasks.paymentsDown()),',
    replace: 'run: () => Promise.resolve(),',
  },
  {
    name: 'pictures-stay',
    file: 'server/operations/identity/store-decision.ts',
    find: "kind: 'image.delete',",
    replace: "kind: 'mail.review-waiting',",
  },
];
