import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import * as queries from './ledger-queries.ts';
import * as wire from '#web/data/testing/wire.ts';
import { Ledger } from './ledger.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
const CHECK: queries.LedgerCheck = {
  finishedAt: new Date('2031-03-05T00:00:00Z'),
  problem: null,
  sums: [
    { kind: 'payment', here: { count: 2, cents: 20_000 }, there: { count: 2, cents: 20_100 } },
    { kind: 'refund', here: { count: 0, cents: 0 }, there: { count: 0, cents: 0 } },
  ],
  feesAndPayouts: {
    feeCents: 372,
    payouts: [
      {
        id: 'po_1',
        cents: 19_000,
        at: new Date('2031-03-03T00:00:00Z'),
        arrivesAt: new Date('2031-03-04T00:00:00Z'),
        returned: false,
      },
      { id: 'po_1', cents: -19_000, at: new Date('2031-03-04T00:00:00Z'), arrivesAt: null, returned: true },
    ],
  },
  differenceCount: 2,
  differences: [
    {
      kind: 'payment',
      id: 'pi_1',
      name: 'other_amount',
      reference: 'HC-ABC123',
      hereCents: 10_000,
      thereCents: 10_100,
      currency: null,
      at: new Date('2031-03-04T00:00:00Z'),
    },
    {
      kind: 'refund',
      id: 're_1',
      name: 'missing_here',
      reference: null,
      hereCents: null,
      thereCents: -500,
      currency: 'usd',
      at: new Date('2031-03-04T00:00:00Z'),
    },
  ],
};

test('a compared month has the fees, and each payout with its day at the bank', async () => {
  wire.answerRows('ledger_check', CHECK);
  renderPart(<Ledger />, { path: '/admin?tab=numbers' });
  expect(await screen.findByText(/^The provider took \$3\.72 in fees\./)).toBeTruthy();
  const [, paid, returned] = within(screen.getByRole('table', { name: 'Payouts' })).getAllByRole('row');
  expect([paid?.textContent, returned?.textContent]).toEqual([
    'Mon 3 Mar 2031po_1Tue 4 Mar 2031$190',
    'Tue 4 Mar 2031po_1Returned by the bank-$190',
  ]);
});

test('a comparison by an older version says nothing of fees, and a month without payouts says so', async () => {
  wire.answerRows('ledger_check', { ...CHECK, feesAndPayouts: null });
  const older = renderPart(<Ledger />, { path: '/admin?tab=numbers' });
  await screen.findByRole('table', { name: 'Totals' });
  expect(screen.queryByText('Fees and payouts')).toBeNull();
  older.unmount();
  wire.answerRows('ledger_check', { ...CHECK, feesAndPayouts: { feeCents: 0, payouts: [] } });
  renderPart(<Ledger />, { path: '/admin?tab=numbers' });
  expect(await screen.findByText('No payouts this month.')).toBeTruthy();
});

test('a compared month has the sums of both sides and each difference by name, with a link to the booking', async () => {
  wire.answerRows('ledger_check', CHECK);
  renderPart(<Ledger />, { path: '/admin?tab=numbers' });
  const sums = within(await screen.findByRole('table', { name: 'Totals' }));
  expect(sums.getAllByRole('row')[1]?.textContent).toBe('Payments$200 (2)$201 (2)-$1');
  const [, amount, missing] = within(screen.getByRole('table', { name: 'Differences' })).getAllByRole('row');
  expect(amount?.textContent).toMatch(/Amounts differ.*pi_1.*Tue 4 Mar 2031, 11 am.*\$100.*\$101/);
  expect(screen.getByRole('link', { name: 'HC-ABC123' }).getAttribute('href')).toBe(
    '/admin?tab=numbers&booking=HC-ABC123',
  );
  expect(missing?.textContent).toMatch(/Missing here.*None.*None.*-\$5 USD/);
});

test('a month with more differences than are shown says how many there are', async () => {
  wire.answerRows('ledger_check', { ...CHECK, differenceCount: 1_234 });
  renderPart(<Ledger />);
  expect(await screen.findByText('Showing the oldest 2 of 1,234 differences.')).toBeTruthy();
});

test('a month without differences says so, and one that was not compared offers it', async () => {
  wire.answerRows('ledger_check', { ...CHECK, differenceCount: 0, differences: [] });
  renderPart(<Ledger />);
  expect(await screen.findByText('All amounts match.')).toBeTruthy();
  const months = screen.getByLabelText<HTMLSelectElement>('Month');
  expect(months.options).toHaveLength(24);
  wire.answerRows('ledger_check', null);
  await user.selectOptions(months, months.options[1]?.value ?? '');
  expect(await screen.findByText('This month has not been compared yet.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Compare month' }));
  await wire.expectSent('staff-reconcile', { month: months.options[1]?.value ?? '' });
  await wire.expectRequests('ledger_check', 3);
});

test('a comparison that runs says so, and why it waits', async () => {
  wire.answerRows('ledger_check', { ...CHECK, finishedAt: null, problem: 'stripe: timeout' });
  renderPart(<Ledger />);
  expect(await screen.findByText('The provider did not answer (stripe: timeout). We’ll keep trying.')).toBeTruthy();
});

test('a comparison that could not be loaded offers another try', async () => {
  wire.fail('ledger_check', 500);
  renderPart(<Ledger />);
  await screen.findByRole('button', { name: 'Try again' });
  wire.answerRows('ledger_check', { ...CHECK, differenceCount: 0, differences: [] });
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('All amounts match.')).toBeTruthy();
});

test('the months go back from this one', () => {
  expect(queries.monthsBefore('2031-03-31').slice(0, 4)).toEqual([
    { value: '2031-03', label: 'March 2031' },
    { value: '2031-02', label: 'February 2031' },
    { value: '2031-01', label: 'January 2031' },
    { value: '2030-12', label: 'December 2030' },
  ]);
});
