import type Stripe from 'stripe';
import { ProviderError } from '../call.ts';
import type { LedgerEntry } from '../ports.ts';
import { balanceReply, type BalanceSource, read } from './replies.ts';

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

/**
 * Lists what moved money from payments, refunds and disputes since then. Payouts and fees are left out. Throws `ProviderError`
 * 'ledger_too_long' rather than a part of the list.
 */
export async function listLedger(stripe: Stripe, since: Date): Promise<LedgerEntry[]> {
  const found: LedgerEntry[] = [];
  let read = 0;
  for await (const one of stripe.balanceTransactions.list({
    limit: 100,
    created: { gte: Math.floor(since.getTime() / 1000) },
    expand: ['data.source'],
  })) {
    read += 1;
    if (read > LIST_MAX) throw new ProviderError('stripe', 'ledger_too_long', { retryable: false });
    const entry = toEntry(one);
    if (entry !== null) found.push(entry);
  }
  return found;
}

function toEntry(reply: unknown): LedgerEntry | null {
  const one = read(balanceReply, reply);
  const meaning = one.type === 'adjustment' ? ADJUSTMENTS.get(one.reporting_category) : MEANING.get(one.type);
  const id = idOf(one.source);
  if (meaning === undefined || id === null) return null;
  return {
    ...meaning,
    id,
    amountCents: one.amount,
    // The customer may have paid in another currency than the one it was exchanged for.
    currency: [one.currency, currencyOf(one.source)].find((currency) => currency !== OURS) ?? OURS,
    createdAt: new Date(one.created * 1000),
  };
}

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
