import { expect, test } from 'vitest';
import type { PaymentSession } from '#server/providers/ports.ts';
import { getOutcome, type SessionOutcome } from './outcome.ts';

type State = Pick<PaymentSession, 'status' | 'paymentStatus' | 'intentStatus'>;
const TABLE: readonly (readonly [State['status'], State['paymentStatus'], State['intentStatus'], SessionOutcome])[] = [
  ['open', 'unpaid', null, 'open'],
  ['open', 'unpaid', 'requires_payment_method', 'open'],
  ['open', 'unpaid', 'requires_action', 'open'],
  ['open', 'unpaid', 'processing', 'open'],
  ['open', 'no_payment_required', null, 'open'],
  ['open', 'paid', 'succeeded', 'paid'],
  ['complete', 'paid', 'succeeded', 'paid'],
  ['complete', 'paid', null, 'paid'],
  ['complete', 'unpaid', 'succeeded', 'paid'],
  ['complete', 'unpaid', 'processing', 'processing'],
  ['complete', 'unpaid', 'requires_action', 'processing'],
  ['complete', 'unpaid', 'requires_confirmation', 'processing'],
  ['complete', 'unpaid', 'requires_capture', 'processing'],
  ['complete', 'unpaid', null, 'processing'],
  ['complete', 'unpaid', 'requires_payment_method', 'failed'],
  ['complete', 'unpaid', 'canceled', 'failed'],
  ['complete', 'no_payment_required', null, 'free'],
  ['expired', 'unpaid', null, 'expired'],
  ['expired', 'unpaid', 'requires_payment_method', 'expired'],
  ['expired', 'unpaid', 'canceled', 'expired'],
  ['expired', 'no_payment_required', null, 'expired'],
  ['expired', 'paid', 'succeeded', 'paid'],
];

test.each(TABLE)(
  'a session that is %s and %s, its payment %s, means %s',
  (status, paymentStatus, intentStatus, outcome) => {
    expect(getOutcome({ status, paymentStatus, intentStatus })).toBe(outcome);
  },
);
