import type Stripe from 'stripe';
import { ProviderError } from '../call.ts';
import type { LedgerEntry, Payout, ProviderLedger } from '../ports.ts';
import { type BalanceReply, balanceReply, type BalanceSource, read } from './replies.ts';

/** The most entries of one month: a hundred pages. */
const LIST_MAX = 10_000;

const OURS = 'aud';
/** The meaning of each type of balance transaction (docs.stripe.com/reports/balance-transaction-types). */
const MEANING: ReadonlyMap<string, Pick<LedgerEntry, 'kind' | 'original'>> = new Map([
  ['charge', { kind: 'payment', original: true }],
  ['payment', { kind: 'payment', original: true }],
  ['payment_failure_refund', { kind: 'payment', original: false }],
  ['refund', { kind: 'refund', original: true }],
  ['payment_refund', { kind: 'refund', original: true }],
  ['refund_failure', { kind: 'refund', original: false }],
]);
/** Disputes move money as adjustments. */
const ADJUSTMENTS: typeof MEANING = new Map([
  ['dispute', { kind: 'dispute', original: true }],
  ['dispute_reversal', { kind: 'dispute', original: false }],
]);

/** Payouts, and those that the bank or the studio reversed. */
const PAYOUTS: ReadonlyMap<string, Pick<Payout, 'returned'>> = new Map([
  ['payout', { returned: false }],
  ['payout_failure', { returned: true }],
  ['payout_cancel', { returned: true }],
]);
/** The provider's charges in addition to the fee of a single payment. */
const FEES: ReadonlySet<string> = new Set(['stripe_fee', 'tax_fee', 'network_cost']);

/** Lists everything that has moved the account's money since then. Throws `ProviderError` 'ledger_too_long' rather than omit a part. */
export async function listLedger(stripe: Stripe, since: Date): Promise<ProviderLedger> {
  const found: BalanceReply[] = [];
  for await (const one of stripe.balanceTransactions.list({
    limit: 100,
    created: { gte: Math.floor(since.getTime() / 1000) },
    expand: ['data.source'],
  })) {
    if (found.length === LIST_MAX) throw new ProviderError('stripe', 'ledger_too_long', { retryable: false });
    found.push(read(balanceReply, one));
  }
  return {
    entries: found.flatMap((transaction) => toEntry(transaction) ?? []),
    fees: found.flatMap((transaction) => toFee(transaction) ?? []),
    payouts: found.flatMap((transaction) => toPayout(transaction) ?? []),
  };
}

function toEntry(one: BalanceReply): LedgerEntry | null {
  const meaning = one.type === 'adjustment' ? ADJUSTMENTS.get(one.reporting_category) : MEANING.get(one.type);
  const id = idOf(one.source);
  if (meaning === undefined || id === null) return null;
  return {
    ...meaning,
    id,
    amountCents: one.amount,
    // The customer may have paid in a currency other than that of the entry, into which the money was exchanged.
    currency: [one.currency, currencyOf(one.source)].find((currency) => currency !== OURS) ?? OURS,
    createdAt: dateOf(one.created),
  };
}

/** Returns the fee of an entry. The fee of an entry that is itself a fee is its amount, which is negative when the provider takes money. */
function toFee(one: BalanceReply): ProviderLedger['fees'][number] | null {
  const cents = one.fee - (FEES.has(one.type) ? one.amount : 0);
  return cents === 0 ? null : { cents, createdAt: dateOf(one.created) };
}

function toPayout(one: BalanceReply): Payout | null {
  const meaning = PAYOUTS.get(one.type);
  const id = idOf(one.source);
  if (meaning === undefined || id === null) return null;
  const arrives = typeof one.source === 'object' ? (one.source?.arrival_date ?? null) : null;
  return {
    ...meaning,
    id,
    cents: -one.amount,
    createdAt: dateOf(one.created),
    arrivesAt: arrives === null ? null : dateOf(arrives),
  };
}

const dateOf = (seconds: number): Date => new Date(seconds * 1000);

function currencyOf(source: BalanceSource): string {
  return typeof source === 'object' ? (source?.currency ?? OURS) : OURS;
}

/** Returns the id of a source: a charge is identified by its payment intent, as in the database, and a refund or dispute by its own id. */
function idOf(source: BalanceSource): string | null {
  if (source === null || source === undefined || typeof source === 'string') return source ?? null;
  if (source.object !== 'charge') return source.id;
  const intent = source.payment_intent ?? null;
  return intent === null ? source.id : typeof intent === 'string' ? intent : intent.id;
}
