import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { IdNames } from '#rules/identity.ts';
import { studioDate } from '#rules/studio-time.ts';
import { expectNoFutureDates, fill, renderPart, user } from '#web/ui/component-tests.ts';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { EXAMPLE_OWN_BOOKING } from '#web/data/testing/example-booking.ts';
import type { Profile } from '#web/data/profile.ts';
import * as wire from '#web/data/testing/wire.ts';
import { toast } from '#web/ui/toast.tsx';
import { UpcomingBooking } from './booking-cards.tsx';
import { CancelQuestion } from './cancel-question.tsx';
import { NewApp } from './new-app.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';

const saved: Profile = {
  full_name: 'Robin Sample',
  email: 'robin@example.com',
  phone: '+61400111222',
  address: null,
  dj_name: null,
  date_of_birth: '1998-04-03',
};
vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
beforeEach(() => {
  vi.resetAllMocks();
  wire.signIn('u');
  wire.answerRows('profiles', null);
  wire.answerRows('profiles', [saved], 'GET');
});

const field = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;
/** Bodies of the requests to this part of the account API, oldest first. */
const sent = (path: string) => wire.sentTo(`/auth/v1/${path}`).map(({ body }) => body);
const refuseUser = (code: string, message: string) => wire.refusePath('PUT /auth/v1/user', 400, code, message);
async function showProfile(onId: IdNames | null = null): Promise<void> {
  renderPart(<ProfileForm userId="u" onId={onId} />);
  await screen.findByLabelText('Email');
}

test('each invalid field of a profile is refused with the message of the rules', async () => {
  await showProfile();
  for (const [label, bad, message] of [
    [/^Full Name/, 'R', 'Full name must be at least 2 characters'],
    ['Email', 'nowhere', 'Please enter a valid email address'],
    ['Phone Number', '0400', 'Phone number must be at least 10 digits'],
    ['Year', '', 'Please enter your date of birth as day, month and year.'],
  ] as const) {
    const input = field(label);
    const before = input.value;
    await fill(input, bad);
    await press('Save profile');
    expect(await alert()).toBe(message);
    expect(toast).toHaveBeenLastCalledWith({ title: 'Validation Error', description: message, tone: 'bad' });
    await fill(input, before);
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  }
  await fill(field('Year'), '2015');
  await press('Save profile');
  expect(await alert()).toBe('You must be 18 years or older.');
  expect(document.activeElement).toBe(field('Day'));
  expect(toast).toHaveBeenLastCalledWith({
    title: 'Age Requirement',
    description: 'You must be 18 years or older.',
    tone: 'bad',
  });
  expect(wire.sentTo('profiles', 'PATCH')).toEqual([]);
});

test('a future date of birth can be neither typed nor chosen in the profile [spec 5.7, 5.15]', async () => {
  await showProfile();
  await expectNoFutureDates(studioDate(new Date()), 'A date of birth cannot be in the future');
});

test('a profile is saved without its email when that is the same', async () => {
  await showProfile();
  await fill(field('Phone Number'), '0400 333 444');
  await fill(field('Email'), 'Robin@Example.com');
  await press('Save profile');
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Profile updated' }));
  const [{ body, search } = { body: null, search: null }, ...others] = wire.sentTo('profiles', 'PATCH');
  expect([search?.get('user_id'), others]).toEqual(['eq.u', []]);
  expect(body).toEqual({
    full_name: 'Robin Sample',
    phone: '+61400333444',
    dj_name: null,
    date_of_birth: '1998-04-03',
  });
  expect(sent('user')).toEqual([]);
  await expect.poll(() => wire.sentTo('profiles', 'GET')).toHaveLength(2);
});

test('a new email asks for the current password only when the server wants it', async () => {
  await showProfile();
  await fill(field('Email'), 'new@example.com');
  refuseUser('current_password_required', 'Please enter your password');
  await press('Save profile');
  expect(await alert()).toBe('Please enter your password');
  await waitFor(() => expect(document.activeElement).toBe(field('Current password')));
  refuseUser('current_password_invalid', 'Wrong password');
  await fill(field('Current password'), 'not-this-1');
  await press('Save profile');
  await waitFor(async () => expect(await alert()).toBe('Wrong password'));
  wire.answerPath('PUT /auth/v1/user', { id: 'u', email: saved.email, new_email: 'new@example.com' });
  await fill(field('Current password'), 'night-shift-9');
  await press('Save profile');
  expect(await screen.findByText(/We sent a confirmation email to/)).toBeTruthy();
  expect(screen.queryByLabelText('Current password')).toBeNull();
  const email = 'new@example.com';
  expect(sent('user')).toEqual([
    expect.not.objectContaining({ current_password: expect.anything() }),
    expect.objectContaining({ email, current_password: 'not-this-1' }),
    expect.objectContaining({ email, current_password: 'night-shift-9' }),
  ]);
  expect(sent('user')[0]).toMatchObject({ email });
});

