import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { PaymentSession, ProviderEvent } from '#server/providers/ports.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { reconcilePayments } from './reconcile-payments.ts';

const NOW = new Date('2031-03-04T00:00:00Z');
const HOUR = 3_600_000;
const SESSION: PaymentSession = {
  id: 'cs',
  url: null,
  status: 'complete',
  paymentStatus: 'paid',
  intentStatus: 'succeeded',
  amountCents: 4_900,
  currency: 'aud',
  bookingId: 'b',
  paymentIntentId: 'pi',
  decline: null,
  refundedCents: 0,
  disputed: false,
  livemode: true,
  metadata: {},
};
const event = { id: 'evt', type: 'charge.refunded', objectId: 'ch', paymentIntentId: 'pi', livemode: false };
const silent = new ProviderError('stripe', 'no_response', { retryable: true });

/** Reconciles with what the provider has. Returns the stored events, the other changes, and what was logged. */
async function reconcile({
  session = null as PaymentSession | null,
  events = [] as readonly ProviderEvent[],
  rows = {} as RowsByText,
  listSessions = null as (() => Promise<never>) | null,
}) {
  const { db, statements } = createRowDatabase(rows);
  const [since, logged]: [Date[], unknown[]] = [[], []];
  const services = servicesWith({
    db,
    clock: () => NOW,
    log: { error: (fields, message) => void logged.push(fields, message), warn: () => undefined },
    payments: {
      provider: 'stripe',
      listSessions: (from) => {
        since.push(from);
        return listSessions?.() ?? Promise.resolve(session === null ? [] : [session]);
      },
      listEvents: async (from) => (since.push(from), events),
      getSession: () => Promise.reject(silent),
    },
  });
  const answer = await reconcilePayments(services).catch((error: unknown) => error);
  const find = (part: string) => statements.filter(({ text }) => text.includes(part)).map(({ values }) => values);
  return { answer, since, logged, stored: find('insert into private.webhook_inbox'), find };
}

const PAID = { paymentStatus: 'paid' } as const;
const FREE = { paymentStatus: 'no_payment_required', amountCents: 0 } as const;
const PROCESSING = { paymentStatus: 'unpaid', intentStatus: 'processing' } as const;
const FAILED = { paymentStatus: 'unpaid', intentStatus: 'canceled' } as const;
const EXPIRED = { status: 'expired', paymentStatus: 'unpaid', intentStatus: null } as const;
const STATES = ['intent', 'open', 'processing', 'failed', 'expired', 'paid', 'refund_pending', 'refunded', 'disputed'];

test.each([
  ['paid', PAID, ['intent', 'open', 'processing', 'failed', 'expired']],
  ['free', FREE, ['intent', 'open', 'processing']],
  ['processing', PROCESSING, ['intent', 'open']],
  ['failed', FAILED, ['intent', 'open', 'processing']],
  ['expired', EXPIRED, ['intent', 'open']],
] as const)('a session that is %s is settled when our payment is behind it', async (_outcome, more, behind) => {
  const found: string[] = [];
  for (const state of STATES) {
    const row = { session_id: 'cs', state, refunded: 0, disputed: false };
    const { stored } = await reconcile({ session: { ...SESSION, ...more }, rows: { 'p.session_id = any': row } });
    if (stored.length > 0) found.push(state);
  }
  expect(found).toEqual(behind);
});

const paidHere = { session_id: 'cs', state: 'paid', refunded: 0, disputed: false };
test.each<[string, Partial<PaymentSession>, object | null, boolean]>([
  ['that is open', { status: 'open', paymentStatus: 'unpaid', intentStatus: null }, null, false],
  ['that we do not have, and that was paid', PAID, null, true],
  ['that we do not have, and that expired', EXPIRED, null, false],
  ['as it is here', PAID, paidHere, false],
  ['with a refund that we do not have', { ...PAID, refundedCents: 100 }, paidHere, true],
  ['with the refund that we have', { ...PAID, refundedCents: 100 }, { ...paidHere, refunded: 100 }, false],
  ['with a dispute that we do not have', { ...PAID, disputed: true }, paidHere, true],
  ['with the dispute that we have', { ...PAID, disputed: true }, { ...paidHere, disputed: true }, false],
  ['without the dispute that we have', PAID, { ...paidHere, disputed: true }, false],
])('a session %s is stored if it differs', async (_what, more, row, isStored) => {
  const { stored } = await reconcile({ session: { ...SESSION, ...more }, rows: { 'p.session_id = any': row } });
  expect(stored).toHaveLength(isStored ? 1 : 0);
});

test('a difference becomes an event once for each state of its session, and events that were lost are stored', async () => {
  const handled = { ...event, id: 'known' };
  const { answer, since, stored, find } = await reconcile({
    session: SESSION,
    events: [event, handled],
    rows: { 'event_id = any': { event_id: 'known' } },
  });
  expect(answer).toBe(0);
  expect(since).toEqual(Array(2).fill(new Date(+NOW - 72 * HOUR)));
  expect(stored).toEqual([
    ['stripe', 'reconcile:cs:complete:paid:succeeded:0:false', 'reconcile.session', 'cs', 'pi', true, NOW],
    ['stripe', 'evt', 'charge.refunded', 'ch', 'pi', false, NOW],
  ]);
  expect(find('delete from private.webhook_inbox')).toEqual([[NOW]]);
  const expired = await reconcile({ session: { ...SESSION, intentStatus: null } });
  expect(expired.stored[0]?.[1]).toBe('reconcile:cs:complete:paid:none:0:false');
});

test('a step that fails does not stop the others, and its error is thrown at the end', async () => {
  const { answer, stored, logged, find } = await reconcile({
    events: [event],
    listSessions: () => Promise.reject(silent),
    rows: { 'from private.claim_webhooks': null },
  });
  expect(answer).toBe(silent);
  expect(stored).toHaveLength(1);
  expect(find('claim_webhooks')).toHaveLength(1);
  expect(logged).toEqual([{ part: 'sessions', reason: 'stripe no_response' }, expect.stringMatching(/\w/)]);
});

test('a payment that is not final is compared again in an hour, and after a failure in ten minutes', async () => {
  const { logged, find } = await reconcile({ rows: { 'checked_at nulls first': { id: 'p', session_id: 'cs' } } });
  expect(logged).toEqual([{ payment: 'p', reason: 'stripe no_response' }, expect.stringMatching(/\w/)]);
  expect(find('set checked_at')).toEqual([['p', new Date(+NOW - 50 * 60_000)]]);
});
