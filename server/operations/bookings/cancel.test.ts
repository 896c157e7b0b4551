import { expect, test } from 'vitest';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { cancelForStaff, cancelSeriesForStaff, type StaffCancellation } from './cancel-for-staff.ts';
import { cancelBooking, cancelSeries } from './cancel.ts';

const START = new Date('2031-03-08T00:00:00Z');
const HOUR = 3_600_000;
const at = (hours: number, ms = 0): Date => new Date(+START + hours * HOUR + ms);
const BOOKING = {
  id: 'b',
  userId: 'u',
  guestEmail: null,
  madeBy: null,
  orderId: null,
  status: 'confirmed',
  cancelReason: null,
  startTime: START.toISOString(),
  endTime: at(1).toISOString(),
  termsStart: START.toISOString(),
  createdAt: at(-200).toISOString(),
  confirmedAt: at(-200).toISOString(),
  holdExpiresAt: null,
};
const CARD = { payment: { id: 'p1', kind: 'card', state: 'paid', attempt: 1 }, leftCents: 4_900 };
const DISPUTED = { payment: { id: 'p2', kind: 'card', state: 'disputed', attempt: 2 }, leftCents: 1_000 };
const ELSEWHERE = { payment: { id: 'p3', kind: 'elsewhere', state: 'paid', attempt: 3 }, leftCents: 700 };
const EMPTY = { payment: { id: 'p4', kind: 'card', state: 'paid', attempt: 4 }, leftCents: 0 };

type Given = {
  readonly now?: Date;
  readonly booking?: object;
  readonly paid?: readonly object[];
  readonly decided?: object | null;
  readonly rows?: RowsByText;
};
function world({ now = at(-48), booking = {}, paid = [CARD, DISPUTED], decided = null, rows = {} }: Given) {
  const facts = { ...BOOKING, ...booking };
  const { db, statements } = createRowDatabase(rows, {
    'booking_json(b) as facts from private.booking b where b.id': { facts },
    lock_booking: { value: facts },
    lock_order: { value: [facts] },
    'as hours': { hours: 24 },
    'refund_cents as cents from private.cancellation': decided,
    'private.refundable_cents(x.id)': paid,
    'insert into private.partial_refund': { id: 'r' },
    'insert into private.undo': { id: 'undo' },
    'returning id, made_by': { id: 'b', madeBy: null, orderId: null },
  });
  const find = (part: string) => statements.filter(({ text }) => text.includes(part)).map(({ values }) => values);
  const written = () => ({
    decision: find('insert into private.cancellation').map(([, refund, cents]) => [refund, cents]),
    refunds: [
      ...find("set state = 'refund_pending'").map(([id, by]) => [id, by]),
      ...find('insert into private.partial_refund').map(([id, key, cents]) => [id, key, cents]),
    ],
    jobs: find('insert into private.outbox').map(([, kind, , , , payload, dueAt]) => [
      kind,
      payload,
      (dueAt as Date).getTime() - +now,
    ]),
    coupon: find('update private.coupon_redemption').length,
  });
  return { services: servicesWith({ db, clock: () => now }), written, find };
}
const cancel = async (more: Partial<StaffCancellation>, given: Given = {}) => {
  const { services, written, find } = world(given);
  const request = {
    bookingId: 'b',
    refund: 'full' as const,
    reason: 'Flood',
    actor: 's',
    money: 'held' as const,
    ...more,
  };
  const answer = await cancelForStaff(services, request).catch(
    ({ code, message, details }: { code: string; message: string; details: object }) => ({ code, message, details }),
  );
  return { answer, ...written(), find };
};

/** `coupon`: whether the booking keeps the use of its coupon. Within the terms it comes back, whatever is refunded. */
test.each<[StaffCancellation['refund'], Given, decision: unknown[], coupon: number]>([
  ['full', {}, ['full', 4_900], 0],
  ['none', {}, ['none', 0], 0],
  [0, {}, ['none', 0], 0],
  [4_899, {}, ['part', 4_899], 0],
  // All that can be refunded now.
  [4_900, {}, ['full', 4_900], 0],
  [4_901, {}, ['part', 4_901], 0],
  [5_900, {}, ['part', 5_900], 0],
  ['terms', { now: at(-24) }, ['full', 4_900], 0],
  ['terms', { now: at(-24, 1) }, ['none', 0], 1],
  ['full', { now: at(-24, 1) }, ['full', 4_900], 0],
  [100, { now: at(-24, 1) }, ['part', 100], 1],
  ['full', { paid: [] }, ['full', 0], 0],
])('staff cancel with the refund %s, %j: %j', async (refund, given, decision, coupon) => {
  const result = await cancel({ refund }, given);
  expect(result.decision).toEqual([decision]);
  expect(result.answer).toEqual({ refundCents: decision[1], byHand: false, undo: null });
  expect(result.coupon).toBe(coupon);
});

test('more than is left is refused with what is left', async () => {
  expect((await cancel({ refund: 5_901 })).answer).toEqual({
    code: 'invalid_request',
    message: 'This is more than the remaining payment.',
    details: { field: 'refund', refundableCents: 5_900 },
  });
});

