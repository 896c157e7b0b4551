import { screen, waitFor } from '@testing-library/react';
import { AuthApiError, AuthWeakPasswordError } from '@supabase/supabase-js';
import { beforeEach, expect, test, vi } from 'vitest';
import { studioDate } from '#rules/studio-time.ts';
import { expectNoFutureDates, fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { AuthTabs } from './auth-tabs.tsx';
import { CodeForm } from './code-form.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import * as queries from './queries.ts';
import { ResetForm } from './reset-form.tsx';
import SecondStep from './second-step.tsx';
import { SignInForm } from './sign-in-form.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('./queries.ts', () => ({
  continueWith: vi.fn(),
  finishContinue: vi.fn(),
  signInWithPasskey: vi.fn(),
  signIn: vi.fn(),
  signUp: vi.fn(),
  resendCode: vi.fn(),
  sendReset: vi.fn(),
  verifyCode: vi.fn(),
  verifyLink: vi.fn(),
  setPassword: vi.fn(),
  emailTaken: vi.fn(),
  readSignInMethods: vi.fn(),
  challengeFactor: vi.fn(),
  verifyFactor: vi.fn(),
  verifyKey: vi.fn(),
}));
const calls = vi.mocked(queries);
beforeEach(() => {
  vi.resetAllMocks();
  calls.readSignInMethods.mockResolvedValue({ providers: [], passkeys: false });
  calls.emailTaken.mockResolvedValue(false);
});

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;
/** The last toast had this title, and the sentence that the form shows. */
const expectTitle = (title: string): void =>
  expect(toast).toHaveBeenLastCalledWith({ title, description: screen.getByRole('alert').textContent, tone: 'bad' });
const refusal = (code: string, message: string) => new AuthApiError(message, 400, code);

async function typeInto(fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await fill(field(label), text);
}

test('each refusal of a sign-in has its title in a toast and its text at the password', async () => {
  const done = vi.fn();
  renderPart(<SignInForm resetSentTo={null} onSignedIn={done} onForgot={vi.fn()} onUnconfirmed={vi.fn()} />);
  await typeInto({ Email: ' alex@example.com ', Password: 'night-shift-9' });
  for (const [error, title, text] of [
    [refusal('invalid_credentials', 'x'), 'Invalid credentials', 'Please check your email and password and try again.'],
    [refusal('user_banned', 'User is banned'), 'Error', 'User is banned'],
    [new TypeError('Failed to fetch'), 'Error', 'An unexpected error occurred. Please try again.'],
  ] as const) {
    calls.signIn.mockRejectedValueOnce(error);
    await press('Sign In');
    expect(await alert()).toBe(text);
    expectTitle(title);
    expect(document.activeElement).toBe(field('Password'));
  }
  calls.signIn.mockResolvedValueOnce('Alex');
  await press('Sign In');
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(toast).toHaveBeenLastCalledWith({
    title: 'Welcome back, Alex!',
    description: "You've been signed in successfully.",
  });
  expect(calls.signIn.mock.lastCall?.[0]).toEqual({ email: 'alex@example.com', password: 'night-shift-9' });
});

test('a sign-in shows that it is under way', async () => {
  calls.signIn.mockReturnValueOnce(new Promise(() => {}));
  renderPart(<SignInForm resetSentTo={null} onSignedIn={vi.fn()} onForgot={vi.fn()} onUnconfirmed={vi.fn()} />);
  await typeInto({ Email: 'alex@example.com', Password: 'night-shift-9' });
  await press('Sign In');
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Signing in...' })).disabled).toBe(true);
});

test('an unconfirmed address gets a new code and is asked for it, also when the code could not be sent', async () => {
  const unconfirmed = vi.fn();
  renderPart(<SignInForm resetSentTo={null} onSignedIn={vi.fn()} onForgot={vi.fn()} onUnconfirmed={unconfirmed} />);
  await typeInto({ Email: 'new@example.com', Password: 'night-shift-9' });
  calls.signIn.mockRejectedValue(refusal('email_not_confirmed', 'Email not confirmed'));
  calls.resendCode.mockResolvedValueOnce();
  await press('Sign In');
  await waitFor(() => expect(unconfirmed).toHaveBeenCalledWith('new@example.com'));
  expect(toast).toHaveBeenLastCalledWith(expect.objectContaining({ title: 'Code Resent' }));
  calls.resendCode.mockRejectedValueOnce(new Error('no mail'));
  await press('Sign In');
  await waitFor(() => expect(unconfirmed).toHaveBeenCalledTimes(2));
  expect(screen.queryByRole('alert')).toBeNull();
});

