import { expect, test } from 'vitest';
import type { Refund } from '#server/providers/ports.ts';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { recordRefunds } from './record-refunds.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const TAKEN = 4_900;
const BOOKING = {
  id: 'b',
  status: 'confirmed',
  startTime: new Date(+NOW + 1).toISOString(),
  endTime: NOW.toISOString(),
};
const PAYMENT = { id: 'p', bookingId: 'b', state: 'paid', kind: 'card', paidCents: TAKEN, amountCents: TAKEN };
const TOTALS = { succeeded: 0, under_way: 0, failures: 0, latest: 're', at_provider: false };
type Given = {
  readonly booking?: object;
  readonly payment?: object;
  readonly totals?: object;
  /** The refunds of the provider, and those that have changed since the last time. */
  readonly refunds?: readonly Partial<Refund>[];
  readonly changed?: readonly string[];
  readonly paid?: readonly object[];
};

/** Records refunds. Returns the answer, what was written to the payment, and the audit entries and jobs. */
async function record({ booking, payment, totals, refunds = [], changed = [], paid = [] }: Given) {
  const all = refunds.map(
    (changes) => ({ id: 're', amountCents: TAKEN, status: 'succeeded', key: null, ...changes }) as Refund,
  );
  const { db, statements } = createRowDatabase({
    lock_booking: { value: { ...BOOKING, ...booking } },
    'where x.id = $1::uuid for update': { facts: { ...PAYMENT, ...payment } },
    'insert into private.refund': all
      .filter(({ id }) => changed.includes(id))
      .map(({ id, status, key, amountCents }) => ({ id, status, ours: key !== null, amount_cents: amountCents })),
    'as succeeded': { ...TOTALS, ...totals },
    "x.kind <> 'free'": paid,
    'returning id, made_by': { id: 'b', madeBy: null, orderId: null },
  });
  const services = servicesWith({ db, clock: () => NOW });
  const answer = await recordRefunds(services, db, { bookingId: 'b', paymentId: 'p', refunds: all });
  const find = (part: string) => statements.filter(({ text }) => text.includes(part)).map(({ values }) => values);
  return {
    state: answer.state,
    failed: answer.failed.map(({ id }) => id),
    written: find('refunded_cents = $3'),
    audit: find('private.audit(').flatMap(([, action, resource, , details]) =>
      resource === 'payment' ? [[action, resource, details]] : [],
    ),
    cancelled: [
      ...find("set status = 'cancelled'"),
      ...find('private.audit(').filter((entry) => entry[2] === 'booking'),
    ],
    jobs: find('insert into private.outbox').map(([, kind]) => kind),
  };
}
const failing = { refunds: [{ status: 'failed' as const, key: 'refund:p' }], changed: ['re'] };

test.each<[string, number, number, boolean, string]>([
  ['paid', TAKEN - 1, 0, false, 'paid'],
  ['paid', TAKEN, 0, false, 'refunded'],
  ['paid', 0, 0, true, 'paid'],
  ['disputed', TAKEN - 1, 0, false, 'disputed'],
  ['disputed', TAKEN, 0, false, 'refunded'],
  ['refund_failed', TAKEN - 1, 0, true, 'refund_failed'],
  ['refund_failed', TAKEN, 0, false, 'refunded'],
  ['refund_pending', TAKEN, 0, false, 'refunded'],
  ['refund_pending', TAKEN - 1, 0, false, 'refund_pending'],
  ['refund_pending', TAKEN - 1, 0, true, 'refund_failed'],
  ['refund_pending', TAKEN - 1, 1, true, 'refund_pending'],
  ['refund_pending', TAKEN, 0, true, 'refunded'],
  ['refunded', TAKEN - 1, 0, false, 'refunded'],
  ['refunded', TAKEN - 1, 0, true, 'refund_failed'],
  ['refunded', TAKEN, 0, true, 'refunded'],
  ['refund_manual', TAKEN, 0, true, 'refund_manual'],
  ['dispute_lost', TAKEN, 0, false, 'dispute_lost'],
])(
  'a payment that is %s, of which %i cents have arrived and %i are under way, with a refund that has just failed (%s), becomes %s',
  async (state, succeeded, underWay, hasFailed, expected) => {
    const totals = { succeeded, under_way: underWay };
    const { state: after, written, audit } = await record({ payment: { state }, totals, ...(hasFailed && failing) });
    expect(audit.filter(([, , details]) => Object.hasOwn(details as object, 'state'))).toHaveLength(
      after === state ? 0 : 1,
    );
    expect([after, written.map(([, stored, cents, refund]) => [stored, cents, refund])]).toEqual([
      expected,
      [[expected, succeeded, 're']],
    ]);
  },
);

