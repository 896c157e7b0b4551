import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { studioDate } from '#rules/studio-time.ts';
import { expectNoFutureDates, fill, renderPart, user } from '#web/ui/component-tests.ts';
import * as wire from '#web/data/testing/wire.ts';
import { toast } from '#web/ui/toast.tsx';
import { AuthTabs } from './auth-tabs.tsx';
import { CodeForm } from './code-form.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import { ResetForm } from './reset-form.tsx';
import SecondStep from './second-step.tsx';
import { SignInForm } from './sign-in-form.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
const NO_ACCOUNT = 'User not found';
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerPath('/auth/v1/settings', { external: {} });
  // The answer to the dry run at sign-up: the address has no account.
  wire.refusePath('/auth/v1/recover', 404, 'user_not_found', NO_ACCOUNT);
});
afterEach(() => vi.unstubAllGlobals());

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;
/** Expects that the last toast had this title and the sentence that the form shows. */
const expectTitle = (title: string): void =>
  expect(toast).toHaveBeenLastCalledWith({ title, description: screen.getByRole('alert').textContent, tone: 'bad' });
/** Bodies of the requests to this part of the account API, oldest first. */
const sent = (path: string) => wire.sentTo(`/auth/v1/${path}`).map(({ body }) => body);

async function typeInto(fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await fill(field(label), text);
}

test('each refusal of a sign-in has its title in a toast and its text at the password', async () => {
  const done = vi.fn();
  renderPart(<SignInForm resetSentTo={null} onSignedIn={done} onForgot={vi.fn()} onUnconfirmed={vi.fn()} />);
  await typeInto({ Email: ' alex@example.com ', Password: 'night-shift-9' });
  const refuse = (code: string, message: string) => () => wire.refusePath('/auth/v1/token', 400, code, message);
  for (const [prepare, title, text] of [
    [refuse('invalid_credentials', 'x'), 'Invalid credentials', 'Please check your email and password and try again.'],
    [refuse('user_banned', 'User is banned'), 'Error', 'User is banned'],
    [() => wire.fail('/auth/v1/token', 0), 'Error', 'An unexpected error occurred. Please try again.'],
  ] as const) {
    prepare();
    await press('Sign In');
    await waitFor(async () => expect(await alert()).toBe(text));
    expectTitle(title);
    expect(document.activeElement).toBe(field('Password'));
  }
  wire.answerPath('/auth/v1/token', wire.sessionFor({ id: 'u', user_metadata: { full_name: 'Alex Sample' } }));
  await press('Sign In');
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(toast).toHaveBeenLastCalledWith({
    title: 'Welcome back, Alex!',
    description: "You've been signed in successfully.",
  });
  expect(sent('token').at(-1)).toMatchObject({ email: 'alex@example.com', password: 'night-shift-9' });
});

test('a sign-in shows that it is under way', async () => {
  const done = vi.fn();
  wire.answerPath('/auth/v1/token', wire.sessionFor({ id: 'u', user_metadata: {} }));
  const release = wire.pause('/auth/v1/token');
  renderPart(<SignInForm resetSentTo={null} onSignedIn={done} onForgot={vi.fn()} onUnconfirmed={vi.fn()} />);
  await typeInto({ Email: 'alex@example.com', Password: 'night-shift-9' });
  await press('Sign In');
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Signing in...' })).disabled).toBe(true);
  release();
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
});

test('an unconfirmed address gets a new code and is asked for it, also when the code could not be sent', async () => {
  const unconfirmed = vi.fn();
  const { failures } = renderPart(
    <SignInForm resetSentTo={null} onSignedIn={vi.fn()} onForgot={vi.fn()} onUnconfirmed={unconfirmed} />,
  );
  await typeInto({ Email: 'new@example.com', Password: 'night-shift-9' });
  wire.refusePath('/auth/v1/token', 400, 'email_not_confirmed', 'Email not confirmed');
  wire.answerPath('/auth/v1/resend', {});
  await press('Sign In');
  await waitFor(() => expect(unconfirmed).toHaveBeenCalledWith('new@example.com'));
  expect(toast).toHaveBeenLastCalledWith(expect.objectContaining({ title: 'Code Resent' }));
  wire.refusePath('/auth/v1/resend', 429, 'over_email_send_rate_limit', 'no mail');
  await press('Sign In');
  await waitFor(() => expect(unconfirmed).toHaveBeenCalledTimes(2));
  const code = expect.objectContaining({ type: 'signup', email: 'new@example.com' });
  expect(sent('resend')).toEqual([code, code]);
  expect(toast).toHaveBeenCalledOnce();
  expect(failures).toEqual(['no mail']);
  expect(screen.queryByRole('alert')).toBeNull();
});

