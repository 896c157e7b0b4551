import type { Fault } from './fault.ts';

const HOLDS = [
  'tests/sql/holds.test.ts',
  'tests/operations/{bookings,orders,waitlist,payment-sessions}.test.ts',
  'tests/concurrency/account-limits.test.ts',
  'tests/interleaving/interleaving.test.ts',
];
const MOVES = [
  'tests/operations/{paid-moves,staff-moves,staff-undo,bookings}.test.ts',
  'tests/operations/orders.test.ts',
  'tests/interleaving/interleaving.test.ts',
];
const STAFF = [
  'tests/operations/{staff-bookings,staff-undo,staff-races,staff-refunds,bookings}.test.ts',
  'tests/interleaving/interleaving.test.ts',
];

export const BOOKINGS: readonly Fault[] = [
  {
    title: 'A customer may have one unpaid hold more than the limit',
    file: 'database/code/bookings/holds.sql',
    find: 'if v_live >= v_live_max or v_recent >= v_hour_max then',
    replace: 'if v_live > v_live_max or v_recent >= v_hour_max then',
    tests: HOLDS,
  },
  {
    title: 'Entries whose hours are held do not count toward the limit of the wait list',
    file: 'database/code/waitlist/entries.sql',
    find: `where e.user_id = p_user and e.state in ('waiting', 'asked') and e.start_time > p_now) >= p_max`,
    replace: `where e.user_id = p_user and e.state = 'waiting' and e.start_time > p_now) >= p_max`,
    tests: ['tests/operations/waitlist.test.ts', 'tests/sql/*.test.ts', 'tests/concurrency/account-limits.test.ts'],
  },
  {
    title: 'Freed hours are held for a customer who was blocked while waiting',
    file: 'database/code/waitlist/claims.sql',
    find: `continue when not private.is_free(p_studio, pg_catalog.tstzrange(v_entry.start_time, v_entry.end_time, '[)'))
        or private.is_blocked(v_entry.user_id, p_now);`,
    replace: `continue when not private.is_free(p_studio, pg_catalog.tstzrange(v_entry.start_time, v_entry.end_time, '[)'));`,
    tests: ['tests/operations/waitlist.test.ts', 'tests/sql/*.test.ts', 'tests/api/customer-blocks.test.ts'],
  },
  {
    title: 'A move is made although its price has changed since the customer saw it',
    file: 'server/operations/bookings/move.ts',
    find: '  requireShown(move, price);\n',
    replace: '',
    tests: MOVES,
  },
  {
    title: 'A blocked customer moves a booking',
    file: 'server/operations/bookings/own-move.ts',
    find: 'if (row.facts.blocked) throw customerBlocked(await readBookingRules(tx));',
    replace: '',
    tests: [...MOVES, 'tests/api/customer-blocks.test.ts'],
  },
  {
    title: 'Undoing a cancellation takes one use more of a code than it has',
    file: 'server/operations/core/take-coupon.ts',
    find: '(max_uses is null or current_uses < max_uses)',
    replace: '(max_uses is null or current_uses <= max_uses)',
    tests: STAFF,
  },
  {
    title: 'Choosing other new hours ends the hold of a move whose payment is being processed',
    file: 'server/operations/bookings/hold-move.ts',
    find: ` and not private.payment_is_processing(b.id)`,
    replace: '',
    tests: MOVES,
  },
  {
    title: 'A hold is released while its payment session is being created',
    file: 'server/operations/bookings/release.ts',
    find: 'if (services.clock().getTime() - requestedAt(booking, payment) < CREATE_MAY_RUN_MS) return booking;',
    replace: '',
    tests: HOLDS,
  },
  {
    title: 'Staff cancel a hold whose customer has begun another payment since its session was closed',
    file: 'server/operations/bookings/cancel-for-staff.ts',
    find: '  else await requireUnpaid(tx, booking);\n',
    replace: '',
    tests: STAFF,
  },
  {
    title: 'A code for certain hours looks at the hour after the booking too',
    file: 'database/code/coupons/rules.sql',
    find: `pg_catalog.generate_series(p_start, p_end - interval '1 hour', interval '1 hour') as at`,
    replace: `pg_catalog.generate_series(p_start, p_end, interval '1 hour') as at`,
    tests: ['tests/sql/{coupon-rules,coupons}.test.ts', 'tests/operations/{bookings,orders,paid-moves}.test.ts'],
  },
];
