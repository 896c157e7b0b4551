import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import * as wire from '#web/data/testing/wire.ts';
import { ReminderSettings } from './reminders.tsx';

const PHONE = '+61400111222';
/** An account in the format of the account API, which returns a number without its plus sign. */
const accountWith = (phone: string) => ({
  id: 'u',
  phone: phone.replace('+', ''),
  ...(phone === '' ? {} : { phone_confirmed_at: '2031-01-01T00:00:00Z' }),
});
beforeEach(() => {
  wire.signIn('u');
  wire.answerRows('profiles', [{ remind_by_email: true, remind_by_text: true, thank_by_email: true }], 'GET');
  wire.answerRows('profiles', null, 'PATCH');
  wire.answerPath('/auth/v1/settings', { external: { phone: true } });
  wire.answerPath('GET /auth/v1/user', accountWith(PHONE));
  wire.answerPath('PUT /auth/v1/user', accountWith(PHONE));
});
const press = async (name: string) => user.click(await screen.findByRole('button', { name }));
const box = (label: RegExp) => screen.findByLabelText<HTMLInputElement>(label);
/** The settings that were saved, oldest first, each with its account. */
const saved = () => wire.sentTo('profiles', 'PATCH').map(({ body, search }) => [search.get('user_id'), body]);
const sentBodies = (path: Parameters<typeof wire.sentTo>[0], method: string) =>
  wire.sentTo(path, method).map(({ body }) => body);

test('each kind of reminder is switched by itself [spec 10.10]', async () => {
  renderPart(<ReminderSettings userId="u" />);
  const email = await box(/24 hours/);
  expect(email.checked).toBe(true);
  await user.click(email);
  await expect.poll(() => saved().at(-1)).toEqual(['eq.u', { remind_by_email: false }]);
  await user.click(await box(/after a session/));
  await expect.poll(() => saved().at(-1)).toEqual(['eq.u', { thank_by_email: false }]);
  await user.click(await box(/2 hours before, to \+61400111222/));
  await expect.poll(() => saved().at(-1)).toEqual(['eq.u', { remind_by_text: false }]);
  expect(saved()).toHaveLength(3);
});

test('texts are not offered where none are sent', async () => {
  wire.answerPath('/auth/v1/settings', { external: { phone: false } });
  renderPart(<ReminderSettings userId="u" />);
  await box(/24 hours/);
  expect(screen.queryByLabelText(/text message/i)).toBeNull();
});

