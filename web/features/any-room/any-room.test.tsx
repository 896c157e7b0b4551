import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { AnyRoom } from './any-room.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));

/** Friday, 3 pm in Sydney. */
const NOW = new Date('2026-11-20T04:00:00Z');
const studios = [
  { id: 'a', name: 'Studio A', rates: specifiedRates },
  { id: 'b', name: 'Studio B', rates: specifiedRates },
];
/** Answers with current bookings of other customers, one for each room and end. */
function answer(...bookings: readonly { studio_id: string; end_time: Date }[]): void {
  const booked = { start_time: NOW, status: 'confirmed', user_id: null };
  wire.answerRows(
    'bookings',
    bookings.map((booking) => ({ ...booked, id: booking.studio_id, ...booking })),
  );
  wire.answerRows('closed_hours', []);
}
const show = (onTake = vi.fn()) => {
  renderPart(<AnyRoom studios={studios} userId={null} now={NOW} onTake={onTake} />);
  return onTake;
};
const choose = (label: string, option: string) =>
  user.click(within(screen.getByRole('group', { name: label })).getByRole('radio', { name: option }));
const offers = () => screen.getAllByRole('listitem').map((item) => item.textContent);

test('the best three are offered with room, price and reason; one press takes them [spec 10.3]', async () => {
  answer(
    { studio_id: 'a', end_time: slotEnd('2026-11-20', 23) },
    { studio_id: 'b', end_time: slotStart('2026-11-20', 19) ?? NOW },
  );
  const onTake = show();
  expect(await screen.findByText('The best in the next 7 days, Sydney time:')).toBeTruthy();
  expect(offers()).toEqual([
    'Cheapest tonight7 pm to 9 pm tonight Studio B $138',
    'Cheapest this week8 am to 10 am, Mon Studio A $98',
    'Cheapest on Tuesday8 am to 10 am, Tue Studio A $98',
  ]);
  await choose('For', '4 hours');
  expect(offers()[0]).toContain('Soonest, with the 15% step');
  await choose('Up to', '$60');
  expect(screen.queryByRole('listitem')).toBeNull();
  expect(screen.getByRole('status').textContent).toContain('Nothing fits in the next 7 days.');
  await choose('Up to', 'Any price');
  await choose('When', 'Morning');
  await user.click(screen.getAllByRole('button')[0] as HTMLElement);
  expect(onTake.mock.calls[0]?.[0]).toMatchObject({
    studioId: 'a',
    slots: [{ date: '2026-11-21', hour: 6 }, {}, {}, {}],
  });
});

test('says so when the hours cannot be read, and tries again', async () => {
  wire.fail('bookings', 500);
  wire.answerRows('closed_hours', []);
  show();
  expect(await screen.findByText('We can’t show which hours are free right now.')).toBeTruthy();
  answer();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findAllByRole('listitem')).toHaveLength(3);
});
