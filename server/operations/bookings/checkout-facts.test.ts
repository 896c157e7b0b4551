import { expect, test } from 'vitest';
import { type CheckoutFacts, requireEligible } from './checkout-facts.ts';

/** 11 am in Sydney. */
const NOW = new Date('2031-03-01T00:00:00Z');
const END = new Date('2031-03-08T02:00:00Z');
const ACCEPTS = { endTime: END, termsAccepted: true, termsVersion: null };
// Cast: the checks read only these fields.
const FACTS = {
  studio: { id: 's', name: 'Studio A' },
  profile: { fullName: 'Alex Citizen', dateOfBirth: '1998-04-03' },
  mailConfirmed: true,
  termsAccepted: ['1'],
  verification: { id: 'v', expiresAt: END.toISOString() },
  blocked: false,
  rules: { termsVersion: '2', email: 'us@example.com' },
} as unknown as CheckoutFacts;

/** Returns the id of the verification, or the code and words of the refusal. */
function check(request: Partial<typeof ACCEPTS> | { termsVersion: string }, facts: object = {}): unknown {
  try {
    return requireEligible({ ...ACCEPTS, ...request }, { ...FACTS, ...facts }, NOW);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return [code, message];
  }
}

test.each<[string, object, unknown]>([
  ['who may book', {}, 'v'],
  [
    'who is blocked',
    { blocked: true, studio: null },
    ['blocked', 'You can’t book with this account at the moment. Please email us@example.com.'],
  ],
  [
    'who asks for an unknown studio',
    { studio: null, mailConfirmed: false },
    ['invalid_request', 'Selected studio not found.'],
  ],
  [
    'whose address is not confirmed',
    { mailConfirmed: false, profile: null },
    ['mail_unconfirmed', 'Please confirm your email address first.'],
  ],
  ['without a profile', { profile: null }, ['age_required', 'You must be 18 years or older to book.']],
  [
    'without a date of birth',
    { profile: { dateOfBirth: null } },
    ['age_required', 'You must be 18 years or older to book.'],
  ],
  ['who turns 18 today', { profile: { dateOfBirth: '2013-03-01' } }, 'v'],
  [
    'who turns 18 tomorrow',
    { profile: { dateOfBirth: '2013-03-02' }, verification: null },
    ['age_required', 'You must be 18 years or older to book.'],
  ],
  ['without a verified ID', { verification: null }, ['id_required', 'Please verify your ID before you book.']],
  [
    'whose ID expires during the session',
    { verification: { id: 'v', expiresAt: new Date(+END - 1).toISOString() } },
    ['id_required', 'Please verify your ID before you book.'],
  ],
])('a customer %s', (_who, facts, expected) => {
  expect(check({}, facts)).toEqual(expected);
});

const CHANGED = [
  'terms_required',
  'Our terms have changed since you accepted them. Please read and accept the new ones.',
];
const NEVER = ['terms_required', 'Please accept the terms and conditions.'];
test.each<[string, object, object, unknown]>([
  ['accepts the current ones', {}, {}, 'v'],
  ['accepts the version that counts', { termsVersion: '2' }, {}, 'v'],
  ['accepts an earlier version', { termsVersion: '1' }, {}, CHANGED],
  ['accepts an earlier version for the first time', { termsVersion: '1' }, { termsAccepted: null }, CHANGED],
  ['has accepted the current ones before', { termsAccepted: false }, { termsAccepted: ['1', '2'] }, 'v'],
  ['has accepted earlier ones only', { termsAccepted: false }, {}, CHANGED],
  ['has accepted none', { termsAccepted: false }, { termsAccepted: [] }, NEVER],
  ['has accepted none, as a guest', { termsAccepted: false }, { termsAccepted: null }, NEVER],
])('a customer who %s', (_who, request, facts, expected) => {
  expect(check(request, facts)).toEqual(expected);
});

test('the refusal of terms names the current version', () => {
  expect(() => requireEligible({ ...ACCEPTS, termsAccepted: false }, FACTS, NOW)).toThrow(
    expect.objectContaining({ details: { termsVersion: '2' } }),
  );
});
