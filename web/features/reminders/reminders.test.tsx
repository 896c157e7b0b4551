import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { mailProofCode } from '#web/data/account/owner-proof.ts';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import * as queries from './queries.ts';
import { ReminderSettings } from './reminders.tsx';

vi.mock('./queries.ts', () => ({
  readReminders: vi.fn(),
  setReminder: vi.fn(),
  sendPhoneCode: vi.fn(),
  sendCodeAgain: vi.fn(),
  confirmPhone: vi.fn(),
  removePhone: vi.fn(),
}));
vi.mock(import('#web/data/account/owner-proof.ts'), async (original) => ({
  ...(await original()),
  mailProofCode: vi.fn(),
}));
const calls = vi.mocked(queries);
const saved = { email: true, text: true, thanks: true, phone: '+61400111222', texts: true };
beforeEach(() => {
  vi.resetAllMocks();
  calls.readReminders.mockResolvedValue(saved);
});
const NO_PROOF = { currentPassword: '', nonce: '' };
const refused = (code: string) => new AppError(code, `refused: ${code}`, 403);
const press = async (name: string) => user.click(await screen.findByRole('button', { name }));
const box = (label: RegExp) => screen.findByLabelText<HTMLInputElement>(label);

test('each kind of reminder is switched by itself', async () => {
  renderPart(<ReminderSettings userId="u" />);
  const email = await box(/24 hours/);
  expect(email.checked).toBe(true);
  await user.click(email);
  expect(calls.setReminder).toHaveBeenLastCalledWith('u', 'remind_by_email', false);
  await user.click(await box(/after a session/));
  expect(calls.setReminder).toHaveBeenLastCalledWith('u', 'thank_by_email', false);
  await user.click(await box(/2 hours before, to \+61400111222/));
  expect(calls.setReminder).toHaveBeenLastCalledWith('u', 'remind_by_text', false);
});

test('texts are not offered where none are sent', async () => {
  calls.readReminders.mockResolvedValue({ ...saved, texts: false });
  renderPart(<ReminderSettings userId="u" />);
  await box(/24 hours/);
  expect(screen.queryByLabelText(/text message/i)).toBeNull();
});

test('texts need a confirmed number: a code is sent to it', async () => {
  calls.readReminders.mockResolvedValueOnce({ ...saved, phone: null });
  calls.sendPhoneCode.mockResolvedValue(undefined);
  calls.confirmPhone.mockResolvedValue(undefined);
  renderPart(<ReminderSettings userId="u" />);
  expect((await box(/A text message/)).disabled).toBe(true);
  await fill(screen.getByLabelText('Mobile number for text messages'), '0400 111 222');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  expect(calls.sendPhoneCode).toHaveBeenCalledWith('+61400111222', NO_PROOF);
  await fill(await screen.findByLabelText('6-digit code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(calls.setReminder).toHaveBeenCalledWith('u', 'remind_by_text', true));
  expect(calls.confirmPhone).toHaveBeenCalledWith('+61400111222', '123456');
});

test('a confirmed number is changed by a code to the new one; the old one is kept until then, and the switch as it is', async () => {
  renderPart(<ReminderSettings userId="u" />);
  await press('Change +61400111222');
  const input = screen.getByLabelText('New mobile number');
  expect(screen.getByText(/Texts go to \+61400111222 until/)).toBeTruthy();
  await fill(input, '0400 111 222');
  await press('Send code');
  expect(await screen.findByText('This is your number already.')).toBeTruthy();
  await fill(input, '0400 333 444');
  await press('Send code');
  await screen.findByText('We texted a code to +61400333444.');
  calls.sendCodeAgain.mockRejectedValueOnce(new Error('Please wait a minute.'));
  await press('Send it again');
  expect(await screen.findByText('Please wait a minute.')).toBeTruthy();
  await press('Another number');
  await press('Keep +61400111222');
  await press('Change +61400111222');
  await fill(screen.getByLabelText('New mobile number'), '0400 333 444');
  await press('Send code');
  calls.confirmPhone.mockRejectedValueOnce(new Error('The code is wrong.'));
  await fill(await screen.findByLabelText('6-digit code'), '000000');
  await press('Confirm');
  expect(await screen.findByText('The code is wrong.')).toBeTruthy();
  await fill(screen.getByLabelText('6-digit code'), '123456');
  await press('Confirm');
  await screen.findByRole('button', { name: 'Remove +61400111222' });
  expect(calls.confirmPhone).toHaveBeenLastCalledWith('+61400333444', '123456');
  expect(calls.setReminder).not.toHaveBeenCalled();
});

test('a number is removed after a question, and an older sign-in proves the account by password or mailed code', async () => {
  renderPart(<ReminderSettings userId="u" />);
  await press('Remove +61400111222');
  expect(screen.getByText(/send you no more text reminders/)).toBeTruthy();
  await press('Keep it');
  expect(calls.removePhone).not.toHaveBeenCalled();
  await press('Remove +61400111222');
  calls.removePhone.mockRejectedValueOnce(refused('current_password_required'));
  await press('Remove number');
  const password = await screen.findByLabelText('Current password');
  expect(document.activeElement).toBe(password);
  await press('Email me a code instead');
  expect(mailProofCode).toHaveBeenCalledOnce();
  await fill(await screen.findByLabelText('6-digit code from our email'), '123456');
  calls.removePhone.mockRejectedValueOnce(refused('mail_unconfirmed'));
  await press('Remove number');
  expect(await screen.findByText('refused: mail_unconfirmed')).toBeTruthy();
  calls.removePhone.mockResolvedValue({ removed: true });
  await press('Remove number');
  await waitFor(() => expect(screen.queryByText(/send you no more text reminders/)).toBeNull());
  expect(calls.removePhone.mock.lastCall?.[0]).toMatchObject({ currentPassword: '', nonce: '123456' });
});

test('reminders that cannot be loaded are tried again', async () => {
  calls.readReminders.mockRejectedValueOnce(new Error('down'));
  renderPart(<ReminderSettings userId="u" />);
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  await box(/24 hours/);
});
