import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import * as data from '#web/data/fetch-client.ts';
import { isExpired } from '#web/data/account/saved-cards.ts';
import { pressTwice, renderPart, user } from '#web/ui/component-tests.ts';
import { SavedCards } from './saved-cards.tsx';

vi.mock('#web/data/fetch-client.ts', () => ({ callFunction: vi.fn() }));
const call = vi.mocked(data.callFunction);
const CARD = { id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2099 };
beforeEach(() => {
  vi.resetAllMocks();
  call.mockResolvedValue({ cards: [CARD, { ...CARD, id: 'pm_2', last4: '0341', expiryYear: 2020 }] });
});

test('saved cards are listed with their expiry, and removed after a question', async () => {
  renderPart(<SavedCards userId="u" />);
  expect(await screen.findByText('Visa ending in 4242')).toBeTruthy();
  expect(screen.getByText('Expires 12/2099')).toBeTruthy();
  expect(screen.getByText('Expired 12/2020')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Remove Visa ending in 4242' }));
  expect(call).toHaveBeenCalledTimes(1);
  await user.click(screen.getByRole('button', { name: 'Keep it' }));
  await user.click(screen.getByRole('button', { name: 'Remove Visa ending in 4242' }));
  call.mockResolvedValue({ removed: true, cards: [] });
  await user.click(screen.getByRole('button', { name: 'Remove this card' }));
  expect(call).toHaveBeenCalledWith('remove-card', { cardId: 'pm_1' });
});

test('a card is removed once, however often its button is pressed while the answer is on its way', async () => {
  renderPart(<SavedCards userId="u" />);
  await user.click(await screen.findByRole('button', { name: 'Remove Visa ending in 4242' }));
  call.mockReturnValue(new Promise(() => {}));
  await pressTwice(screen.getByRole('button', { name: 'Remove this card' }));
  expect(call.mock.calls.filter(([name]) => name === 'remove-card')).toHaveLength(1);
});

test('cards that cannot be loaded are tried again', async () => {
  call.mockRejectedValue(new Error('down'));
  renderPart(<SavedCards userId="u" />);
  const again = await screen.findByRole('button', { name: 'Try again' }, { timeout: 5_000 });
  call.mockResolvedValue({ cards: [] });
  await user.click(again);
  expect(await screen.findByText(/No saved card/)).toBeTruthy();
});

test('a card expires after the last day of its month', () => {
  const card = { ...CARD, expiryMonth: 2, expiryYear: 2031 };
  expect(isExpired(card, new Date('2031-02-28T23:59:59Z'))).toBe(false);
  expect(isExpired(card, new Date('2031-03-01T00:00:00Z'))).toBe(true);
});
