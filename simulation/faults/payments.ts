import type { Fault } from './fault.ts';

export const PAYMENT_FAULTS: readonly Fault[] = [
  {
    name: 'hold-released-without-asking-provider',
    file: 'server/operations/bookings/release.ts',
    find: 'const session = await closeSession(services, booking, payment);',
    replace: 'const session = null as Awaited<ReturnType<typeof closeSession>>;',
  },
  {
    name: 'hold-released-while-session-is-created',
    file: 'server/operations/bookings/release.ts',
    find: 'if (services.clock().getTime() - requestedAt(booking, payment) < CREATE_MAY_RUN_MS) return booking;',
    replace: '',
  },
  {
    name: 'session-stays-payable-after-hold',
    file: 'server/operations/payments/open-session.ts',
    find: 'await services.payments.expireSession(session.id);',
    replace: '',
  },
  {
    name: 'lost-session-not-looked-up',
    file: 'server/operations/payments/close-session.ts',
    find: 'payment.card === null ? await findSession(payments, booking) :',
    replace: 'payment.card === null ? null :',
  },
  {
    name: 'refund-job-not-queued',
    file: 'server/operations/payments/confirm.ts',
    find: "await enqueue(tx, { kind: 'payment.refund', subjectId: payment.id, dueAt });",
    replace: '',
  },
  {
    name: 'refund-without-listing-first',
    file: 'server/operations/payments/refund.ts',
    find: 'const leftCents = takenCents(payment) - coveredCents(refunds);',
    replace: 'const leftCents = takenCents(payment);',
  },
  {
    name: 'partial-refund-refunds-everything',
    file: 'server/operations/payments/refund.ts',
    find: 'if (part !== null) return { amountCents: part.amountCents };',
    replace: '',
  },
  {
    name: 'refund-of-series-refunds-whole-payment',
    file: 'server/operations/payments/refund.ts',
    find: 'return payment.shareOf === null ? {} : { amountCents: leftCents };',
    replace: 'return {};',
  },
  {
    name: 'refunds-not-recorded-when-settling',
    file: 'server/operations/payments/settle.ts',
    find: 'for (const { payment } of details === null ? [] : shares)',
    replace: 'for (const { payment } of details === null ? shares : [])',
  },
  {
    name: 'refunds-read-only-if-session-lists-them',
    file: 'server/operations/payments/settle.ts',
    find: 'if (session.refundedCents === 0 && !session.disputed && stored?.any !== true) return null;',
    replace: 'if (session.refundedCents === 0 && !session.disputed) return null;',
  },
  {
    name: 'confirmed-without-being-pending',
    file: 'server/operations/payments/confirm.ts',
    find: "where id = $1::uuid and status = 'pending'`",
    replace: 'where id = $1::uuid`',
  },
  {
    name: 'refund-of-move-keyed-without-number',
    file: 'server/operations/bookings/move.ts',
    find: 'const requestKey = `move:${booking.moves + 1}`;',
    replace: "const requestKey = 'move';",
  },
  {
    name: 'canceled-refund-counts-as-returned',
    file: 'server/operations/payments/refund-keys.ts',
    find: "status === 'failed' || status === 'canceled'",
    replace: "status === 'failed'",
  },
  {
    name: 'second-attempt-of-refund-has-first-key',
    file: 'server/operations/payments/refund-keys.ts',
    find: 'while (used.has(keyAt(attempt))) attempt += 1;',
    replace: '',
  },
  {
    name: 'failed-refund-not-made-again',
    file: 'server/operations/payments/record-refunds.ts',
    find: 'failed && totals.succeeded + totals.under_way < taken',
    replace: 'false',
  },
  {
    name: 'webhook-handled-without-settling',
    file: 'server/operations/webhooks/handle-events.ts',
    find: 'if (SESSION_EVENTS.test(event.type)) await settlePayment(services, event.objectId);',
    replace: 'if (SESSION_EVENTS.test(event.type)) return;',
  },
  {
    name: 'webhook-failure-counts-as-handled',
    file: 'server/operations/webhooks/handle-events.ts',
    find: 'await postpone(services, event, { nextTryAt: new Date(clock().getTime() + wait), reason });',
    replace: 'await markHandled(services, event);',
  },
  {
    name: 'reconciliation-skips-sessions',
    file: 'server/operations/reconciliation/reconcile-payments.ts',
    find: "    ['sessions', () => findSessions(services, since)],\n",
    replace: '',
  },
];