const person = { 'Full Name': 'Robin Sample', Email: 'robin@example.com', 'Phone Number': '0400 111 222' };
/** Finds a field by its label. The label of `Full Name` contains its badge. */
const labelled = (label: string) =>
  label === 'Full Name' ? screen.getByLabelText<HTMLInputElement>(/^Full Name/) : field(label);

async function fillSignUp(onDone = vi.fn()): Promise<void> {
  renderPart(<AuthTabs start="sign-up" redirectTo="http://localhost/x" onSignedIn={onDone} onCodeSent={onDone} />);
  for (const [label, text] of Object.entries(person)) await fill(labelled(label), text);
  await fill(field('Password'), 'night-shift-9');
  await fill(field('Day'), '3');
  await user.selectOptions(field('Month'), 'April');
  await fill(field('Year'), '1998');
}
const signUpButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Sign Up' });

test('Sign Up waits for every needed field and an adult date of birth [spec 4.11]', async () => {
  await fillSignUp();
  expect(signUpButton().disabled).toBe(false);
  for (const label of ['Full Name', 'Email', 'Phone Number', 'Password', 'Day', 'Year']) {
    const input = labelled(label);
    const before = input.value;
    await fill(input, '');
    expect(signUpButton().disabled, `without ${label}`).toBe(true);
    await fill(input, before);
    expect(signUpButton().disabled, `with ${label}`).toBe(false);
  }
  await fill(field('Year'), '2015');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Must be 18+' }).disabled).toBe(true);
});

test('every sign-up error is shown at its field, with its title in a toast [spec 5.2, 5.3, 5.4, 5.8, 5.9, 5.10]', async () => {
  await fillSignUp();
  for (const [label, bad, message] of [
    ['Full Name', 'R', 'Full name must be at least 2 characters'],
    ['Full Name', 'R'.repeat(101), 'Full name must be less than 100 characters'],
    ['Email', 'nowhere', 'Please enter a valid email address'],
    ['Email', `${'a'.repeat(250)}@example.com`, 'Email must be less than 255 characters'],
    ['Phone Number', '0400', 'Phone number must be at least 10 digits'],
    ['Phone Number', '0'.repeat(21), 'Phone number must be less than 20 characters'],
    ['DJ Name (optional)', 'D'.repeat(101), 'DJ name must be less than 100 characters'],
    ['Password', '12345', 'Password must be at least 6 characters'],
    ['Password', 'p'.repeat(129), 'Password must be less than 128 characters'],
  ] as const) {
    const input = labelled(label);
    const good = input.value;
    vi.mocked(toast).mockClear();
    await fill(input, bad);
    await user.click(signUpButton());
    expect(await alert()).toBe(message);
    expect(input.getAttribute('aria-describedby')).toContain(screen.getByRole('alert').id);
    expectTitle('Validation Error');
    expect(document.activeElement).toBe(input);
    await fill(input, good);
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  }
  expect(sent('signup')).toEqual([]);
  const send = (): void => document.querySelector('form')?.requestSubmit();
  await fill(field('Year'), '2015');
  send();
  expect(await screen.findByText('You must be 18 years or older to create an account.')).toBeTruthy();
  expectTitle('Age Requirement');
  await fill(field('Year'), '');
  send();
  expect(await screen.findByText('Please enter your date of birth.')).toBeTruthy();
  expectTitle('Date of Birth Required');
});

test('another tab of the sign-in keeps what was typed at sign-up', async () => {
  await fillSignUp();
  await user.click(screen.getByRole('tab', { name: 'Sign In' }));
  await user.click(screen.getByRole('tab', { name: 'Sign Up' }));
  expect(labelled('Full Name').value).toBe('Robin Sample');
});

test('a future date of birth can be neither typed nor chosen at sign-up [spec 5.7, 5.15]', async () => {
  await fillSignUp();
  await expectNoFutureDates(studioDate(new Date()), 'A date of birth cannot be in the future');
});

