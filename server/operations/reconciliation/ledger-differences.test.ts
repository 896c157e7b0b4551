import { expect, test } from 'vitest';
import type { LedgerEntry } from '#server/providers/ports.ts';
import { compareLedger, type OwnItem } from './ledger-differences.ts';

const MONTH = {
  start: new Date('2031-02-28T13:00:00Z'),
  end: new Date('2031-03-31T13:00:00Z'),
  settledBefore: new Date('2031-03-20T00:00:00Z'),
};
const own = (more: Partial<OwnItem> = {}): OwnItem => ({
  kind: 'payment',
  id: 'pi_1',
  bookingId: 'b',
  amountCents: 11_800,
  currency: 'aud',
  at: new Date('2031-03-05T00:00:10Z'),
  ...more,
});
const entry = (more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  kind: 'payment',
  original: true,
  id: 'pi_1',
  amountCents: 11_800,
  currency: 'aud',
  createdAt: new Date('2031-03-05T00:00:00Z'),
  ...more,
});
const names = (ours: OwnItem[], theirs: LedgerEntry[]): string[] =>
  compareLedger(ours, theirs, MONTH).differences.map(({ name, id }) => `${name} ${id}`);

test('equal sides have equal sums by kind and no differences', () => {
  const refund = { kind: 'refund', id: 're_1', amountCents: -800 } as const;
  const { sums, differences } = compareLedger([own(), own(refund)], [entry(), entry(refund)], MONTH);
  expect(differences).toEqual([]);
  expect(sums).toEqual([
    { kind: 'payment', here: { count: 1, cents: 11_800 }, there: { count: 1, cents: 11_800 } },
    { kind: 'refund', here: { count: 1, cents: -800 }, there: { count: 1, cents: -800 } },
    { kind: 'dispute', here: { count: 0, cents: 0 }, there: { count: 0, cents: 0 } },
  ]);
});

test.each([
  ['missing here', [], [entry()], ['missing_here pi_1']],
  ['missing there', [own()], [], ['missing_there pi_1']],
  ['another amount', [own()], [entry({ amountCents: 11_801 })], ['other_amount pi_1']],
  ['another currency', [own()], [entry({ currency: 'usd' })], ['other_currency pi_1']],
  ['an equal id of another kind', [own()], [entry({ kind: 'refund' })], ['missing_there pi_1', 'missing_here pi_1']],
] as const)('%s is named', (_name, ours, theirs, expected) => {
  expect(names([...ours], [...theirs])).toEqual(expected);
});

test('a difference names booking, both amounts, the foreign currency and the time', () => {
  const { differences } = compareLedger([own()], [entry({ amountCents: 9_000, currency: 'usd' })], MONTH);
  expect(differences).toEqual([
    {
      name: 'other_currency',
      kind: 'payment',
      id: 'pi_1',
      bookingId: 'b',
      hereCents: 11_800,
      thereCents: 9_000,
      currency: 'usd',
      at: new Date('2031-03-05T00:00:00Z'),
    },
  ]);
});

test('what was taken back counts with its original, and nothing on both sides is no difference', () => {
  const refund = entry({ kind: 'refund', id: 're_1', amountCents: -800 });
  const failure = { ...refund, original: false, amountCents: 800, createdAt: new Date('2031-04-03T00:00:00Z') };
  expect(names([own({ kind: 'refund', id: 're_1', amountCents: 0 })], [refund, failure])).toEqual([]);
  expect(names([own({ kind: 'refund', id: 're_1', amountCents: -800 })], [refund, failure])).toEqual([
    'other_amount re_1',
  ]);
  expect(names([], [refund, failure])).toEqual([]);
  expect(names([own({ kind: 'refund', id: 're_1', amountCents: 0 })], [])).toEqual([]);
  // The refund itself was made in an earlier month.
  expect(names([own({ kind: 'refund', id: 're_1', amountCents: 0 })], [failure])).toEqual([]);
  expect(names([own({ kind: 'refund', id: 're_1', amountCents: -800 })], [failure])).toEqual([]);
});

test('an item belongs to the month of the provider’s entry, otherwise of our row; the end is the next month’s', () => {
  const before = { createdAt: new Date('2031-02-28T12:59:59Z') };
  expect(names([own({ amountCents: 1 })], [entry(before)])).toEqual([]);
  expect(names([own({ at: MONTH.end })], [])).toEqual([]);
  expect(names([], [entry({ createdAt: MONTH.end })])).toEqual([]);
  expect(names([own({ at: MONTH.start })], [])).toEqual(['missing_there pi_1']);
  expect(names([own({ amountCents: 1 })], [entry({ createdAt: MONTH.end })])).toEqual([]);
  expect(names([own({ amountCents: 1 })], [entry({ createdAt: MONTH.start })])).toEqual(['other_amount pi_1']);
});

test('what only one side knows since a few minutes is not compared yet', () => {
  const late = MONTH.settledBefore;
  expect(names([own({ at: late })], [entry({ id: 'pi_2', createdAt: late })])).toEqual([]);
  expect(names([own({ at: late })], [entry({ createdAt: late, amountCents: 1 })])).toEqual(['other_amount pi_1']);
});