const JOBS = (dueIn = 0, payload = {}) => [
  ['payment.refund', {}, dueIn],
  ['mail.booking-cancelled', payload, dueIn],
  ['access.revoke', {}, dueIn],
];
test('the refund, the mail and the end of the codes are due at once, or after ten seconds in which staff can undo it', async () => {
  const result = await cancel({});
  expect(result.jobs).toEqual(JOBS());
  expect(result.refunds).toEqual([['p1', 'staff']]);
  const undoable = await cancel({ undoable: true });
  expect(undoable.answer).toMatchObject({ undo: { id: 'undo', until: at(-48, 10_000) } });
  expect(undoable.jobs).toEqual(JOBS(10_000));
  expect(undoable.find('insert into private.undo')[0]?.slice(0, 3)).toEqual(['b', 'cancel', null]);
  expect((await cancel({ because: 'id_missing', refund: 'terms' }, { now: at(-1) })).jobs).toEqual(
    JOBS(0, { because: 'id_missing' }),
  );
});

test('money that was paid elsewhere goes back by hand', async () => {
  const result = await cancel({}, { paid: [CARD, ELSEWHERE, EMPTY, DISPUTED] });
  expect(result.answer).toMatchObject({ refundCents: 5_600, byHand: true });
  expect(result.refunds).toEqual([
    ['p1', 'staff'],
    ['p3', 'cancellation', 700],
  ]);
  const part = await cancel({ refund: 5_000 }, { paid: [CARD, ELSEWHERE] });
  expect(part.answer).toMatchObject({ refundCents: 5_000, byHand: true });
  expect(part.refunds).toEqual([
    ['p1', 'cancellation', 4_900],
    ['p3', 'cancellation', 100],
  ]);
  expect((await cancel({ refund: 4_000 }, { paid: [CARD, ELSEWHERE] })).answer).toMatchObject({ byHand: false });
});

const cancelled = { status: 'cancelled', cancelReason: 'staff' };
test.each<[string, Partial<StaffCancellation>, Given, unknown]>([
  ['over', {}, { now: at(1) }, 'too_late'],
  ['about to end', {}, { now: at(1, -1) }, 'done'],
  ['unknown', {}, { rows: { lock_order: { value: [] } } }, 'not_found'],
  ['already decided by another member of staff', { stillWanted: async () => false }, {}, 'already_done'],
  ['still to be decided', { stillWanted: async () => true }, {}, 'done'],
  ['cancelled by the customer', {}, { booking: cancelled }, 'already_done'],
  ['cancelled by staff in the same way', {}, { booking: cancelled, decided: { refund: 'full', cents: 4_900 } }, 'done'],
  [
    'cancelled by staff in another way',
    {},
    { booking: cancelled, decided: { refund: 'none', cents: 0 } },
    'already_done',
  ],
  [
    'cancelled with the same amount',
    { refund: 500 },
    { booking: cancelled, decided: { refund: 'part', cents: 500 } },
    'done',
  ],
  [
    'cancelled with another amount',
    { refund: 500 },
    { booking: cancelled, decided: { refund: 'part', cents: 501 } },
    'already_done',
  ],
  [
    'cancelled, by its terms',
    { refund: 'terms' },
    { booking: cancelled, decided: { refund: 'part', cents: 1 } },
    'done',
  ],
  ['cancelled without a decision, by its terms', { refund: 'terms' }, { booking: cancelled }, 'already_done'],
  [
    'an expired hold that nobody decided about',
    {},
    { booking: { status: 'cancelled', cancelReason: 'hold_expired' } },
    'already_done',
  ],
])('staff cancel a booking that is %s', async (_what, more, given, expected) => {
  const { answer } = await cancel(more, given);
  expect('code' in answer ? answer.code : 'done').toBe(expected);
});

test('a repeated cancellation answers what the first one did', async () => {
  const decided = { refund: 'full', cents: 4_900 };
  expect((await cancel({}, { booking: cancelled, decided })).answer).toEqual({
    refundCents: 4_900,
    byHand: false,
    undo: null,
  });
  const rows = { "x.kind = 'elsewhere' and p.request_key": {} };
  expect((await cancel({}, { booking: cancelled, decided, rows })).answer).toMatchObject({ byHand: true });
  expect((await cancel({ refund: 'none' }, { booking: cancelled, decided })).answer).toMatchObject({
    details: { refundCents: 4_900 },
  });
  expect((await cancel({}, { booking: cancelled })).answer).toMatchObject({ details: {} });
});

