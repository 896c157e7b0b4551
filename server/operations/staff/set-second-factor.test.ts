import { expect, test } from 'vitest';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { setSecondFactorRules } from './set-second-factor.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const later = (days: number): Date => new Date(+NOW + days * 86_400_000);

test.each([
  [0, [NOW]],
  [1, [NOW]],
  [2, [NOW, later(1)]],
  [7, [NOW, later(6)]],
])('with %i days of grace, staff are mailed at once and a day before the end', async (graceDays, expected) => {
  const { db, statements } = createRowDatabase({
    'from private.second_factor_rule': { permission: 'money' },
    set_second_factor_rules: { value: 'set' },
    'from public.staff_permissions': { id: 'u' },
  });
  const services = servicesWith({ db, clock: () => NOW });
  await setSecondFactorRules(
    services,
    { permissions: ['money', 'bookings'], graceDays },
    { actor: 'owner', sessionId: 'session' },
  );
  const find = (part: string) => statements.filter(({ text }) => text.includes(part)).map(({ values }) => values);
  expect(find('set_second_factor_rules')).toEqual([[['money', 'bookings'], 'owner', 'session', `${graceDays} days`]]);
  // Only the new rule is mailed about.
  expect(find('from public.staff_permissions')).toEqual([[['bookings']]]);
  expect(
    find('insert into private.outbox').map(([, kind, subject, dedupe, , , dueAt]) => [kind, subject, dedupe, dueAt]),
  ).toEqual(expected.map((due) => ['mail.second-factor', 'u', due.toISOString(), due]));
});
