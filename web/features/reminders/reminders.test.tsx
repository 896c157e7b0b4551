import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import * as queries from './queries.ts';
import { ReminderSettings } from './reminders.tsx';

vi.mock('./queries.ts', () => ({
  readReminders: vi.fn(),
  setReminder: vi.fn(),
  sendPhoneCode: vi.fn(),
  confirmPhone: vi.fn(),
}));
const calls = vi.mocked(queries);
const saved = { email: true, text: true, thanks: true, phone: '+61400111222', texts: true };
beforeEach(() => {
  vi.resetAllMocks();
  calls.readReminders.mockResolvedValue(saved);
});
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
  expect(calls.sendPhoneCode).toHaveBeenCalledWith('+61400111222');
  await fill(await screen.findByLabelText('6-digit code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(calls.confirmPhone).toHaveBeenCalledWith('+61400111222', '123456'));
});

test('reminders that cannot be loaded are tried again', async () => {
  calls.readReminders.mockRejectedValueOnce(new Error('down'));
  renderPart(<ReminderSettings userId="u" />);
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  await box(/24 hours/);
});
