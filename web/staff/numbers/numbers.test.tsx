import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { Numbers } from './numbers.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
const STUDIOS = [{ id: 'a', name: 'Studio A' }];
const MARCH = { first: '2031-03-01', last: '2031-03-31' };

const totals = {
  sessions: 3,
  hours: 7,
  baseCents: 30_000,
  volumeDiscountCents: 1_000,
  couponDiscountCents: 500,
  waivedCents: 0,
  soldCents: 28_500,
  cancelled: 1,
  unpaidHolds: 2,
  unpaidCents: 9_800,
  customers: 3,
  returningCustomers: 1,
  medianLeadHours: 30,
};
const found: queries.Numbers = {
  occupancy: [
    { weekday: 1, hour: 0, booked: 3, open: 12 },
    { weekday: 1, hour: 1, booked: 0, open: 12 },
    { weekday: 2, hour: 0, booked: 0, open: 0 },
  ],
  months: [{ month: '2031-03', paidCents: 28_500, refundedCents: 1_234, disputedCents: 5_900 }],
  totals,
};
const before: queries.Numbers = {
  occupancy: [],
  months: [],
  totals: { ...totals, sessions: 1, medianLeadHours: null },
};
const isMarch = ({ body }: wire.SentRequest) => (body as { first_day: string }).first_day === MARCH.first;
const onChoose = vi.fn();
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('business_numbers', (request: wire.SentRequest) => (isMarch(request) ? found : before));
});
const render = (chosen: Partial<{ first: string; last: string; studioId: string }> = {}): void =>
  void renderPart(<Numbers chosen={{ ...MARCH, studioId: null, ...chosen }} studios={STUDIOS} onChoose={onChoose} />);
const figure = (label: string) => within(screen.getByText(label, { selector: 'dt' }).closest('div') ?? document.body);

test('figures stand beside those of the range before, the money by month, and the hours of the week in percent', async () => {
  render();
  expect((await screen.findAllByText('$285')).length).toBeGreaterThan(0);
  expect(figure('Sessions').getByText('3')).toBeTruthy();
  expect(await figure('Sessions').findByText('1 from 1 Feb to 28 Feb 2031')).toBeTruthy();
  expect(figure('Occupancy').getByText('13 %')).toBeTruthy();
  expect(figure('Occupancy').getByText('– from 1 Feb to 28 Feb 2031')).toBeTruthy();
  expect(figure('New customers').getByText('2')).toBeTruthy();
  expect(figure('Booked ahead').getByText('30 h')).toBeTruthy();
  const month = within(screen.getByRole('row', { name: /March 2031/ }));
  expect([month.getByText('$12.34'), month.getByText('$59'), month.getByText('$213.66')]).toHaveLength(3);
  expect(figure('Disputed').getByText('$59')).toBeTruthy();
  const midnight = within(screen.getByRole('row', { name: /^12 am/ }));
  expect(midnight.getAllByRole('cell').map((cell) => cell.textContent)).toEqual(['25', 'shut', '', '', '', '', '']);
});

test('a period, a day and a studio are chosen into the address', async () => {
  render();
  await user.click(screen.getByRole('button', { name: 'Last month' }));
  expect(onChoose).toHaveBeenLastCalledWith({ first: expect.stringMatching(/-01$/), last: expect.any(String) }, null);
  fireEvent.change(screen.getByLabelText('First day'), { target: { value: '2031-03-05' } });
  expect(onChoose).toHaveBeenLastCalledWith({ first: '2031-03-05', last: '2031-03-31' }, null);
  await user.selectOptions(screen.getByLabelText('Room'), 'Studio A');
  expect(onChoose).toHaveBeenLastCalledWith(MARCH, 'a');
});

test('days that cannot be counted are refused in words, and nothing is read', () => {
  render({ last: '2031-02-01' });
  expect(screen.getByRole('alert').textContent).toBe('The last day must not be before the first.');
  expect(wire.sentTo('business_numbers')).toEqual([]);
});

test('numbers that cannot be read say why and can be read again; a failed comparison leaves the figures', async () => {
  wire.refuseRows('business_numbers', '42501', 'You need the permission for money.');
  render();
  expect(await screen.findByText('You need the permission for money.')).toBeTruthy();
  // The comparison stays without numbers, because its answer has the wrong format.
  wire.answerRows('business_numbers', (request: wire.SentRequest) => (isMarch(request) ? found : 'down'));
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect((await screen.findAllByText('$285')).length).toBeGreaterThan(0);
  expect(figure('Sessions').queryByText('Comparing…')).toBeNull();
});
