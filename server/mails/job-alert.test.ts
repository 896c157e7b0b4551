import { expect, test } from 'vitest';
import { firstBusiness } from '#rules/business/business.ts';
import { jobAlertMail } from './job-alert.ts';

test.each([
  ['payment.refund', 'Refund'],
  ['payment.partial-refund', 'Partial refund'],
  ['mail.refund', 'Refund email'],
  ['account-mail.otp', 'Account email'],
  ['account-text.sms', 'Account text message'],
  ['something.new', 'something.new'],
])('a failing job of the kind %s is listed as %s', (kind, title) => {
  const since = new Date('2026-05-01T00:00:00Z');
  const { text } = jobAlertMail(firstBusiness, [
    { id: 'j', kind, reference: null, tries: 3, since, error: 'down', closedFor: null },
  ]);
  expect(text).toMatch(new RegExp(`What:?\\s+${title.replace('.', '\\.')}`));
});
