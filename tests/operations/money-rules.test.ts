import { expect, test } from 'vitest';
import type { Concession } from '#rules/business/concessions.ts';
import { requireConcession } from '#server/operations/core/concessions.ts';
import type { PaymentFacts } from '#server/operations/core/booking-rows.ts';
import { countChange, reportDecline } from '#server/operations/payments/count-outcomes.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

test.each<[Concession, string]>([
  [{ kind: 'refund', cents: 1, termsCents: 0 }, 'The terms of this booking give no refund.'],
  [{ kind: 'refund', cents: 0, termsCents: 1 }, 'The terms of this booking give a full refund.'],
  [{ kind: 'waiver', cents: 1 }, 'The new hours cost more.'],
  [{ kind: 'price', cents: 1 }, 'The list price is higher.'],
  [{ kind: 'free' }, 'This booking would be free.'],
  [{ kind: 'elsewhere' }, 'This booking would be paid outside this site.'],
])('the concession %o is refused in words to staff without the permission for money', (concession, words) => {
  const ask = (right: Parameters<typeof requireConcession>[0]) => () => requireConcession(right, concession);
  for (const right of ['missing', undefined] as const)
    expect(ask(right)).toThrow(
      expect.objectContaining({
        code: 'not_yours',
        message: `${words} You need the “Money” permission for this.`,
        details: { permission: 'money' },
      }),
    );
  expect(ask('needs_second_factor')).toThrow(
    expect.objectContaining({
      code: 'second_factor_required',
      message:
        'This needs two-step sign-in. Sign in with your second step, or add an authenticator app in your account settings.',
      details: { permission: 'money' },
    }),
  );
  expect(ask('held')).not.toThrow();
});

test('a payment is counted when it reaches another state that is an outcome, and a decline when there is one', () => {
  const [counted, logged]: [string[], unknown[]] = [[], []];
  const services = servicesWith({
    countOutcome: (outcome) => void counted.push(outcome),
    log: { info: (fields, message) => void logged.push(fields, message) },
  });
  countChange(services, 'open', 'paid');
  countChange(services, 'paid', 'paid');
  countChange(services, 'intent', 'open');
  countChange(services, 'paid', 'refund_pending');
  // Cast: the function reads only the booking.
  const payment = { bookingId: 'b' } as PaymentFacts;
  reportDecline(services, payment, null);
  reportDecline(services, payment, { code: 'card_declined' } as never);
  expect(counted).toEqual(['paid', 'refund_pending', 'declined']);
  expect(logged).toEqual([{ booking: 'b', code: 'card_declined' }, expect.stringMatching(/\w/)]);
});