test('texts need a confirmed number: a code is sent to it', async () => {
  wire.answerPath('GET /auth/v1/user', accountWith(''));
  renderPart(<ReminderSettings userId="u" />);
  expect((await box(/A text message/)).disabled).toBe(true);
  await fill(screen.getByLabelText('Mobile number for text messages'), '0400 111 222');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  const code = await screen.findByLabelText('6-digit code');
  expect(sentBodies('/auth/v1/user', 'PUT')).toEqual([expect.objectContaining({ phone: PHONE })]);
  wire.answerPath('/auth/v1/verify', wire.sessionFor(accountWith(PHONE)));
  wire.answerPath('GET /auth/v1/user', accountWith(PHONE));
  await fill(code, '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect((await box(/2 hours before, to \+61400111222/)).checked).toBe(true);
  expect(sentBodies('/auth/v1/verify', 'POST')).toEqual([
    expect.objectContaining({ phone: PHONE, token: '123456', type: 'phone_change' }),
  ]);
  expect(saved()).toEqual([['eq.u', { remind_by_text: true }]]);
});

test('a confirmed number is changed by a code to the new one; the old one is kept until then, and the switch as it is [spec 10.20]', async () => {
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
  wire.refusePath('/auth/v1/resend', 429, 'over_sms_send_rate_limit', 'Please wait a minute.');
  await press('Send it again');
  expect(await screen.findByText('Please wait a minute.')).toBeTruthy();
  expect(sentBodies('/auth/v1/resend', 'POST')).toEqual([
    expect.objectContaining({ phone: '+61400333444', type: 'phone_change' }),
  ]);
  await press('Another number');
  await press('Keep +61400111222');
  await press('Change +61400111222');
  await fill(screen.getByLabelText('New mobile number'), '0400 333 444');
  await press('Send code');
  wire.refusePath('/auth/v1/verify', 403, 'otp_expired', 'The code is wrong.');
  await fill(await screen.findByLabelText('6-digit code'), '000000');
  await press('Confirm');
  expect(await screen.findByText('The code is wrong.')).toBeTruthy();
  wire.answerPath('/auth/v1/verify', wire.sessionFor(accountWith('+61400333444')));
  wire.answerPath('GET /auth/v1/user', accountWith('+61400333444'));
  await fill(screen.getByLabelText('6-digit code'), '123456');
  await press('Confirm');
  await screen.findByRole('button', { name: 'Remove +61400333444' });
  expect(sentBodies('/auth/v1/user', 'PUT')).toEqual([
    expect.objectContaining({ phone: '+61400333444' }),
    expect.objectContaining({ phone: '+61400333444' }),
  ]);
  expect(sentBodies('/auth/v1/verify', 'POST').at(-1)).toMatchObject({ phone: '+61400333444', token: '123456' });
  expect(saved()).toEqual([]);
});

test('a number is removed after a question, and an older sign-in proves the account by password or mailed code', async () => {
  wire.answerPath('/auth/v1/reauthenticate', {});
  renderPart(<ReminderSettings userId="u" />);
  await press('Remove +61400111222');
  expect(screen.getByText(/send you no more text reminders/)).toBeTruthy();
  await press('Keep it');
  expect(wire.sent('remove-phone')).toEqual([]);
  await press('Remove +61400111222');
  wire.refuse('remove-phone', 'current_password_required');
  await press('Remove number');
  const password = await screen.findByLabelText('Current password');
  expect(document.activeElement).toBe(password);
  await press('Email me a code instead');
  const code = await screen.findByLabelText('6-digit code from our email');
  expect(wire.sentTo('/auth/v1/reauthenticate')).toHaveLength(1);
  await fill(code, '123456');
  wire.refuse('remove-phone', 'mail_unconfirmed', { message: 'refused: mail_unconfirmed' });
  await press('Remove number');
  expect(await screen.findByText('refused: mail_unconfirmed')).toBeTruthy();
  wire.answer('remove-phone', { removed: true });
  wire.answerPath('GET /auth/v1/user', accountWith(''));
  await press('Remove number');
  await waitFor(() => expect(screen.queryByText(/send you no more text reminders/)).toBeNull());
  expect(await screen.findByLabelText('Mobile number for text messages')).toBeTruthy();
  expect(wire.sent('remove-phone')).toEqual([
    { currentPassword: null, nonce: null },
    { currentPassword: null, nonce: '123456' },
    { currentPassword: null, nonce: '123456' },
  ]);
});

test('the number of an account without a password is removed with a mailed code', async () => {
  wire.answerPath('/auth/v1/reauthenticate', {});
  renderPart(<ReminderSettings userId="u" />);
  await press('Remove +61400111222');
  wire.refuse('remove-phone', 'reauthentication_needed');
  await press('Remove number');
  expect(await screen.findByText(/^Your account has no password, .* Please sign in again first\.$/)).toBeTruthy();
  expect(screen.queryByLabelText('Current password')).toBeNull();
  await press('Email me a code instead');
  await fill(await screen.findByLabelText('6-digit code from our email'), '123456');
  wire.answer('remove-phone', { removed: true });
  await press('Remove number');
  await wire.expectSent(
    'remove-phone',
    { currentPassword: null, nonce: null },
    { currentPassword: null, nonce: '123456' },
  );
});

test('reminders that cannot be loaded are tried again', async () => {
  wire.fail('GET /auth/v1/user', 500);
  renderPart(<ReminderSettings userId="u" />);
  const retry = await screen.findByRole('button', { name: 'Try again' });
  wire.answerPath('GET /auth/v1/user', accountWith(PHONE));
  await user.click(retry);
  await box(/24 hours/);
});
