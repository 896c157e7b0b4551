import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as wire from '#web/data/testing/wire.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { WalletButtons } from './wallet-buttons.tsx';

vi.mock('#web/lib/leave.ts', () => ({ leaveTo: vi.fn() }));
const BOOKING = '55555555-5555-4555-8555-555555555555';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 16)';
const agent = vi.spyOn(navigator, 'userAgent', 'get');
beforeEach(() => vi.clearAllMocks());
afterEach(() => document.head.replaceChildren());

function show(wallets: string, device: string): string[] {
  const meta = Object.assign(document.createElement('meta'), { name: 'wallets', content: wallets });
  document.head.replaceChildren(meta);
  agent.mockReturnValue(device);
  renderPart(<WalletButtons bookingId={BOOKING} />);
  return screen.queryAllByRole('button').map((button) => button.textContent ?? '');
}

test('nothing is shown where the server makes no passes [spec 10.12]', () => {
  expect(show('', IPHONE)).toEqual([]);
  expect(screen.queryByText(/Save it on your phone/)).toBeNull();
});

test('Apple’s wallet is offered on Apple’s devices only', () => {
  expect(show('apple google', ANDROID)).toEqual(['Add to Google Wallet']);
  expect(document.querySelectorAll('section')).toHaveLength(1);
});

test('a press opens the pass, and a refusal is shown in place', async () => {
  expect(show('apple google', IPHONE)).toEqual(['Add to Apple Wallet', 'Add to Google Wallet']);
  wire.refuse('wallet-pass', 'not_configured', { message: 'We can’t make passes now.' });
  await user.click(screen.getByRole('button', { name: 'Add to Apple Wallet' }));
  expect((await screen.findByRole('alert')).textContent).toBe('We can’t make passes now.');
  expect(leaveTo).not.toHaveBeenCalled();
  wire.answer('wallet-pass', { url: 'https://site.example/pass' });
  await user.click(screen.getByRole('button', { name: 'Add to Google Wallet' }));
  await waitFor(() => expect(leaveTo).toHaveBeenCalledWith('https://site.example/pass'));
  expect(wire.sent('wallet-pass').at(-1)).toEqual({ bookingId: BOOKING, kind: 'google' });
  expect(screen.queryByRole('alert')).toBeNull();
});