test.each([
  ['email', 'Save profile'],
  ['password', 'Change password'],
] as const)('an account without a password changes its %s with a mailed code', async (what, button) => {
  if (what === 'email') {
    await showProfile();
    await fill(field('Email'), 'new@example.com');
  } else {
    renderPart(<PasswordForm />);
    await fill(field('New password'), 'night-shift-9');
    await fill(field('Confirm new password'), 'night-shift-9');
  }
  refuseUser('reauthentication_needed', 'Your account has no password.');
  await press(button);
  expect(await alert()).toBe('Your account has no password.');
  expect(screen.queryByLabelText('Current password')).toBeNull();
  wire.answerPath('/auth/v1/reauthenticate', {});
  await press('Send me a code instead');
  const code = await screen.findByLabelText('6-digit code');
  expect(document.activeElement).toBe(code);
  expect(screen.queryByRole('button', { name: 'Send me a code instead' })).toBeNull();
  refuseUser('reauthentication_not_valid', 'Nonce has expired or is invalid');
  await fill(field('6-digit code'), '111111');
  await press(button);
  expect(await screen.findByText('Nonce has expired or is invalid')).toBeTruthy();
  expect(document.activeElement).toBe(field('6-digit code'));
  wire.answerPath('PUT /auth/v1/user', { id: 'u', email: saved.email });
  await fill(field('6-digit code'), '123456');
  await press(button);
  await waitFor(() => expect(screen.queryByLabelText('6-digit code')).toBeNull());
  const change = what === 'email' ? { email: 'new@example.com' } : { password: 'night-shift-9' };
  expect(sent('user')).toEqual([
    expect.not.objectContaining({ nonce: expect.anything() }),
    expect.objectContaining({ ...change, nonce: '111111' }),
    expect.objectContaining({ ...change, nonce: '123456' }),
  ]);
});

test('a person who has forgotten the password can have a code mailed instead', async () => {
  renderPart(<PasswordForm />);
  await fill(field('New password'), 'night-shift-9');
  await fill(field('Confirm new password'), 'night-shift-9');
  refuseUser('current_password_required', 'Please enter your password');
  await press('Change password');
  await screen.findByLabelText('Current password');
  wire.answerPath('/auth/v1/reauthenticate', {});
  await press('Send me a code instead');
  await screen.findByLabelText('6-digit code');
  expect(screen.queryByLabelText('Current password')).toBeNull();
});

test('a profile that cannot be saved says why and keeps what was typed [spec 8.26]', async () => {
  await showProfile();
  await fill(field('DJ Name (optional)'), 'Needle');
  wire.fail('profiles', 0);
  await press('Save profile');
  expect(await alert()).toBe('Failed to update profile. Please try again.');
  expect(toast).toHaveBeenCalledWith({
    title: 'Error',
    description: 'Failed to update profile. Please try again.',
    tone: 'bad',
  });
  expect(field('DJ Name (optional)').value).toBe('Needle');
});

test('only a name that is not on the ID, or another date of birth, of a verified account warns about a new ID check', async () => {
  const warning = () => screen.queryByText(/you’ll need to verify your ID again/);
  await showProfile({ given: 'Robin Jo', family: 'SAMPLE' });
  await fill(field(/^Full Name/), ' robin SAMPLE ');
  expect(warning()).toBeNull();
  await fill(field(/^Full Name/), 'Sample, Robin Jo');
  expect(warning()).toBeNull();
  await fill(field(/^Full Name/), 'Robyn Sample');
  expect(warning()?.textContent).toBe(
    'Your ID says Robin Jo SAMPLE. With this name you’ll need to verify your ID again. If you go back to the name on it within 30 days, you won’t.',
  );
  await fill(field(/^Full Name/), 'Robin Sample');
  expect(warning()).toBeNull();
  await fill(field('Day'), '4');
  expect(warning()).toBeTruthy();
});

test('a new password must match and be long enough; the current one is asked for when the server wants it', async () => {
  renderPart(<PasswordForm />);
  await fill(field('New password'), 'abc');
  await fill(field('Confirm new password'), 'abd');
  await press('Change password');
  expect(await alert()).toBe("New password and confirmation don't match.");
  expect(toast).toHaveBeenLastCalledWith({
    title: 'Password mismatch',
    description: "New password and confirmation don't match.",
    tone: 'bad',
  });
  expect(document.activeElement).toBe(field('Confirm new password'));
  await fill(field('Confirm new password'), 'abc');
  await press('Change password');
  await waitFor(async () => expect(await alert()).toBe('Password must be at least 6 characters long.'));
  expect(toast).toHaveBeenLastCalledWith({
    title: 'Password too short',
    description: 'Password must be at least 6 characters long.',
    tone: 'bad',
  });
  expect(document.activeElement).toBe(field('New password'));
  await fill(field('New password'), 'night-shift-9');
  await fill(field('Confirm new password'), 'night-shift-9');
  refuseUser('current_password_required', 'Please enter your password');
  await press('Change password');
  await waitFor(async () => expect(await alert()).toBe('Please enter your password'));
  await fill(field('Current password'), 'old-shift-9');
  wire.answerPath('PUT /auth/v1/user', { id: 'u' });
  await press('Change password');
  expect(await screen.findByText(/Your password has been changed/)).toBeTruthy();
  expect(sent('user')).toHaveLength(2);
  expect(sent('user')[1]).toMatchObject({ password: 'night-shift-9', current_password: 'old-shift-9' });
  expect([field('New password').value, field('Confirm new password').value]).toEqual(['', '']);
  expect(screen.queryByLabelText('Current password')).toBeNull();
});

