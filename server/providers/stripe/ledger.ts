import type Stripe from 'stripe';
import { ProviderError } from '../call.ts';
import type { LedgerEntry, Payout, ProviderLedger } from '../ports.ts';
import { type BalanceReply, balanceReply, type BalanceSource, read } from './replies.ts';

/** Maximum number of entries in one month: a hundred pages. */
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
  for await (const transaction of stripe.balanceTransactions.list({
    limit: 100,
    created: { gte: Math.floor(since.getTime() / 1000) },
    expand: ['data.source'],
  })) {
    if (found.length === LIST_MAX) throw new ProviderError('stripe', 'ledger_too_long', { retryable: false });
    found.push(read(balanceReply, transaction));
  }
  return {
    entries: found.flatMap((transaction) => toEntry(transaction) ?? []),
    fees: found.flatMap((transaction) => toFee(transaction) ?? []),
    payouts: found.flatMap((transaction) => toPayout(transaction) ?? []),
  };
}

function toEntry(transaction: BalanceReply): LedgerEntry | null {
  const meaning =
    transaction.type === 'adjustment' ? ADJUSTMENTS.get(transaction.reporting_category) : MEANING.get(transaction.type);
  const id = getId(transaction.source);
  if (meaning === undefined || id === null) return null;
  return {
    ...meaning,
    id,
    amountCents: transaction.amount,
    // The customer may have paid in a currency other than that of the entry, into which the money was exchanged.
    currency: [transaction.currency, getCurrency(transaction.source)].find((currency) => currency !== OURS) ?? OURS,
    createdAt: toDate(transaction.created),
  };
}

/** Returns the fee of an entry. The fee of an entry that is itself a fee is its amount, which is negative when the provider takes money. */
function toFee(transaction: BalanceReply): ProviderLedger['fees'][number] | null {
  const cents = transaction.fee - (FEES.has(transaction.type) ? transaction.amount : 0);
  return cents === 0 ? null : { cents, createdAt: toDate(transaction.created) };
}

function toPayout(transaction: BalanceReply): Payout | null {
  const meaning = PAYOUTS.get(transaction.type);
  const id = getId(transaction.source);
  if (meaning === undefined || id === null) return null;
  const arrives = typeof transaction.source === 'object' ? (transaction.source?.arrival_date ?? null) : null;
  return {
    ...meaning,
    id,
    cents: -transaction.amount,
    createdAt: toDate(transaction.created),
    arrivesAt: arrives === null ? null : toDate(arrives),
  };
}

const toDate = (seconds: number): Date => new Date(seconds * 1000);

function getCurrency(source: BalanceSource): string {
  return typeof source === 'object' ? (source?.currency ?? OURS) : OURS;
}

/** Returns the id of a source: a charge is identified by its payment intent, as in the database, and a refund or dispute by its own id. */
function getId(source: BalanceSource): string | null {
  if (source === null || source === undefined || typeof source === 'string') return source ?? null;
  if (source.object !== 'charge') return source.id;
  const intent = source.payment_intent ?? null;
  return intent === null ? source.id : typeof intent === 'string' ? intent : intent.id;
}