const HOLD = { status: 'pending', confirmedAt: null };
test.each<[string, string | null, string]>([
  ['without a payment', null, 'done'],
  ['whose payment expired', 'expired', 'done'],
  ['whose payment failed', 'failed', 'done'],
  ['whose payment is processing', 'processing', 'payment_processing'],
])('staff release a hold %s', async (_what, state, expected) => {
  const payment = state === null ? null : { facts: { id: 'p', kind: 'elsewhere', state } };
  // The payment is read for the session, which is closed already, and again for the decision.
  let reads = 0;
  const rows = { 'x.move_number is null': () => ((reads += 1) === 1 ? null : payment) };
  const { answer, jobs, coupon } = await cancel({ refund: 'none', undoable: true }, { booking: HOLD, rows, paid: [] });
  expect('code' in answer ? answer.code : 'done').toBe(expected);
  if (expected === 'done')
    expect([answer, jobs.map(([kind]) => kind), coupon]).toEqual([
      { refundCents: 0, byHand: false, undo: null },
      ['mail.booking-cancelled', 'access.revoke'],
      0,
    ]);
});

test('a hold that the event of its closed session has released is cancelled by staff all the same', async () => {
  const { services, written } = world({
    booking: HOLD,
    paid: [],
    rows: { lock_order: { value: [{ ...BOOKING, status: 'cancelled', cancelReason: 'hold_expired' }] } },
  });
  const request = { bookingId: 'b', refund: 'none' as const, reason: 'x', actor: 's', money: 'held' as const };
  expect(await cancelForStaff(services, request)).toEqual({ refundCents: 0, byHand: false, undo: null });
  expect(written().decision).toEqual([['none', 0]]);
});

const TWO = [
  BOOKING,
  {
    ...BOOKING,
    id: 'b2',
    startTime: at(168).toISOString(),
    endTime: at(169).toISOString(),
    termsStart: at(168).toISOString(),
  },
];
const series = (...all: readonly object[]): RowsByText => ({ lock_order: { value: all } });
test('staff cancel what is left of a series, and a repeated call answers the same', async () => {
  const run = async (given: Given) => {
    const { services } = world(given);
    return cancelSeriesForStaff(services, { bookingId: 'b', refund: 'full', reason: 'x', actor: 's', money: 'held' });
  };
  const both = { refundCents: 9_800, byHand: false, undo: null, cancelled: 2 };
  expect(await run({ rows: series(...TWO) })).toEqual(both);
  expect(await run({ rows: series(...TWO), now: at(1) })).toEqual({ ...both, refundCents: 4_900, cancelled: 1 });
  expect(await run({ rows: series(...TWO), paid: [ELSEWHERE] })).toEqual({ ...both, refundCents: 1_400, byHand: true });
  const decided = { refund: 'full', cents: 4_900 };
  expect(await run({ rows: series(...TWO.map((member) => ({ ...member, ...cancelled }))), decided })).toEqual(both);
});

test.each<[string, Given, object]>([
  ['everything', { paid: [CARD] }, { refund: 'full', amountCents: 4_900, byHand: false }],
  ['what the bank has not taken', {}, { refund: 'part', amountCents: 4_900, byHand: false }],
  ['nothing of a free booking', { paid: [] }, { refund: 'none', amountCents: 0, byHand: false }],
  ['nothing while all is disputed', { paid: [DISPUTED] }, { refund: 'none', amountCents: 0, byHand: false }],
  ['money paid elsewhere, by hand', { paid: [ELSEWHERE] }, { refund: 'full', amountCents: 700, byHand: true }],
])('a customer who cancels gets back %s', async (_what, given, expected) => {
  const { services } = world(given);
  expect(await cancelBooking(services, 'b', 'u')).toEqual(expected);
});

test('a customer cancels what the terms of a series still allow', async () => {
  const run = async (given: Given, userId = 'u') => {
    const { services } = world({ paid: [CARD], ...given });
    return cancelSeries(services, 'b', userId).catch((error: { code: string }) => error.code);
  };
  const full = { refund: 'full', amountCents: 9_800, byHand: false, cancelled: 2, kept: 0 };
  expect(await run({ rows: series(...TWO) })).toEqual(full);
  // The first one is too late to cancel, so its money stays.
  expect(await run({ rows: series(...TWO), now: at(-1) })).toEqual({
    ...full,
    refund: 'part',
    amountCents: 4_900,
    cancelled: 1,
    kept: 1,
  });
  expect(await run({ rows: series(...TWO), now: at(1) })).toEqual({ ...full, amountCents: 4_900, cancelled: 1 });
  expect(await run({ rows: series(...TWO) }, 'other')).toBe('not_found');
  const [first, second = {}] = TWO;
  expect(await run({ rows: series({ ...first, ...cancelled }, second) })).toMatchObject({ cancelled: 1, kept: 0 });
  expect(await run({ rows: series({ ...first, ...cancelled }, { ...second, ...cancelled }) })).toBe('already_done');
  expect(await run({ rows: series({ ...first, ...HOLD }, { ...second, ...HOLD }) })).toBe('not_confirmed');
  expect(
    await run({ rows: series({ ...first, ...cancelled }, { ...second, termsStart: at(-100).toISOString() }) }),
  ).toBe('already_done');
  expect(
    await run({
      rows: series({ ...first, id: 'x' }, { ...second, id: 'b', termsStart: at(-100).toISOString() }),
      now: at(-1),
    }),
  ).toBe('too_late');
});
