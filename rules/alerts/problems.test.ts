import { expect, test } from 'vitest';
import { describeProblem } from './problems.ts';

/** Matches raw codes, which must never appear in a text for staff. */
const RAW = /http_\d|igloohome:|stripe:|\w_\w/;

test.each([
  ['igloohome: http_404', 'access.request', 'The lock service does not know this lock'],
  ['igloohome: http_400', 'access.request', 'The lock service refused the code. The lock may be full'],
  ['igloohome: http_400', 'access.revoke-crew', 'The lock service refused to remove the code'],
  ['igloohome: bridge_offline', 'access.revoke', 'The bridge of the lock is offline: check its power and the Wi-Fi'],
  ['igloohome: circuit_open', 'access.request', 'The lock service does not answer'],
  ['igloohome: token_refused', 'access.request', 'The lock service does not accept our credentials'],
  ['stripe: http_503', 'payment.refund', 'The payment provider has a problem at the moment'],
  [
    'stripe: balance_insufficient',
    'payment.refund',
    'The balance at the payment provider does not cover the refund: top it up there',
  ],
  [
    'mail: smtp_550_recipient',
    'mail.refund',
    'The mail server says that this address does not exist or accepts no email',
  ],
  ['mail: smtp_452', 'mail.refund', 'The mail server asks us to try again later'],
  ['twilio: error 21610', 'text.reminder', 'The recipient has blocked our text messages'],
  ['google-wallet: no access token: status 401', 'pass.google', 'Google Wallet does not accept our credentials'],
  ['no lock is configured for studio Loft', 'access.request', 'The room has no lock'],
  [
    'The session ended before the lock issued an access code.',
    'access.request',
    'The session ended before the lock issued an access code.',
  ],
  ['The disk of DATA_DIR has 12 MB free.', 'system.warning', 'The disk of DATA_DIR has 12 MB free.'],
])('%s of a job %s is told as “%s”, without anything for support', (problem, kind, words) => {
  expect(describeProblem(problem, kind)).toMatchObject({ words, support: null });
});

test.each([
  ['igloohome: http_418', 'The lock service refused the request, and we do not know why', 'igloohome, http 418'],
  [
    'stripe: some_new_code',
    'The payment provider refused the request, and we do not know why',
    'stripe, some new code',
  ],
  ['igloohome: constructor', 'The lock service refused the request, and we do not know why', 'igloohome, constructor'],
  ['constructor: http_404', 'Something went wrong on our server', 'constructor, http 404'],
  ['deadlock detected', 'Something went wrong on our server', 'deadlock detected'],
])('the unknown problem %s has a sentence of its own, and its code for support', (problem, words, support) => {
  const described = describeProblem(problem, 'access.request');
  expect(described).toEqual({ words, support, fix: null });
  expect(`${described.words} ${described.support}`).not.toMatch(RAW);
});

test('only an unknown or missing lock has to be fixed first', () => {
  const getFix = (problem: string) => describeProblem(problem, 'access.request').fix;
  expect(['igloohome: http_404', 'igloohome: no_lock_set', 'no lock is configured for studio A'].map(getFix)).toEqual([
    'lock',
    'lock',
    'lock',
  ]);
  expect(['igloohome: http_400', 'stripe: http_404', 'plug: http_404', 'deadlock detected'].map(getFix)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
