import { expect, test } from 'vitest';
import type { Refund } from '#server/providers/ports.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import type { JobOutcome } from '../core/jobs.ts';
import { makePartialRefundJob, refundPaymentJob } from './refund.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const TAKEN = 4_900;
const PAYMENT = {
  id: 'p',
  bookingId: 'b',
  kind: 'card',
  state: 'refund_pending',
  paymentIntentId: 'pi',
  paidCents: TAKEN,
  amountCents: TAKEN,
  refundedCents: 0,
  disputeStatus: null,
  shareOf: null,
};
const PART = { id: 'part', amountCents: 1_000, state: 'pending', key: 'refund:part' };
type Given = {
  readonly payment?: object;
  readonly part?: object;
  /** The refunds at the provider before the job. */
  readonly there?: readonly Partial<Refund>[];
  /** The status of a refund that the provider is asked for. */
  readonly status?: Refund['status'];
  readonly rows?: RowsByText;
};

/** Runs the job of a refund. Returns its outcome, what the provider was asked for, and what happened to the part. */
async function refund(
  what: 'all' | 'part',
  { payment, part, there = [], status = 'succeeded', rows = {} }: Given = {},
) {
  const facts = { ...PAYMENT, ...(what === 'part' && { state: 'paid' }), ...payment };
  const refunds = there.map((entry, index) => ({
    id: `re_${index}`,
    amountCents: TAKEN,
    status: 'succeeded',
    key: null,
    ...entry,
  })) as Refund[];
  const requests: unknown[] = [];
  let stored: readonly Refund[] = refunds;
  const sum = (...states: readonly Refund['status'][]): number =>
    stored.filter((entry) => states.includes(entry.status)).reduce((total, entry) => total + entry.amountCents, 0);
  let partState = { ...PART, ...part };
  const { db, statements } = createRowDatabase(rows, {
    'update private.payment x set state': { facts },
    'join private.partial_refund p on p.payment_id = x.id where p.id': { facts },
    'from private.partial_refund where id': () => partState,
    "state in ('pending', 'done')": () => (partState.state === 'pending' ? [partState] : []),
    'update private.partial_refund set state = $2': ([, state]: readonly unknown[]) => {
      partState = { ...partState, state: String(state) };
      return null;
    },
    lock_booking: { value: { id: 'b', status: 'confirmed', startTime: NOW.toISOString(), endTime: NOW.toISOString() } },
    'where x.id = $1::uuid for update': { facts },
    'insert into private.refund as r': ([, { refunds: all }]: readonly [unknown, { refunds: readonly Refund[] }]) => {
      stored = all;
      return all.map((entry) => ({
        id: entry.id,
        status: entry.status,
        ours: entry.key !== null,
        amount_cents: entry.amountCents,
      }));
    },
    'as succeeded': () => ({
      succeeded: sum('succeeded'),
      under_way: sum('pending'),
      failures: stored.filter((entry) => entry.status === 'failed').length,
      latest: stored.length === 0 ? null : 're',
      at_provider: stored.some((entry) => entry.key === null && entry.status !== 'failed'),
    }),
  });
  const services = servicesWith({
    db,
    clock: () => NOW,
    countOutcome: () => undefined,
    payments: {
      provider: 'stripe',
      listRefunds: async () => refunds,
      refund: async (input) => {
        requests.push(input);
        return {
          id: 'new',
          amountCents: input.amountCents ?? TAKEN - sum('succeeded', 'pending'),
          status,
          key: input.key,
        };
      },
    },
  });
  const job = {
    id: 'job',
    kind: 'payment.refund',
    recipient: null,
    payload: {},
    dueAt: NOW,
    deadlineAt: null,
    tries: 1,
  };
  const definition = what === 'all' ? refundPaymentJob : makePartialRefundJob;
  const outcome = await definition.handle(services, { ...job, subjectId: what === 'all' ? 'p' : 'part' });
  const changes = statements.flatMap(({ text, values }) =>
    text.includes('update private.partial_refund set state')
      ? [text.includes("'covered'") ? 'covered' : String(values[1])]
      : [],
  );
  const again = statements
    .filter(({ text }) => text.includes('insert into private.outbox'))
    .map(({ values }) => values[3]);
  return { outcome, requests, changes, again };
}
const after = (minutes: number): JobOutcome => ({ retryAt: new Date(+NOW + minutes * 60_000) });
const all = { key: 'refund:p', paymentIntentId: 'pi' };
const some = { key: 'refund:part', paymentIntentId: 'pi', amountCents: 1_000 };

