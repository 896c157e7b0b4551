import { expect, test } from 'vitest';
import type { Dispute } from '#server/providers/ports.ts';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { recordDisputes } from './record-disputes.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
// Casts: the operation reads only these fields.
const BOOKING = { id: 'b', status: 'confirmed', startTime: NOW, endTime: NOW } as BookingFacts;
const PAYMENT = {
  id: 'p',
  bookingId: 'b',
  state: 'paid',
  paidCents: 4_900,
  amountCents: 4_900,
  refundedCents: 0,
  shareOf: null,
  disputeId: null,
  disputeStatus: null,
} as PaymentFacts;
const dispute = (status: Dispute['status'], id = 'dp', createdAt = NOW) => ({ id, status, createdAt }) as Dispute;

/** Records disputes. Returns what was written to the payment, the audit entries, the jobs, and the payment whose disputes were stored. */
async function record(
  disputes: readonly Dispute[],
  {
    payment = {},
    booking = {},
    kept = false,
  }: { payment?: Partial<PaymentFacts>; booking?: Partial<BookingFacts>; kept?: boolean } = {},
) {
  const { db, statements } = createRowDatabase({ "refund <> 'full'": kept ? {} : null });
  await recordDisputes(servicesWith({ db, clock: () => NOW }), db, {
    booking: { ...BOOKING, ...booking },
    payment: { ...PAYMENT, ...payment },
    disputes,
  });
  const find = (part: string) => statements.filter(({ text }) => text.includes(part)).map(({ values }) => values);
  return {
    written: find('dispute_status = $4'),
    audit: find('private.audit(').map(([, action, , , details]) => [action, details]),
    jobs: find('insert into private.outbox').map(([, kind, subject, dedupe]) => [kind, subject, dedupe]),
    stored: find('insert into private.dispute').map(([id, , now]) => [id, now]),
  };
}

test.each<[PaymentFacts['state'], Dispute['status'], PaymentFacts['state']]>([
  ['paid', 'open', 'disputed'],
  ['dispute_lost', 'open', 'disputed'],
  ['refund_pending', 'open', 'refund_pending'],
  ['refunded', 'open', 'refunded'],
  ['paid', 'lost', 'dispute_lost'],
  ['disputed', 'lost', 'dispute_lost'],
  ['refund_pending', 'lost', 'dispute_lost'],
  ['refund_failed', 'lost', 'dispute_lost'],
  ['refunded', 'lost', 'refunded'],
  ['refund_manual', 'lost', 'refund_manual'],
  ['disputed', 'won', 'paid'],
  ['dispute_lost', 'won', 'paid'],
  ['paid', 'won', 'paid'],
  ['refunded', 'won', 'refunded'],
])('a payment that is %s becomes, with a dispute that is %s, %s', async (state, status, expected) => {
  const { written, audit, jobs, stored } = await record([dispute(status)], { payment: { state } });
  expect(written).toEqual([['p', expected, 'dp', status]]);
  expect(audit).toEqual([['alert', { bookingId: 'b', dispute: 'dp', status, state: expected }]]);
  expect([jobs, stored]).toEqual([[], [['p', NOW]]]);
});

const cancelled = { booking: { status: 'cancelled' as const } };
test.each<[string, Parameters<typeof record>[1], string]>([
  ['is cancelled', cancelled, 'refund_pending'],
  ['is cancelled without its money back', { ...cancelled, kept: true }, 'paid'],
  ['is cancelled and was refunded', { ...cancelled, payment: { refundedCents: 4_900 } }, 'paid'],
  ['is cancelled and was partly refunded', { ...cancelled, payment: { refundedCents: 4_899 } }, 'refund_pending'],
  ['takes place', {}, 'paid'],
])('when a dispute is won, the payment of a booking that %s is as it was', async (_what, given, expected) => {
  const payment = { state: 'disputed' as const, ...given?.payment };
  const { written, jobs } = await record([dispute('won')], { ...given, payment });
  expect(written[0]?.[1]).toBe(expected);
  expect(jobs).toEqual(expected === 'refund_pending' ? [['payment.refund', 'p', 'dispute:dp']] : []);
});

test('the newest dispute counts, once, and the disputes of a series are stored with its first payment', async () => {
  const earlier = dispute('lost', 'earlier', new Date(+NOW - 1));
  for (const all of [
    [earlier, dispute('open')],
    [dispute('open'), earlier],
  ])
    expect((await record(all)).written).toEqual([['p', 'disputed', 'dp', 'open']]);
  const recorded = { disputeId: 'dp', disputeStatus: 'open' as const };
  expect((await record([dispute('open')], { payment: recorded })).written).toEqual([]);
  expect((await record([dispute('won')], { payment: recorded })).written).toHaveLength(1);
  expect((await record([dispute('open', 'other')], { payment: recorded })).written).toHaveLength(1);
  expect(await record([])).toEqual({ written: [], audit: [], jobs: [], stored: [] });
  expect((await record([dispute('open')], { payment: { shareOf: 'p' } })).stored).toHaveLength(1);
  expect((await record([dispute('open')], { payment: { shareOf: 'first' } })).stored).toEqual([]);
  const refunding = { state: 'refund_pending' as const, ...recorded };
  expect((await record([dispute('lost')], { payment: refunding })).jobs).toEqual([]);
});
