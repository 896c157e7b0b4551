import { cleanup, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import * as availability from '#web/data/finding/availability.ts';
import { EXAMPLE_BOOKING } from '#web/data/testing/example-booking.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import { BookingView } from './booking-view.tsx';
import { endWith, freeAfter, startsOf } from './free-hours.ts';
import type { DayPart } from './move-form.tsx';
import * as queries from './queries.ts';
import { eventsOf } from './timeline.tsx';

const { NOW, CARDS, leaveTo } = vi.hoisted(() => ({
  NOW: new Date('2031-03-01T00:00:00Z'),
  CARDS: [] as unknown[],
  leaveTo: vi.fn(),
}));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
vi.mock('#web/lib/use-now.ts', () => ({ useNow: () => NOW }));
vi.mock('#web/lib/leave.ts', () => ({ leaveTo }));
vi.mock('#web/data/finding/availability.ts', () => ({ readDays: vi.fn() }));
vi.mock(import('#web/data/fetch-client.ts'), async (original) => ({
  ...(await original()),
  callFunction: vi.fn(() => Promise.resolve({ cards: CARDS })) as never,
}));
vi.mock('#web/data/bookings/own-bookings.ts', () => ({ releaseHold: vi.fn() }));
vi.mock(import('./queries.ts'), async (original) => ({
  ...(await original()),
  readOwnBooking: vi.fn(),
  quoteChange: vi.fn(),
  makeChange: vi.fn(),
}));
const calls = vi.mocked(queries);

const at = (hour: number): Date => new Date(Date.parse('2031-03-08T00:00:00+11:00') + hour * 3_600_000);
const BOOKING: queries.BookingPage = {
  ...EXAMPLE_BOOKING,
  id: 'b1',
  studioId: 'A',
  startTime: at(18),
  endTime: at(20),
  termsStart: at(18),
  totalHours: 2,
  baseCents: 13_800,
  finalCents: 13_800,
  codeHeld: false,
  processing: false,
  payments: [{ cents: 13_800, at: new Date('2031-02-01T00:05:00Z'), forMove: false, online: true }],
  refunds: [],
  refundingCents: 0,
  documents: [{ number: 7, kind: 'invoice', cents: 13_800, at: new Date('2031-02-01T00:05:00Z') }],
  code: { accepted: null, mailed: null },
  openings: [],
  moves: [],
  waiting: null,
};
const rooms = [
  { id: 'A', name: 'Studio A', rates: specifiedRates },
  { id: 'B', name: 'Studio B', rates: specifiedRates },
];
const taken = (start: number, end: number, mine = false) => ({
  start: at(start),
  end: at(end),
  status: 'confirmed',
  mine,
});
const days: DayPart = ({ onDay }) => (
  <button type="button" onClick={() => onDay('2031-03-10')}>
    Choose 2031-03-10
  </button>
);
const show = (change: Partial<queries.BookingPage> | null = {}): void => {
  calls.readOwnBooking.mockResolvedValue(change === null ? null : { ...BOOKING, ...change });
  renderPart(
    <BookingView bookingKey="ABCD-2345" userId="u" rooms={rooms} days={days} cancelForm={() => <p>really?</p>} />,
  );
};
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));

beforeEach(() => {
  vi.resetAllMocks();
  vi.mocked(availability.readDays).mockResolvedValue(new Map([['A', [taken(18, 20, true), taken(22, 24)]]]));
});

test('a booking says its state, its money, what happened, and until when it can change', async () => {
  show({
    refundingCents: 2_000,
    moves: [{ studioName: 'Studio B', startTime: at(10), endTime: at(12), differenceCents: 0, at: at(-48) }],
  });
  expect(await screen.findByText('Confirmed')).toBeTruthy();
  expect(screen.getByText('Code 5:45 pm')).toBeTruthy();
  expect(screen.getByText(/Free to move or cancel until 10 pm on Fri 7 Mar 2031/)).toBeTruthy();
  expect(screen.getByText('On its way back to you')).toBeTruthy();
  const timeline = screen.getByRole('region', { name: 'What happened' });
  expect(
    within(timeline)
      .getAllByRole('listitem')
      .map((one) => one.querySelector('p')?.textContent),
  ).toEqual(['Hours held for you', '$138 paid', 'Moved from Studio B, Saturday 8 March 2031, 10 am to 12 pm']);
  expect(screen.getByText('Receipt 000007, Sat 1 Feb 2031: $138')).toBeTruthy();
  await press('Cancel');
  expect(screen.getByText('really?')).toBeTruthy();
});

test('a booking whose code is held says how to reach us, and not when the code comes', async () => {
  show({ codeHeld: true });
  expect(await screen.findByText(/Your access code is on hold/)).toBeTruthy();
  expect(screen.queryByText('Code 5:45 pm')).toBe(null);
});