test.each<[string, Given, JobOutcome, unknown[]]>([
  ['arrives', {}, 'done', [all]],
  ['is being processed', { status: 'pending' }, after(60), [all]],
  ['fails', { status: 'failed' }, 'done', [all]],
  ['waits while a dispute is open', { payment: { disputeStatus: 'open' } }, after(6 * 60), []],
  ['is made once a dispute is won', { payment: { disputeStatus: 'won' } }, 'done', [all]],
  ['waits while the account is being recovered', { rows: { is_undo_begun: { held: true } } }, after(1), []],
  ['was made before', { there: [{ key: 'refund:p' }] }, 'done', []],
  ['is under way', { there: [{ key: 'refund:p', status: 'pending' }] }, after(60), []],
  ['is what people left of it', { there: [{ amountCents: 900 }] }, 'done', [all]],
  ['was made at the provider', { there: [{}] }, 'done', []],
  [
    'of a share of a series names its amount',
    {
      payment: { shareOf: 'first' },
      rows: { 'where x.share_of = $1::uuid order by': { facts: { ...PAYMENT, shareOf: 'first' } } },
    },
    'done',
    [{ ...all, amountCents: TAKEN }],
  ],
])('a refund of everything that %s', async (_what, given, outcome, requests) => {
  const result = await refund('all', given);
  expect([result.outcome, result.requests]).toEqual([outcome, requests]);
});

test('a refund of everything that is no longer due is done without a call', async () => {
  expect(await refund('all', { rows: { 'update private.payment x set state': null } })).toMatchObject({
    outcome: 'done',
    requests: [],
  });
});

test.each<[string, Given, JobOutcome, unknown[], unknown[]]>([
  ['arrives', {}, 'done', [some], ['done']],
  ['is being processed', { status: 'pending' }, after(60), [some], []],
  ['fails, and is due again', { status: 'failed' }, 'done', [some], ['pending']],
  ['was made before', { there: [{ key: 'refund:part', amountCents: 1_000 }] }, 'done', [], ['done']],
  ['is under way', { there: [{ key: 'refund:part', amountCents: 1_000, status: 'pending' }] }, after(60), [], []],
  [
    'is made in addition to another one',
    { there: [{ key: 'refund:other', amountCents: 3_900 }] },
    'done',
    [some],
    ['done'],
  ],
  ['no longer fits', { there: [{ key: 'refund:other', amountCents: 3_901 }] }, 'done', [], ['covered']],
  ['is covered by a refund of everything', { payment: { state: 'refund_pending' } }, 'done', [], ['covered']],
  [
    'is of a disputed payment that was won',
    { payment: { state: 'disputed', disputeStatus: 'won' } },
    'done',
    [some],
    ['done'],
  ],
  ['is not pending', { part: { state: 'done' } }, 'done', [], []],
])('a partial refund that %s', async (_what, given, outcome, requests, changes) => {
  const result = await refund('part', given);
  expect([result.outcome, result.requests, result.changes]).toEqual([outcome, requests, changes]);
});

test('a refund that failed is tried again in a day, under the number of its failures', async () => {
  const failed = { key: 'refund:part', amountCents: 1_000, status: 'failed' as const };
  expect((await refund('part', { status: 'failed' })).again).toEqual(['failed:1']);
  const second = await refund('part', {
    there: [failed],
    status: 'failed',
    rows: { 'insert into private.refund as r': null },
  });
  expect(second.requests).toEqual([{ ...some, key: 'refund:part:1' }]);
});
