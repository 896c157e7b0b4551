import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { OwnData } from './own-data.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
const onDeleted = vi.fn();
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('own_bookings', []);
  wire.answerRows('waiting_moves', []);
  wire.answerRows('booking_payments', []);
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  URL.createObjectURL = vi.fn(() => 'blob:data');
  URL.revokeObjectURL = vi.fn();
});

/** Presses the last button with this name, because the dialog comes after the button that opened it. */
const press = (name: string) => user.click(screen.getAllByRole('button', { name }).at(-1) ?? document.body);
async function open(): Promise<void> {
  renderPart(<OwnData userId="u" onDeleted={onDeleted} />);
  await press('Delete my account');
  await waitFor(() => expect(screen.queryByLabelText('Loading your bookings')).toBeNull());
}

test('the data is downloaded as one file', async () => {
  wire.answerFile('export-my-data', '{}', 'application/json; charset=utf-8');
  renderPart(<OwnData userId="u" onDeleted={onDeleted} />);
  await press('Download my data');
  await waitFor(() => expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'Downloaded' })));
  expect(URL.createObjectURL).toHaveBeenCalledOnce();
});

test('bookings that are not over are listed instead of the question', async () => {
  const booking = {
    id: '1',
    reference: 'AAAA-2222',
    studio_id: 'a',
    studio_name: 'Studio A',
    status: 'confirmed',
    start_time: '2099-01-01T01:00:00Z',
    end_time: '2099-01-01T02:00:00Z',
    total_hours: 1,
    base_cost: 69,
    volume_discount: 0,
    final_cost: 69,
    created_at: '2031-01-01T00:00:00Z',
    terms_start: '2099-01-01T01:00:00Z',
    order_id: null,
  };
  wire.answerRows('own_bookings', [
    booking,
    { ...booking, id: '2', reference: 'BBBB-2222', studio_name: 'Studio B', status: 'cancelled' },
    {
      ...booking,
      id: '3',
      reference: 'CCCC-2222',
      start_time: '2020-01-01T01:00:00Z',
      end_time: '2020-01-01T02:00:00Z',
    },
  ]);
  await open();
  expect(screen.getByText(/AAAA-2222/)).toBeDefined();
  expect(screen.queryByText(/BBBB-2222|CCCC-2222/)).toBeNull();
  expect(screen.queryByLabelText('Type DELETE to confirm')).toBeNull();
});

test('bookings that cannot be loaded keep the account from being deleted, and are tried again', async () => {
  wire.fail('own_bookings', 500);
  await open();
  expect(screen.getByText('Your bookings could not be loaded.')).toBeDefined();
  expect(screen.queryByLabelText('Type DELETE to confirm')).toBeNull();
  wire.answerRows('own_bookings', []);
  await press('Try again');
  expect(await screen.findByLabelText('Type DELETE to confirm')).toBeTruthy();
});

test('the account is deleted after the word is typed, and the page says what is kept until when [spec 10.21]', async () => {
  wire.answer('delete-account', { deleted: true, kept: 2, keptUntil: '2032-06-30' });
  await open();
  await fill(screen.getByLabelText('Type DELETE to confirm'), 'delete');
  await press('Delete my account');
  expect((await screen.findByRole('alert')).textContent).toBe('Type DELETE in capital letters.');
  expect(wire.sent('delete-account')).toEqual([]);
  await fill(screen.getByLabelText('Type DELETE to confirm'), 'DELETE');
  await press('Delete my account');
  await waitFor(() => expect(onDeleted).toHaveBeenCalledOnce());
  expect(toast).toHaveBeenCalledWith({
    title: 'Your account is deleted',
    description: 'Tax law keeps 2 paid bookings with your name until Wednesday 30 June 2032.',
  });
});

test('an older sign-in is asked for the password, or for a mailed code', async () => {
  wire.refuse('delete-account', 'current_password_required');
  await open();
  await fill(screen.getByLabelText('Type DELETE to confirm'), 'DELETE');
  const last = () => press('Delete my account');
  await last();
  const password = await screen.findByLabelText('Current password');
  expect(document.activeElement).toBe(password);
  wire.refuse('delete-account', 'current_password_invalid');
  await fill(password, 'wrong');
  await last();
  expect(await screen.findByText('Your current password is incorrect.')).toBeTruthy();
  wire.signIn('u');
  wire.answerPath('/auth/v1/reauthenticate', {});
  await press('Send me a code instead');
  await fill(await screen.findByLabelText('6-digit code'), '123456');
  wire.answer('delete-account', { deleted: true, kept: 0, keptUntil: null });
  await last();
  await waitFor(() => expect(onDeleted).toHaveBeenCalledOnce());
  expect(wire.sent('delete-account')).toEqual([
    { confirm: 'DELETE', currentPassword: null, nonce: null },
    { confirm: 'DELETE', currentPassword: 'wrong', nonce: null },
    expect.objectContaining({ confirm: 'DELETE', nonce: '123456' }),
  ]);
});

test('an account without a password is not asked for one, but can have a code mailed', async () => {
  wire.refuse('delete-account', 'reauthentication_needed');
  await open();
  await fill(screen.getByLabelText('Type DELETE to confirm'), 'DELETE');
  await press('Delete my account');
  expect(await screen.findByText(/^Your account has no password, .* Please sign in again first\.$/)).toBeTruthy();
  expect(screen.queryByLabelText('Current password')).toBeNull();
  wire.signIn('u');
  wire.answerPath('/auth/v1/reauthenticate', {});
  await press('Send me a code instead');
  const code = await screen.findByLabelText('6-digit code');
  expect(document.activeElement).toBe(code);
});