test('a move offers the free starts of the day, says what it costs, and leaves for the pay page', async () => {
  show();
  calls.quoteChange.mockResolvedValue({ differenceCents: 1_000, refundCents: 0, payUntil: '2031-03-01T00:15:00Z' });
  await press('Move');
  const starts = await screen.findByRole('group', { name: /start at/ });
  const start = (name: RegExp) => within(starts).getByRole<HTMLButtonElement>('button', { name });
  expect(start(/^6 PM/).disabled).toBe(true);
  expect(start(/^9 PM/).disabled).toBe(true);
  expect(start(/^7 PM/).disabled).toBe(false);
  await user.click(start(/^8 PM/));
  expect(await screen.findByText('$10')).toBeTruthy();
  expect(calls.quoteChange).toHaveBeenCalledWith('b1', { kind: 'move', studioId: 'A', start: at(20), end: at(22) });
  calls.makeChange.mockRejectedValueOnce(new AppError('slot_taken', 'This time is taken.', 409));
  await press('Pay $10 and change');
  expect((await screen.findByRole('alert')).textContent).toContain('This time is taken.');
  await press('Try again');
  calls.makeChange.mockResolvedValueOnce({
    differenceCents: 1_000,
    refundCents: 0,
    waitsUntil: 'x',
    url: 'https://pay.example',
  });
  await press('Pay $10 and change');
  expect(leaveTo).toHaveBeenCalledWith('https://pay.example');
  expect(calls.makeChange).toHaveBeenLastCalledWith('b1', expect.objectContaining({ start: at(20) }), {
    differenceCents: 1_000,
    card: null,
  });
});

test('a move shows the price of all its hours on each day, room and length that is chosen', async () => {
  show();
  await press('Move');
  const starts = async (day: RegExp) => within(await screen.findByRole('group', { name: day }));
  const first = await starts(/^Saturday 8 March 2031/);
  expect(first.getByRole('button', { name: /^10 AM/ }).textContent).toBe('10 AM$118');
  expect(first.getByRole('button', { name: /^6 PM/ }).textContent).toBe('6 PMyour hours now');
  expect(first.getByRole('button', { name: /^9 PM/ }).textContent).toBe('9 PMnot free');
  expect(screen.getByText('Price of all 2 hours. The next step says what changes for you.')).toBeTruthy();
  await press('Choose 2031-03-10');
  await user.selectOptions(screen.getByLabelText('How long'), '1');
  const monday = await starts(/^Monday 10 March 2031/);
  expect(monday.getByRole('button', { name: /^10 AM/ }).textContent).toBe('10 AM$49');
  expect(vi.mocked(availability.readDays)).toHaveBeenLastCalledWith('A', { from: '2031-03-10', to: '2031-03-11' }, 'u');
});

test('one tap pays with a saved card that has not expired; one that is refused leads to the pay page', async () => {
  const card = { id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2034 };
  CARDS.push(card, { ...card, id: 'pm_2', last4: '0341', expiryYear: 2030 });
  show();
  calls.quoteChange.mockResolvedValue({ differenceCents: 6_900, refundCents: 0, payUntil: '2031-03-01T00:15:00Z' });
  await press('Stay longer');
  await press(/^9 pm/);
  const tap = await screen.findByRole('button', { name: 'Pay $69 with Visa ending in 4242' });
  expect(screen.queryByText(/0341/)).toBeNull();
  const held = { differenceCents: 6_900, refundCents: 0, waitsUntil: 'x', url: 'https://pay.example' };
  calls.makeChange.mockResolvedValueOnce({ ...held, cardProblem: 'declined' });
  await user.click(tap);
  expect((await screen.findByRole('alert')).textContent).toContain('declined the card. Nothing was charged.');
  expect(leaveTo).not.toHaveBeenCalled();
  await press('Go to the pay page');
  expect(leaveTo).toHaveBeenCalledWith('https://pay.example');
  expect(calls.makeChange).toHaveBeenCalledWith('b1', expect.anything(), { differenceCents: 6_900, card: 'pm_1' });
  await press('Back');
  await press(/^9 pm/);
  calls.makeChange.mockResolvedValueOnce({ differenceCents: 6_900, refundCents: 0 });
  await press('Pay $69 with Visa ending in 4242');
  expect(leaveTo).toHaveBeenCalledTimes(1);
  CARDS.length = 0;
});

test('no way to pay can be pressed before the saved cards are known, so that none appears under a finger', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  vi.mocked(callFunction).mockReturnValueOnce(promise as never);
  show();
  calls.quoteChange.mockResolvedValue({ differenceCents: 6_900, refundCents: 0, payUntil: '2031-03-01T00:15:00Z' });
  await press('Stay longer');
  await press(/^9 pm/);
  const pay = await screen.findByRole<HTMLButtonElement>('button', { name: 'Pay $69 and change' });
  expect(pay.disabled).toBe(true);
  resolve({ cards: [] });
  await vi.waitFor(() => expect(pay.disabled).toBe(false));
});