test('an authenticator app is added with its code; a wrong code is refused and can be typed again', async () => {
  const done = vi.fn();
  const app = { id: 'a', qrCode: '<svg></svg>', secret: 'ABCDEFGH' };
  renderPart(<NewApp app={app} onCancel={vi.fn()} onDone={done} />);
  expect(screen.getByText('ABCD EFGH')).toBeTruthy();
  await fill(field('6-digit code'), '12345');
  await press('Turn on');
  expect(await alert()).toBe('The code has 6 digits.');
  expect(toast).not.toHaveBeenCalled();
  await fill(field('6-digit code'), '111 111');
  wire.answerPath('/auth/v1/factors/a/challenge', { id: 'c', type: 'totp' });
  wire.refusePath('/auth/v1/factors/a/verify', 422, 'mfa_verification_failed', 'Invalid TOTP');
  await press('Turn on');
  await waitFor(async () =>
    expect(await alert()).toBe('That code isn’t right. Type the code that your app shows now.'),
  );
  expect(field('6-digit code').value).toBe('');
  wire.answerPath('/auth/v1/factors/a/verify', wire.sessionFor({ id: 'u' }));
  await fill(field('6-digit code'), '222222');
  await press('Turn on');
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(sent('factors/a/verify')).toEqual([
    { challenge_id: 'c', code: '111111' },
    { challenge_id: 'c', code: '222222' },
  ]);
});

const BOOKING_ID = '66666666-6666-4666-8666-666666666666';
const booking: OwnBooking = {
  ...EXAMPLE_OWN_BOOKING,
  id: BOOKING_ID,
  reference: 'HC-ABC123',
  startTime: new Date('2026-11-21T08:00:00Z'),
  endTime: new Date('2026-11-21T10:00:00Z'),
  totalHours: 2,
  baseCents: 13_800,
  finalCents: 13_800,
  termsStart: new Date('2026-11-21T08:00:00Z'),
};
const askToCancel = (change: Partial<OwnBooking>, now: string, onDone = vi.fn()) =>
  renderPart(
    <CancelQuestion
      remaining={1}
      booking={{ ...booking, ...change }}
      now={new Date(now)}
      onKeep={vi.fn()}
      onDone={onDone}
    />,
  );

test('cancelling says what comes back, and reports a refusal in place', async () => {
  const done = vi.fn();
  askToCancel({}, '2026-11-19T08:00:00Z', done);
  expect(screen.getByText('$138')).toBeTruthy();
  wire.refuse('cancel-booking', 'too_late', { message: 'This booking has started.' });
  await press('Cancel booking');
  expect(await alert()).toBe('This booking has started.');
  expect(toast).not.toHaveBeenCalled();
  wire.answer('cancel-booking', { cancelled: true, refund: 'full', amount: 138 });
  await press('Cancel booking');
  const message = 'Your booking HC-ABC123 is cancelled. $138 is on its way back to your card.';
  await waitFor(() => expect(done).toHaveBeenCalledWith(message));
  const request = { bookingId: BOOKING_ID, series: false };
  expect(wire.sent('cancel-booking')).toEqual([request, request]);
});

test('a booking that is too late to cancel, or was free, says so', () => {
  askToCancel({}, '2026-11-21T07:00:00Z');
  expect(screen.getByText(/Your booking starts in less than 20 hours/)).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancel booking' }).disabled).toBe(true);
  askToCancel({ finalCents: 0 }, '2026-11-19T08:00:00Z');
  expect(screen.getByText(/You weren’t charged for this booking/)).toBeTruthy();
});

test('a booking whose new hours wait for their payment says where it moves and what that costs, until the time to pay ends', () => {
  const move = {
    studioName: 'Studio B',
    startTime: new Date('2026-11-22T08:00:00Z'),
    endTime: new Date('2026-11-22T10:00:00Z'),
    cents: 1_500,
    until: new Date('2026-11-20T08:00:00Z'),
  };
  const card = (now: string) => (
    <UpcomingBooking booking={{ ...booking, move }} own={[booking]} now={new Date(now)} onCancel={vi.fn()} />
  );
  const { rerender } = renderPart(card('2026-11-20T07:59:00Z'));
  expect(screen.getByText(/^Moves to Studio B, .*22 Nov.* when you’ve paid \$15/)).toBeTruthy();
  rerender(card('2026-11-20T08:00:00Z'));
  expect(screen.queryByText(/^Moves to/)).toBeNull();
});
