import type { Refund } from '#server/providers/ports.ts';

/**
 * Idempotency keys of a refund: `first`, then `first:1`, `first:2` for each attempt after a failed one. With the key of a failed refund,
 * the provider would only repeat that failure. The provider stores the key with each refund, so its list shows which attempts exist.
 * `first` is `refund:<id>`, with the id of the payment if everything left of it is refunded, or of the partial refund.
 */
export const firstKey = (id: string): string => `refund:${id}`;

/** Returns whether a refund at the provider is one of the attempts whose keys start with this first key. */
export const isAttempt = (first: string, { key }: Pick<Refund, 'key'>): boolean =>
  key === first || key?.startsWith(`${first}:`) === true;

/** Returns the key of the next attempt: the first one that no refund at the provider uses. */
export function nextKey(first: string, refunds: readonly Pick<Refund, 'key'>[]): string {
  const used = new Set(refunds.map(({ key }) => key));
  let attempt = 0;
  const keyAt = (index: number): string => (index === 0 ? first : `${first}:${index}`);
  while (used.has(keyAt(attempt))) attempt += 1;
  return keyAt(attempt);
}

/** Returns the id of the payment or partial refund in a key; an empty string if the key contains none. */
export const idInKey = (key: string): string => key.split(':').find((word) => word.length === 36) ?? '';

/** Returns whether a refund failed, so that it returns no money. */
export const isFailed = ({ status }: Pick<Refund, 'status'>): boolean => status === 'failed' || status === 'canceled';

/** Returns the amount that has been refunded or is on its way, in cents. */
export const coveredCents = (refunds: readonly Refund[]): number =>
  refunds.filter((refund) => !isFailed(refund)).reduce((sum, refund) => sum + refund.amountCents, 0);