test('staying longer is offered as far as the room is free, each end with what it costs more', async () => {
  show();
  // The third hour brings a discount for all of them.
  calls.quoteChange.mockImplementation((_id, change) =>
    Promise.resolve({ differenceCents: change.kind === 'extend' && change.more === 2 ? 4_800 : 0, refundCents: 0 }),
  );
  calls.makeChange.mockResolvedValue({ differenceCents: 0, refundCents: 0 });
  await press('Stay longer');
  const ends = await screen.findByRole('group', { name: 'New end' });
  await within(ends).findByText('$48 more');
  expect(
    within(ends)
      .getAllByRole('button')
      .map((one) => one.textContent),
  ).toEqual(['9 pmNo extra cost', '10 pm$48 more']);
  await press(/^9 pm/);
  await press('Change my booking');
  expect(calls.makeChange).toHaveBeenCalledWith(
    'b1',
    { kind: 'extend', more: 1, from: at(20) },
    { differenceCents: 0, card: null },
  );
});

test('new hours that wait for a payment can be paid or let go', async () => {
  const waiting = { holdId: 'h', studioId: 'B', studioName: 'Studio B', startTime: at(18), endTime: at(20) };
  show({ waiting: { ...waiting, cents: 1_000, until: new Date(NOW.getTime() + 600_000), url: 'https://pay.example' } });
  expect(await screen.findByText('Not changed yet')).toBeTruthy();
  await press('Pay $10');
  expect(leaveTo).toHaveBeenCalledWith('https://pay.example');
  expect(screen.getByRole('button', { name: 'Keep my old hours' })).toBeTruthy();
});

test('a booking that is unknown, failed to load, past, cancelled or not paid says so', async () => {
  show(null);
  expect(await screen.findByText(/There is no booking ABCD-2345/)).toBeTruthy();
  calls.readOwnBooking.mockRejectedValue(new Error('no'));
  renderPart(<BookingView bookingKey="X" userId="u" rooms={rooms} days={days} cancelForm={() => null} />);
  expect(await screen.findByText('Your booking could not be loaded.')).toBeTruthy();
  show({ startTime: at(-400), endTime: at(-398) });
  expect(await screen.findByText('Past')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Move' })).toBeNull();
  show({ status: 'pending', payments: [] });
  expect(await screen.findByText('Not paid yet')).toBeTruthy();
});

test('the starts of a day count hours past midnight, and the booking’s own hours as free for it', () => {
  const view = { taken: [taken(18, 20, true), taken(25, 26)], now: NOW, horizonDays: 90 };
  const starts = startsOf(BOOKING, { studioId: 'A', date: '2031-03-08', hours: 2 }, view);
  expect(starts.filter(({ free }) => !free).map(({ hour }) => hour)).toEqual([18]);
  const three = startsOf(BOOKING, { studioId: 'A', date: '2031-03-08', hours: 3 }, view);
  expect(three.filter(({ free }) => !free).map(({ hour }) => hour)).toEqual([23]);
  expect(freeAfter(BOOKING, view.taken, 9)).toBe(5);
  expect(endWith(BOOKING, 2)).toEqual(at(22));
});

test('what happened is in order, and the end of the session comes last', () => {
  const code = { accepted: at(17), mailed: at(17.75) };
  const refunds = [{ cents: 500, at: at(30) }];
  expect(eventsOf({ ...BOOKING, code, openings: [at(18)], refunds }, at(31)).map(({ what }) => what)).toEqual([
    'Hours held for you',
    '$138 paid',
    'Access code made',
    'Access code emailed',
    'Door opened',
    'Session ended',
    '$5 sent back to you',
  ]);
});

test('a session that was made longer says so, and keeps that the door was opened before', () => {
  const moves = [
    { studioName: 'Studio A', startTime: at(17), endTime: at(19), differenceCents: 0, at: at(-48) },
    { studioName: 'Studio A', startTime: at(18), endTime: at(19), differenceCents: 6_900, at: at(18.5) },
  ];
  const words = eventsOf({ ...BOOKING, moves, openings: [at(18), at(19.5)] }, at(19.6)).map(({ what }) => what);
  expect(words.slice(-4)).toEqual([
    'Moved from Studio A, Saturday 8 March 2031, 5 pm to 7 pm',
    'Door opened',
    'Made longer: until 8 pm instead of 7 pm',
    'Door opened',
  ]);
});

test('a coming booking leads to the same time next week, a past one to the next such day', async () => {
  show();
  const next = await screen.findByRole('link', { name: 'Same time next week' });
  expect(next.getAttribute('href')).toBe('/booking?room=A&from=2031-03-15T18&hours=2');
  cleanup();
  show({ startTime: at(-24 * 14 + 18), endTime: at(-24 * 14 + 20) });
  const again = await screen.findByRole('link', { name: 'Book again, Sat 8 Mar' });
  expect(again.getAttribute('href')).toBe('/booking?room=A&from=2031-03-08T18&hours=2');
});