test('a payment without refunds is left as it is', async () => {
  expect(await record({ totals: { latest: null } })).toEqual({
    state: 'paid',
    failed: [],
    written: [],
    audit: [],
    cancelled: [],
    jobs: [],
  });
});

const ARRIVED = { totals: { succeeded: TAKEN, at_provider: true } };
const cancelled = ['mail.booking-cancelled', 'access.revoke'];
test.each<[string, Given, unknown[], string]>([
  ['a full refund made at the provider before the start', ARRIVED, cancelled, 'at_provider'],
  ['one at the start', { ...ARRIVED, booking: { startTime: NOW.toISOString() } }, [], 'at_provider'],
  ['one of a booking that is cancelled', { ...ARRIVED, booking: { status: 'cancelled' } }, [], 'at_provider'],
  ['one of two payments', { ...ARRIVED, paid: [{ payment: PAYMENT, leftCents: TAKEN }] }, [], 'at_provider'],
  ['partial refunds by staff that add up to everything', { totals: { succeeded: TAKEN } }, [], 'staff'],
  [
    'a refund that was due',
    { totals: { succeeded: TAKEN }, payment: { state: 'refund_pending' } },
    cancelled,
    'at_provider',
  ],
  [
    'a refund at the provider of a payment that is being refunded',
    { ...ARRIVED, payment: { state: 'refund_pending' } },
    cancelled,
    'at_provider',
  ],
])('%s: the jobs and the reason', async (_what, given, jobs, reason) => {
  const { state, written, jobs: queued, cancelled: ended } = await record(given);
  expect([state, queued, written[0]?.[4]]).toEqual(['refunded', jobs, reason]);
  const entry = [null, 'update', 'booking', 'b', { status: 'cancelled', reason: 'staff' }];
  expect(ended).toEqual(jobs.length === 0 ? [] : [['b', 'staff', NOW], entry]);
});

test('the audit log has each refund that has changed, and asks staff to look at failures and refunds made at the provider', async () => {
  const refunds = [
    { id: 'ours', key: 'refund:p', amountCents: 100 },
    { id: 'theirs', amountCents: 200 },
    { id: 'bad', status: 'canceled' as const, key: 'refund:p:1', amountCents: 300 },
    { id: 'same', key: 'refund:p:2', amountCents: 400 },
  ];
  const changed = ['ours', 'theirs', 'bad'];
  const totals = { succeeded: TAKEN, at_provider: true };
  const { audit, failed } = await record({ refunds, changed, totals, booking: { status: 'cancelled' } });
  expect(failed).toEqual(['bad']);
  const of = { bookingId: 'b' };
  expect(audit).toEqual([
    ['update', 'payment', { ...of, refund: 'ours', status: 'succeeded', amountCents: 100, madeBy: 'us' }],
    ['update', 'payment', { ...of, refund: 'theirs', status: 'succeeded', amountCents: 200, madeBy: 'provider' }],
    ['alert', 'payment', { ...of, refund: 'bad', status: 'canceled', amountCents: 300, madeBy: 'us' }],
    ['alert', 'payment', { ...of, state: 'refunded', reason: 'refunded_at_provider', amountCents: TAKEN }],
  ]);
  const ours = await record({ totals: { succeeded: TAKEN }, booking: { status: 'cancelled' } });
  expect(ours.audit).toEqual([['update', 'payment', { ...of, state: 'refunded', amountCents: TAKEN }]]);
  const broken = await record({ ...failing, payment: { state: 'refund_pending' }, totals: { failures: 2 } });
  expect(broken.audit.at(-1)).toEqual(['alert', 'payment', { ...of, state: 'refund_failed', amountCents: 0 }]);
  expect(broken.jobs).toEqual(['payment.refund']);
});
