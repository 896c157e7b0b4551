import { z } from 'zod';
import type { LedgerEntry } from '#server/providers/ports.ts';

type LedgerKind = LedgerEntry['kind'];
/** A payment, refund or dispute according to our rows. */
export const ownItemSchema = z
  .object({
    kind: z.enum(['payment', 'refund', 'dispute']),
    id: z.string(),
    booking_id: z.string(),
    amount_cents: z.number(),
    currency: z.string(),
    at: z.date(),
  })
  .transform(({ booking_id: bookingId, amount_cents: amountCents, ...item }) => ({ ...item, bookingId, amountCents }));
export type OwnItem = z.output<typeof ownItemSchema>;

type LedgerDifference = {
  readonly name: 'missing_here' | 'missing_there' | 'other_amount' | 'other_currency';
  readonly kind: LedgerKind;
  readonly id: string;
  readonly bookingId: string | null;
  readonly hereCents: number | null;
  readonly thereCents: number | null;
  /** The provider's currency if it differs from ours. */
  readonly currency: string | null;
  readonly at: Date;
};
type LedgerSum = {
  readonly kind: LedgerKind;
  readonly here: { readonly count: number; readonly cents: number };
  readonly there: { readonly count: number; readonly cents: number };
};

const KINDS = ['payment', 'refund', 'dispute'] as const satisfies readonly LedgerKind[];

type Item = { readonly own: OwnItem | null; readonly theirs: Theirs | null };
type Theirs = Pick<LedgerEntry, 'kind' | 'id' | 'amountCents' | 'currency'> & { readonly at: Date };

/**
 * Compares our rows with the provider's entries for a month, item by item. An item belongs to the month of its first entry at the provider,
 * including later reversals; without an entry, to the month of our row. Items newer than `settledBefore` that only one side has are
 * ignored, because their webhook may still be on its way.
 */
export function compareLedger(
  own: readonly OwnItem[],
  entries: readonly LedgerEntry[],
  month: { readonly start: Date; readonly end: Date; readonly settledBefore: Date },
): { readonly sums: readonly LedgerSum[]; readonly differences: readonly LedgerDifference[] } {
  const items = pairItems(own, entries).filter(({ own: mine, theirs }) => {
    const at = theirs?.at ?? mine?.at;
    if (at === undefined || at < month.start || at >= month.end) return false;
    return (mine !== null && theirs !== null) || at < month.settledBefore;
  });
  const sums = KINDS.map((kind): LedgerSum => {
    const of = (side: keyof Item) => items.flatMap((item) => (item[side]?.kind === kind ? [item[side]] : []));
    const sum = (side: keyof Item) => ({
      count: of(side).length,
      cents: of(side).reduce((total, item) => total + item.amountCents, 0),
    });
    return { kind, here: sum('own'), there: sum('theirs') };
  });
  return { sums, differences: items.flatMap(findDifferences) };
}

/** Pairs the items of both sides by kind and id. Entries without their original entry belong to an earlier month. */
function pairItems(own: readonly OwnItem[], entries: readonly LedgerEntry[]): readonly Item[] {
  const getKey = ({ kind, id }: { kind: LedgerKind; id: string }): string => `${kind} ${id}`;
  const theirs = new Map<string, Theirs>();
  const earlier = new Set<string>();
  for (const [key, list] of Map.groupBy(entries, getKey)) {
    const original = list.find((entry) => entry.original);
    if (original === undefined) earlier.add(key);
    else
      theirs.set(key, {
        ...original,
        at: original.createdAt,
        amountCents: list.reduce((total, entry) => total + entry.amountCents, 0),
      });
  }
  const mine = new Map(own.map((item) => [getKey(item), item]));
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .filter((key) => !earlier.has(key))
    .map((key) => ({ own: mine.get(key) ?? null, theirs: theirs.get(key) ?? null }));
}

function findDifferences({ own, theirs }: Item): readonly LedgerDifference[] {
  const entry = theirs ?? own;
  if (entry === null) return [];
  const about = {
    kind: entry.kind,
    id: entry.id,
    bookingId: own?.bookingId ?? null,
    hereCents: own?.amountCents ?? null,
    thereCents: theirs?.amountCents ?? null,
    currency: theirs !== null && theirs.currency !== (own?.currency ?? 'aud') ? theirs.currency : null,
    at: entry.at,
  };
  // No money moved: either the refund failed on both sides, or we have recorded a refund that failed before it was sent.
  if (own === null) return theirs?.amountCents === 0 ? [] : [{ name: 'missing_here', ...about }];
  if (theirs === null) return own.amountCents === 0 ? [] : [{ name: 'missing_there', ...about }];
  if (about.currency !== null) return [{ name: 'other_currency', ...about }];
  return own.amountCents === theirs.amountCents ? [] : [{ name: 'other_amount', ...about }];
}
