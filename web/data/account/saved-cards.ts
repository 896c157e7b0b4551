import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNow } from '#web/lib/use-now.ts';
import { type CallAnswer, callFunction } from '../fetch-client.ts';
import { queryKeys } from '../query-keys.ts';

/** A card that the account has saved at the payment provider. */
export type SavedCard = CallAnswer<'saved-cards'>['cards'][number];

/** Reads the saved cards of the account, newest first. Throws `AppError`. */
const readSavedCards = async (): Promise<readonly SavedCard[]> => (await callFunction('saved-cards', {})).cards;

/** Queries the saved cards of the account. If `enabled` is false, nothing is read. */
export function useSavedCards(userId: string, enabled = true): UseQueryResult<readonly SavedCard[]> {
  return useQuery({ queryKey: queryKeys.savedCards.of(userId), queryFn: readSavedCards, enabled, retry: 1 });
}

/**
 * Returns the saved cards that can pay now, newest first. Empty if they cannot be read; the customer can still use the pay page. `loading`:
 * the cards are not known yet. The page's button waits for it, because a button that charges a card must not appear under a finger.
 */
export function useUsableCards(
  userId: string,
  enabled: boolean,
): { readonly cards: readonly SavedCard[]; readonly loading: boolean } {
  const now = useNow(60_000);
  const { data, isLoading } = useSavedCards(userId, enabled);
  const cards = useMemo(
    () => (enabled && data !== undefined ? data.filter((card) => !isExpired(card, now)) : []),
    [enabled, data, now],
  );
  return { cards, loading: isLoading };
}

/** Why a payment with a saved card failed. Nothing was charged. */
export type CardProblem = NonNullable<CallAnswer<'extend-booking'>['cardProblem']>;
const PROBLEMS: Readonly<Record<CardProblem, string>> = {
  declined: 'Your bank declined the card.',
  needs_customer: 'Your bank wants you to confirm this payment, on the pay page.',
  gone: 'This card isn’t saved any more.',
};
/** Describes the problem: "Your bank declined the card. Nothing was charged." */
export const describeCardProblem = (problem: CardProblem): string => `${PROBLEMS[problem]} Nothing was charged.`;

/** Removes a saved card at the payment provider. Throws `AppError`. */
export const removeSavedCard = (cardId: string): Promise<unknown> => callFunction('remove-card', { cardId });

const BRANDS: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  eftpos_au: 'eftpos',
  unionpay: 'UnionPay',
  jcb: 'JCB',
  discover: 'Discover',
  diners: 'Diners Club',
};

/** Formats a card: "Visa ending in 4242". */
export const nameOfCard = ({ brand, last4 }: SavedCard): string => `${BRANDS[brand] ?? 'Card'} ending in ${last4}`;

/** Whether the last day of a card's expiry month has passed. */
export const isExpired = ({ expiryMonth, expiryYear }: SavedCard, now: Date): boolean =>
  now.getTime() >= Date.UTC(expiryYear, expiryMonth, 1);
