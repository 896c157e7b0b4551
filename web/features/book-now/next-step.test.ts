import { expect, test } from 'vitest';
import { nextStep } from './next-step.ts';

test.each([
  [{ signedIn: false, eligibility: undefined, totalCents: 6_900 }, 'Next: sign in. You’ll pay $69 at the end.'],
  [{ signedIn: true, eligibility: undefined, totalCents: 6_900 }, ''],
  [{ signedIn: true, eligibility: null, totalCents: 6_900 }, 'Next: your details. You’ll pay $69 at the end.'],
  [
    { signedIn: true, eligibility: { verified: false, termsAccepted: true }, totalCents: 6_900 },
    'Next: verify your ID. You’ll pay $69 at the end.',
  ],
  [
    { signedIn: true, eligibility: { verified: true, termsAccepted: false }, totalCents: 4_950 },
    'Next: your details and the terms. You’ll pay $49.50 at the end.',
  ],
  [
    { signedIn: true, eligibility: { verified: true, termsAccepted: true }, totalCents: 6_900 },
    'You’ll pay $69 on the next page.',
  ],
  [
    { signedIn: true, eligibility: { verified: true, termsAccepted: true }, totalCents: 0 },
    'Nothing to pay: this books your hours.',
  ],
  [
    { signedIn: true, eligibility: { verified: false, termsAccepted: false }, totalCents: 0 },
    'Next: verify your ID. There’s nothing to pay.',
  ],
])('%o: "%s"', (parts, text) => {
  expect(nextStep(parts)).toBe(text);
});