test('an email that has an account is marked once typing pauses, and blocks the sign-up', async () => {
  wire.answerPath('/auth/v1/recover', {});
  await fillSignUp();
  expect(await alert()).toBe('Email already registered');
  expect(field('Email').getAttribute('aria-invalid')).toBe('true');
  expect(signUpButton().disabled).toBe(true);
  const before = sent('recover').length;
  wire.refusePath('/auth/v1/recover', 404, 'user_not_found', NO_ACCOUNT);
  // Some prefixes of the new address are valid addresses too.
  await user.clear(field('Email'));
  await user.type(field('Email'), 'sam@example.com.au');
  const last = { email: 'sam@example.com.au', dry_run: true };
  await expect.poll(() => sent('recover').slice(before)).toEqual([last]);
  await waitFor(() => expect(signUpButton().disabled).toBe(false));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('each refusal of a sign-up has its title in a toast and its text above the button', async () => {
  await fillSignUp();
  const refuse = (code: string, message: string, fields = {}) => {
    return () => wire.refusePath('/auth/v1/signup', 422, code, message, fields);
  };
  const tooShort = { weak_password: { reasons: ['length'] } };
  for (const [prepare, title, text] of [
    [
      refuse('user_already_exists', 'User already registered'),
      'Email already in use',
      'An account with this email already exists. Please sign in instead or use a different email.',
    ],
    [
      refuse('weak_password', 'Choose a longer password', tooShort),
      'Password too short',
      'Password must be at least 6 characters long.',
    ],
    [refuse('signup_disabled', 'Signups not allowed'), 'Sign up failed', 'Signups not allowed'],
    [() => wire.fail('/auth/v1/signup', 0), 'Error', 'An unexpected error occurred. Please try again.'],
  ] as const) {
    prepare();
    await user.click(signUpButton());
    await waitFor(async () => expect(await alert()).toBe(text));
    expectTitle(title);
  }
});

test('a sign-up sends what was typed and continues with the code; the draft is removed [spec 2.33]', async () => {
  const done = vi.fn();
  await fillSignUp(done);
  expect(sessionStorage.getItem('typed:sign-up')).toContain('Robin Sample');
  expect(sessionStorage.getItem('typed:sign-up')).not.toContain('night-shift');
  wire.answerPath('/auth/v1/signup', { id: 'u', email: 'robin@example.com' });
  await user.click(signUpButton());
  await waitFor(() => expect(done).toHaveBeenCalledWith('robin@example.com'));
  const [{ body, search } = { body: null, search: null }] = wire.sentTo('/auth/v1/signup');
  expect(body).toMatchObject({
    email: 'robin@example.com',
    password: 'night-shift-9',
    data: { full_name: 'Robin Sample', phone: '+61400111222', dj_name: '', date_of_birth: '1998-04-03' },
  });
  expect(search?.get('redirect_to')).toMatch(/^http:\/\/localhost\/x/);
  expect(sessionStorage.getItem('typed:sign-up')).toBeNull();
});

test('a mistyped code is refused at its field, and a new one can be sent', async () => {
  renderPart(<CodeForm email="robin@example.com" onOther={vi.fn()} />);
  await waitFor(() => expect(document.activeElement).toBe(field('Verification code')));
  await press('Verify Email');
  expect(await alert()).toBe('Please enter the 6-digit verification code.');
  expectTitle('Invalid code');
  wire.refusePath('/auth/v1/verify', 403, 'otp_expired', 'Token has expired or is invalid');
  // Typing the sixth digit sends the code.
  await fill(field('Verification code'), '123456');
  await waitFor(async () => expect(await alert()).toBe('Token has expired or is invalid'));
  expectTitle('Verification failed');
  expect(sent('verify')).toEqual([
    expect.objectContaining({ email: 'robin@example.com', token: '123456', type: 'email' }),
  ]);
  wire.answerPath('/auth/v1/resend', {});
  await press('Resend code');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect(toast).toHaveBeenLastCalledWith({
    title: 'Code Resent',
    description: 'A new code is on its way to robin@example.com.',
  });
  wire.fail('/auth/v1/resend', 0);
  await press('Resend code');
  expect(await alert()).toBe('Failed to resend code. Please try again.');
});

test('a reset needs an address, and a failure is shown at it', async () => {
  const done = vi.fn();
  renderPart(<ResetForm startEmail="" onBack={vi.fn()} onSent={done} />);
  await press('Send reset link');
  expect(await alert()).toBe('Please enter your email address first.');
  expectTitle('Email required');
  await fill(field('Email'), 'nowhere');
  await press('Send reset link');
  await waitFor(async () => expect(await alert()).toBe('Please enter a valid email address'));
  expectTitle('Validation Error');
  await fill(field('Email'), 'nowhere@example.com');
  wire.refusePath('/auth/v1/recover', 429, 'over_email_send_rate_limit', 'Too many requests');
  await press('Send reset link');
  expect(await alert()).toBe('Too many requests');
  wire.answerPath('/auth/v1/recover', {});
  await press('Send reset link');
  await waitFor(() => expect(done).toHaveBeenCalledWith('nowhere@example.com'));
  const last = wire.sentTo('/auth/v1/recover').at(-1);
  expect(last?.body).toMatchObject({ email: 'nowhere@example.com' });
  expect(last?.search.get('redirect_to')).toMatch(/\/auth\?reset=true/);
  expect(toast).toHaveBeenLastCalledWith(expect.objectContaining({ title: 'Reset link sent' }));
});

test('a new password after a used link is set without asking for the link again', async () => {
  const done = vi.fn();
  renderPart(<NewPasswordForm tokenHash="h" signedIn={false} onDone={done} onAskAgain={vi.fn()} />);
  await typeInto({ 'New password': 'night-shift-9', 'Confirm new password': 'night-shift-9' });
  wire.answerPath('/auth/v1/verify', wire.sessionFor({ id: 'u' }));
  wire.refusePath('PUT /auth/v1/user', 422, 'weak_password', 'Password is easy to guess');
  await press('Set new password');
  expect(await alert()).toBe('Password is easy to guess');
  wire.answerPath('PUT /auth/v1/user', { id: 'u' });
  await press('Set new password');
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(sent('verify')).toEqual([expect.objectContaining({ token_hash: 'h', type: 'recovery' })]);
  const password = expect.objectContaining({ password: 'night-shift-9' });
  expect(sent('user')).toEqual([password, password]);
});

test('an expired link leads to a new one', async () => {
  const askAgain = vi.fn();
  renderPart(<NewPasswordForm tokenHash="h" signedIn={false} onDone={vi.fn()} onAskAgain={askAgain} />);
  await typeInto({ 'New password': 'night-shift-9', 'Confirm new password': 'night-shift-9' });
  wire.refusePath('/auth/v1/verify', 403, 'otp_expired', 'expired');
  await press('Set new password');
  expect(await alert()).toContain('This link has expired or has already been used.');
  await press('Ask for a new link');
  expect(askAgain).toHaveBeenCalledOnce();
});

const app = { id: 'app', type: 'totp', name: 'Blue app' } as const;

test('a wrong second factor empties the field, and the next attempt starts a new challenge', async () => {
  wire.signIn('u');
  renderPart(<SecondStep factors={[app]} onSignOut={vi.fn()} />);
  wire.answerPath('/auth/v1/factors/app/challenge', { id: 'one', type: 'totp' });
  wire.refusePath('/auth/v1/factors/app/verify', 422, 'mfa_verification_failed', 'Invalid TOTP code');
  await fill(field('6-digit code'), '111111');
  await press('Continue');
  await waitFor(() => expect(screen.getByText('That code isn’t right. Please try again.')).toBeTruthy());
  expect(field('6-digit code').value).toBe('');
  expect(toast).not.toHaveBeenCalled();
  wire.answerPath('/auth/v1/factors/app/challenge', { id: 'two', type: 'totp' });
  wire.answerPath('/auth/v1/factors/app/verify', wire.sessionFor({ id: 'u' }));
  await fill(field('6-digit code'), '222222');
  await press('Continue');
  await expect
    .poll(() => sent('factors/app/verify'))
    .toEqual([
      { challenge_id: 'one', code: '111111' },
      { challenge_id: 'two', code: '222222' },
    ]);
});

const CREDENTIALS: CredentialsContainer = {
  create: vi.fn(),
  get: vi.fn(),
  preventSilentAccess: vi.fn(),
  store: vi.fn(),
};

test('a phone gets its message before the code is asked for, and another factor can be used', async () => {
  const phone = { id: 'phone', type: 'phone', name: '' } as const;
  const key = { id: 'key', type: 'webauthn', name: 'Blue key' } as const;
  // The browser supports security keys, but the server refuses before one is used.
  vi.stubGlobal('PublicKeyCredential', class {});
  vi.spyOn(navigator, 'credentials', 'get').mockReturnValue(CREDENTIALS);
  wire.signIn('u');
  renderPart(<SecondStep factors={[phone, key]} onSignOut={vi.fn()} />);
  expect(screen.queryByLabelText('6-digit code')).toBeNull();
  wire.fail('/auth/v1/factors/phone/challenge', 0);
  await press('Send code');
  expect(await alert()).toBe('An unexpected error occurred. Please try again.');
  wire.answerPath('/auth/v1/factors/phone/challenge', { id: 'sent', type: 'phone' });
  await press('Send code');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('6-digit code')));
  await press('Use Blue key');
  wire.refusePath('/auth/v1/factors/key/challenge', 422, 'mfa_factor_not_enrolled', 'The key was not accepted');
  await press('Use security key');
  expect(await alert()).toBe('The key was not accepted');
});
