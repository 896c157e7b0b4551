import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { isExpired } from '#web/data/account/saved-cards.ts';
import * as wire from '#web/data/testing/wire.ts';
import { pressTwice, renderPart, user } from '#web/ui/component-tests.ts';
import { SavedCards } from './saved-cards.tsx';

const CARD = { id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2099 };
beforeEach(() => {
  wire.answer('saved-cards', { cards: [CARD, { ...CARD, id: 'pm_2', last4: '0341', expiryYear: 2020 }] });
});

test('saved cards are listed with their expiry, and removed after a question [spec 10.19]', async () => {
  renderPart(<SavedCards userId="u" />);
  expect(await screen.findByText('Visa ending in 4242')).toBeTruthy();
  expect(screen.getByText('Expires 12/2099')).toBeTruthy();
  expect(screen.getByText('Expired 12/2020')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Remove Visa ending in 4242' }));
  expect(wire.sent('remove-card')).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Keep it' }));
  await user.click(screen.getByRole('button', { name: 'Remove Visa ending in 4242' }));
  wire.answer('saved-cards', { cards: [] });
  await user.click(screen.getByRole('button', { name: 'Remove this card' }));
  expect(await screen.findByText(/No saved card/)).toBeTruthy();
  expect(wire.sent('remove-card')).toEqual([{ cardId: 'pm_1' }]);
});

test('a card is removed once, however often its button is pressed while the answer is on its way', async () => {
  renderPart(<SavedCards userId="u" />);
  await user.click(await screen.findByRole('button', { name: 'Remove Visa ending in 4242' }));
  const release = wire.pause('remove-card');
  await pressTwice(screen.getByRole('button', { name: 'Remove this card' }));
  await wire.expectRequests('remove-card', 1);
  release();
  await wire.expectRequests('saved-cards', 2);
  expect(wire.sent('remove-card')).toHaveLength(1);
});

test('cards that cannot be loaded are tried again', async () => {
  wire.fail('saved-cards', 500);
  renderPart(<SavedCards userId="u" />);
  const retry = await screen.findByRole('button', { name: 'Try again' }, { timeout: 5_000 });
  wire.answer('saved-cards', { cards: [] });
  await user.click(retry);
  expect(await screen.findByText(/No saved card/)).toBeTruthy();
});

test('a card expires after the last day of its month', () => {
  const card = { ...CARD, expiryMonth: 2, expiryYear: 2031 };
  expect(isExpired(card, new Date('2031-02-28T23:59:59Z'))).toBe(false);
  expect(isExpired(card, new Date('2031-03-01T00:00:00Z'))).toBe(true);
});
