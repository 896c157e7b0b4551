import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNow } from '#web/lib/use-now.ts';
import { type CallAnswer, callFunction } from '../fetch-client.ts';
import { queryKeys } from '../query-keys.ts';

/** A card that the account saved at the payment provider. */
export type SavedCard = CallAnswer<'saved-cards'>['cards'][number];

/** Reads the saved cards of the account, the newest first. Throws `AppError`. */
const readSavedCards = async (): Promise<readonly SavedCard[]> => (await callFunction('saved-cards', {})).cards;

/** The saved cards of the account; `wanted` false asks for none. */
export function useSavedCards(userId: string, wanted = true): UseQueryResult<readonly SavedCard[]> {
  return useQuery({ queryKey: queryKeys.savedCards.of(userId), queryFn: readSavedCards, enabled: wanted, retry: 1 });
}

/**
 * The saved cards that can pay now, the newest first; none when they cannot be read, which leaves the pay page. `loading`: not known yet. A button
 * waits for it, because one that charges a card must not appear under a finger.
 */
export function useUsableCards(
  userId: string,
  wanted: boolean,
): { readonly cards: readonly SavedCard[]; readonly loading: boolean } {
  const now = useNow(60_000);
  const { data, isLoading } = useSavedCards(userId, wanted);
  const cards = useMemo(
    () => (wanted && data !== undefined ? data.filter((card) => !isExpired(card, now)) : []),
    [wanted, data, now],
  );
  return { cards, loading: isLoading };
}

/** Why a saved card did not pay; nothing was taken from it. */
export type CardProblem = NonNullable<CallAnswer<'extend-booking'>['cardProblem']>;
const PROBLEMS: Readonly<Record<CardProblem, string>> = {
  declined: 'Your bank declined the card.',
  needs_customer: 'Your bank wants you to confirm this payment, on the pay page.',
  gone: 'This card isn’t saved any more.',
};
/** "Your bank declined the card. Nothing was charged." */
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

/** "Visa ending in 4242". */
export const nameOfCard = ({ brand, last4 }: SavedCard): string => `${BRANDS[brand] ?? 'Card'} ending in ${last4}`;

/** Whether a card is past the last day of its month. */
export const isExpired = ({ expiryMonth, expiryYear }: SavedCard, now: Date): boolean =>
  now.getTime() >= Date.UTC(expiryYear, expiryMonth, 1);
