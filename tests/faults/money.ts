import type { Fault } from './fault.ts';

const PAYMENTS = [
  'tests/operations/{payments,payment-events,payment-sessions,card-payments}.test.ts',
  'tests/operations/{staff-refunds,refund-outage,orders,paid-moves,bookings,staff-bookings}.test.ts',
  'server/operations/payments/*.test.ts',
  'tests/interleaving/interleaving.test.ts',
];
const MOVES = [
  'tests/operations/{paid-moves,staff-moves,staff-undo,orders}.test.ts',
  'tests/operations/{bookings,staff-refunds,staff-bookings}.test.ts',
  'server/operations/moves/*.test.ts',
  'tests/interleaving/interleaving.test.ts',
];

export const MONEY: readonly Fault[] = [
  {
    title: 'The second attempt of a full refund has the idempotency key of the first',
    file: 'server/operations/payments/refund-keys.ts',
    find: 'while (used.has(keyAt(attempt))) attempt += 1;',
    replace: '',
    tests: PAYMENTS,
  },
  {
    title: 'A refund that the bank canceled counts as money that went back',
    file: 'server/operations/payments/refund-keys.ts',
    find: `status === 'failed' || status === 'canceled'`,
    replace: `status === 'failed'`,
    tests: PAYMENTS,
  },
  {
    title: 'One failed refund is made again although another one covers the payment and is under way',
    file: 'server/operations/payments/record-refunds.ts',
    find: 'failed && totals.succeeded + totals.under_way < taken',
    replace: 'failed && totals.succeeded < taken',
    tests: PAYMENTS,
  },
  {
    title: 'Settling a session again does not read its refunds unless the session itself lists one',
    file: 'server/operations/payments/settle.ts',
    find: 'if (session.refundedCents === 0 && !session.disputed && stored?.any !== true) return null;',
    replace: 'if (session.refundedCents === 0 && !session.disputed) return null;',
    tests: PAYMENTS,
  },
  {
    title: 'A payment in another currency confirms the booking',
    file: 'server/operations/payments/apply-outcome.ts',
    find: `session.currency === 'aud' &&`,
    replace: '',
    tests: PAYMENTS,
  },
  {
    title: 'The paid move of a customer who was blocked between hold and payment is made',
    file: 'server/operations/payments/apply-outcome.ts',
    find: 'await isBlocked(tx, movable ?? booking, now)',
    replace: 'await isBlocked(tx, booking, now)',
    tests: [...MOVES, ...PAYMENTS],
  },
  {
    title: 'Hours that a moved booking keeps are priced by the price list of today',
    file: 'server/operations/bookings/price-move.ts',
    find: 'priceCents: quoted.get(slotKey(slot)) ?? slot.priceCents',
    replace: 'priceCents: slot.priceCents',
    tests: MOVES,
  },
  {
    title: 'The cancellation period of today decides instead of the one at purchase',
    file: 'server/operations/bookings/cancel.ts',
    find: `coalesce(b.policy ->> 'freeCancelHours', private.business_settings() ->> 'freeCancelHours')`,
    replace: `coalesce(private.business_settings() ->> 'freeCancelHours', b.policy ->> 'freeCancelHours')`,
    tests: [...MOVES, 'tests/operations/waitlist.test.ts', 'tests/api/settings.test.ts'],
  },
  {
    title: 'The refund of a move is keyed without the number of the move',
    file: 'server/operations/bookings/move.ts',
    find: 'const requestKey = `move:${booking.moves + 1}`;',
    replace: `const requestKey = 'move';`,
    tests: MOVES,
  },
  {
    title: 'Two refunds of staff with one reason and different amounts are the same request',
    file: 'server/operations/payments/refund-for-staff.ts',
    find: 'requestId === null ? `${cents}:${reason}`',
    replace: 'requestId === null ? reason',
    tests: ['tests/operations/{staff-refunds,staff-bookings,refund-outage}.test.ts', 'tests/api/staff.test.ts'],
  },
  {
    title: 'A session that was opened while its hold ended stays payable',
    file: 'server/operations/payments/open-session.ts',
    find: 'await services.payments.expireSession(session.id);',
    replace: '',
    tests: PAYMENTS,
  },
  {
    title: 'Of several disputes of a payment the oldest one counts',
    file: 'server/operations/payments/record-disputes.ts',
    find: 'b.createdAt.getTime() - a.createdAt.getTime()',
    replace: 'a.createdAt.getTime() - b.createdAt.getTime()',
    tests: [...PAYMENTS, 'tests/operations/disputes.test.ts', 'tests/api/payment-states.test.ts'],
  },
];
