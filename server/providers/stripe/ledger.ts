import type Stripe from 'stripe';
import { ProviderError } from '../call.ts';
import type { LedgerEntry, Payout, ProviderLedger } from '../ports.ts';
import { type BalanceReply, balanceReply, type BalanceSource, read } from './replies.ts';

/** How many entries one month may have: a hundred pages. */
const LIST_MAX = 10_000;

const OURS = 'aud';
/** What each type of balance transaction means (docs.stripe.com/reports/balance-transaction-types). */
const MEANING: ReadonlyMap<string, Pick<LedgerEntry, 'kind' | 'original'>> = new Map([
  ['charge', { kind: 'payment', original: true }],
  ['payment', { kind: 'payment', original: true }],
  ['payment_failure_refund', { kind: 'payment', original: false }],
  ['refund', { kind: 'refund', original: true }],
  ['payment_refund', { kind: 'refund', original: true }],
  ['refund_failure', { kind: 'refund', original: false }],
]);
/** The money of disputes moves as adjustments. */
const ADJUSTMENTS: typeof MEANING = new Map([
  ['dispute', { kind: 'dispute', original: true }],
  ['dispute_reversal', { kind: 'dispute', original: false }],
]);

/** Payouts, and what the bank or we sent back of them. */
const PAYOUTS: ReadonlyMap<string, Pick<Payout, 'returned'>> = new Map([
  ['payout', { returned: false }],
  ['payout_failure', { returned: true }],
  ['payout_cancel', { returned: true }],
]);
/** What the provider charges apart from the fee of a single payment. */
const FEES: ReadonlySet<string> = new Set(['stripe_fee', 'tax_fee', 'network_cost']);

/** Lists what moved the money of the account since then. Throws `ProviderError` 'ledger_too_long' rather than a part of the list. */
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
    // The customer may have paid in another currency than the one it was exchanged for.
    currency: [one.currency, currencyOf(one.source)].find((currency) => currency !== OURS) ?? OURS,
    createdAt: dateOf(one.created),
  };
}

/** The fee of an entry; of an entry that is a fee itself, its amount, which is negative when the provider takes money. */
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

/** A charge is known by its payment intent, as in our rows; a refund or dispute by its own id. */
function idOf(source: BalanceSource): string | null {
  if (source === null || source === undefined || typeof source === 'string') return source ?? null;
  if (source.object !== 'charge') return source.id;
  const intent = source.payment_intent ?? null;
  return intent === null ? source.id : typeof intent === 'string' ? intent : intent.id;
}