const person = { 'Full Name': 'Robin Sample', Email: 'robin@example.com', 'Phone Number': '0400 111 222' };
/** `Full Name` has its badge in its label. */
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

test('Sign Up waits for every needed field and an adult date of birth', async () => {
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

test('every sign-up error is shown at its field, with its title in a toast', async () => {
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
  expect(calls.signUp).not.toHaveBeenCalled();
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

test('a future date of birth can be neither typed nor chosen at sign-up', async () => {
  await fillSignUp();
  await expectNoFutureDates(studioDate(new Date()), 'A date of birth cannot be in the future');
});

test('an email that has an account is marked once typing pauses, and blocks the sign-up', async () => {
  calls.emailTaken.mockResolvedValue(true);
  await fillSignUp();
  expect(await alert()).toBe('Email already registered');
  expect(field('Email').getAttribute('aria-invalid')).toBe('true');
  expect(signUpButton().disabled).toBe(true);
  calls.emailTaken.mockClear();
  calls.emailTaken.mockResolvedValue(false);
  // Some beginnings of the new address are addresses too.
  await user.clear(field('Email'));
  await user.type(field('Email'), 'sam@example.com.au');
  await waitFor(() => expect(calls.emailTaken).toHaveBeenCalled());
  expect(calls.emailTaken.mock.calls.map(([email]) => email)).toEqual(['sam@example.com.au']);
  expect(screen.queryByRole('alert')).toBeNull();
});

test('each refusal of a sign-up has its title in a toast and its text above the button', async () => {
  await fillSignUp();
  for (const [error, title, text] of [
    [
      refusal('user_already_exists', 'User already registered'),
      'Email already in use',
      'An account with this email already exists. Please sign in instead or use a different email.',
    ],
    [
      new AuthWeakPasswordError('Password should be at least 8 characters', 422, ['length']),
      'Password too short',
      'Password must be at least 6 characters long.',
    ],
    [refusal('signup_disabled', 'Signups not allowed'), 'Sign up failed', 'Signups not allowed'],
    [new TypeError('Failed to fetch'), 'Error', 'An unexpected error occurred. Please try again.'],
  ] as const) {
    calls.signUp.mockRejectedValueOnce(error);
    await user.click(signUpButton());
    await waitFor(async () => expect(await alert()).toBe(text));
    expectTitle(title);
  }
});

test('a sign-up sends what was typed and continues with the code; the draft is removed', async () => {
  const done = vi.fn();
  await fillSignUp(done);
  expect(sessionStorage.getItem('typed:sign-up')).toContain('Robin Sample');
  expect(sessionStorage.getItem('typed:sign-up')).not.toContain('night-shift');
  calls.signUp.mockResolvedValueOnce({ signedIn: false });
  await user.click(signUpButton());
  await waitFor(() => expect(done).toHaveBeenCalledWith('robin@example.com'));
  expect(calls.signUp.mock.lastCall).toEqual([
    {
      fullName: 'Robin Sample',
      email: 'robin@example.com',
      phone: '0400 111 222',
      djName: '',
      password: 'night-shift-9',
      birth: '1998-04-03',
    },
    'http://localhost/x',
  ]);
  expect(sessionStorage.getItem('typed:sign-up')).toBeNull();
});

test('a mistyped code is refused at its field, and a new one can be sent', async () => {
  renderPart(<CodeForm email="robin@example.com" onOther={vi.fn()} />);
  await waitFor(() => expect(document.activeElement).toBe(field('Verification code')));
  await press('Verify Email');
  expect(await alert()).toBe('Please enter the 6-digit verification code.');
  expectTitle('Invalid code');
  calls.verifyCode.mockRejectedValueOnce(refusal('otp_expired', 'Token has expired or is invalid'));
  // The sixth digit sends the code.
  await fill(field('Verification code'), '123456');
  await waitFor(async () => expect(await alert()).toBe('Token has expired or is invalid'));
  expectTitle('Verification failed');
  calls.resendCode.mockResolvedValueOnce();
  await press('Resend code');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect(toast).toHaveBeenLastCalledWith({
    title: 'Code Resent',
    description: 'A new code is on its way to robin@example.com.',
  });
  calls.resendCode.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await press('Resend code');
  expect(await alert()).toBe('Failed to resend code. Please try again.');
});

test('a reset needs an address, and a failure is shown at it', async () => {
  const sent = vi.fn();
  renderPart(<ResetForm startEmail="" onBack={vi.fn()} onSent={sent} />);
  await press('Send reset link');
  expect(await alert()).toBe('Please enter your email address first.');
  expectTitle('Email required');
  await fill(field('Email'), 'nowhere');
  await press('Send reset link');
  await waitFor(async () => expect(await alert()).toBe('Please enter a valid email address'));
  expectTitle('Validation Error');
  await fill(field('Email'), 'nowhere@example.com');
  calls.sendReset.mockRejectedValueOnce(new Error('Too many requests'));
  await press('Send reset link');
  expect(await alert()).toBe('Too many requests');
  calls.sendReset.mockResolvedValueOnce();
  await press('Send reset link');
  await waitFor(() => expect(sent).toHaveBeenCalledWith('nowhere@example.com'));
  expect(toast).toHaveBeenLastCalledWith(expect.objectContaining({ title: 'Reset link sent' }));
});

test('a new password after a used link is set without asking for the link again', async () => {
  const done = vi.fn();
  renderPart(<NewPasswordForm tokenHash="h" signedIn={false} onDone={done} onAskAgain={vi.fn()} />);
  await typeInto({ 'New password': 'night-shift-9', 'Confirm new password': 'night-shift-9' });
  calls.verifyLink.mockResolvedValueOnce(true);
  calls.setPassword.mockRejectedValueOnce(new Error('Password is easy to guess'));
  await press('Set new password');
  expect(await alert()).toBe('Password is easy to guess');
  calls.setPassword.mockResolvedValueOnce();
  await press('Set new password');
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(calls.verifyLink).toHaveBeenCalledOnce();
});

test('an expired link leads to a new one', async () => {
  const askAgain = vi.fn();
  renderPart(<NewPasswordForm tokenHash="h" signedIn={false} onDone={vi.fn()} onAskAgain={askAgain} />);
  await typeInto({ 'New password': 'night-shift-9', 'Confirm new password': 'night-shift-9' });
  calls.verifyLink.mockRejectedValueOnce(refusal('otp_expired', 'expired'));
  await press('Set new password');
  expect(await alert()).toContain('This link has expired or has already been used.');
  await press('Ask for a new link');
  expect(askAgain).toHaveBeenCalledOnce();
});

const app = { id: 'app', type: 'totp', name: 'Blue app' } as const;

test('a wrong second factor empties the field, and the next attempt starts a new challenge', async () => {
  renderPart(<SecondStep factors={[app]} onSignOut={vi.fn()} />);
  calls.challengeFactor.mockResolvedValueOnce('one').mockResolvedValueOnce('two');
  calls.verifyFactor.mockRejectedValueOnce(refusal('mfa_verification_failed', 'Invalid TOTP code'));
  await fill(field('6-digit code'), '111111');
  await press('Continue');
  await waitFor(() => expect(screen.getByText('That code isn’t right. Please try again.')).toBeTruthy());
  expect(field('6-digit code').value).toBe('');
  expect(toast).not.toHaveBeenCalled();
  calls.verifyFactor.mockResolvedValueOnce();
  await fill(field('6-digit code'), '222222');
  await press('Continue');
  await waitFor(() => expect(calls.verifyFactor.mock.calls).toHaveLength(2));
  expect(calls.verifyFactor.mock.calls).toEqual([
    ['app', 'one', '111111'],
    ['app', 'two', '222222'],
  ]);
});

test('a phone gets its message before the code is asked for, and another factor can be used', async () => {
  const phone = { id: 'phone', type: 'phone', name: '' } as const;
  const key = { id: 'key', type: 'webauthn', name: 'Blue key' } as const;
  renderPart(<SecondStep factors={[phone, key]} onSignOut={vi.fn()} />);
  expect(screen.queryByLabelText('6-digit code')).toBeNull();
  calls.challengeFactor.mockRejectedValueOnce(new TypeError('Failed to fetch')).mockResolvedValueOnce('sent');
  await press('Send code');
  expect(await alert()).toBe('An unexpected error occurred. Please try again.');
  await press('Send code');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('6-digit code')));
  await press('Use Blue key');
  calls.verifyKey.mockRejectedValueOnce(new Error('The key was not accepted'));
  await press('Use security key');
  expect(await alert()).toBe('The key was not accepted');
});
