import { cleanup, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CallBody } from '#web/data/fetch-client.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { EXAMPLE_BOOKING } from '#web/data/testing/example-booking.ts';
import * as wire from '#web/data/testing/wire.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import { BookingView } from './booking-view.tsx';
import { endWith, freeAfter, listStarts } from './free-hours.ts';
import type { DayPart } from './move-form.tsx';
import type { BookingPage, ChangeAnswer } from './queries.ts';
import { listEvents } from './timeline.tsx';

const { NOW, leaveTo } = vi.hoisted(() => ({ NOW: new Date('2031-03-01T00:00:00Z'), leaveTo: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
vi.mock('#web/lib/use-now.ts', () => ({ useNow: () => NOW }));
vi.mock('#web/lib/leave.ts', () => ({ leaveTo }));

const ID = '66666666-6666-4666-8666-666666666666';
const ROOM = '55555555-5555-4555-8555-55555555555a';
const OTHER_ROOM = '55555555-5555-4555-8555-55555555555b';
const at = (hour: number): Date => new Date(Date.parse('2031-03-08T00:00:00+11:00') + hour * 3_600_000);
const BOOKING: BookingPage = {
  ...EXAMPLE_BOOKING,
  id: ID,
  studioId: ROOM,
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
  { id: ROOM, name: 'Studio A', rates: specifiedRates },
  { id: OTHER_ROOM, name: 'Studio B', rates: specifiedRates },
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
const show = (change: Partial<BookingPage> | null = {}): void => {
  wire.answerRows('own_booking', change === null ? null : { ...BOOKING, ...change });
  renderPart(
    <BookingView bookingKey="ABCD-2345" userId="u" rooms={rooms} days={days} cancelForm={() => <p>really?</p>} />,
  );
};
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));

type ChangeCall = 'reschedule-booking' | 'extend-booking';
/** From now on, the call answers a preview with `quote`, and the change itself with `result`. */
function answerChange(call: ChangeCall, quote: ChangeAnswer, result: ChangeAnswer = quote): void {
  wire.answerWith(call, ({ preview }: CallBody<ChangeCall>) => (preview === true ? quote : result));
}
/** Returns the changes that were requested, without previews. */
const sentChanges = (call: ChangeCall) => wire.sent(call).filter(({ preview }) => preview !== true);
const PAY_UNTIL = '2031-03-01T00:15:00.000Z';
const HELD = { refundCents: 0, waitsUntil: PAY_UNTIL, url: 'https://pay.example/x' };

beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('bookings', [
    { id: ID, studio_id: ROOM, start_time: at(18), end_time: at(20), status: 'confirmed', user_id: 'u' },
    { id: 'other', studio_id: ROOM, start_time: at(22), end_time: at(24), status: 'confirmed', user_id: null },
  ]);
  wire.answerRows('closed_hours', []);
  wire.answer('saved-cards', { cards: [] });
});

test('a booking says its state, its money, what happened, and until when it can change [spec 2.10, 10.6]', async () => {
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
      .map((item) => item.querySelector('p')?.textContent),
  ).toEqual(['Hours held for you', '$138 paid', 'Moved from Studio B, Saturday 8 March 2031, 10 am to 12 pm']);
  expect(screen.getByText('Receipt 000007, Sat 1 Feb 2031: $138')).toBeTruthy();
  await press('Cancel');
  expect(screen.getByText('really?')).toBeTruthy();
});

test.each([
  ['online', [true], 'Your bank can take up to ten days to show a refund.'],
  ['not online', [false], 'What you didn’t pay online, we’ll give you ourselves.'],
  [
    'in both ways',
    [true, false],
    'Your bank can take up to ten days to show a refund. What you didn’t pay online, we’ll give you ourselves.',
  ],
])('a refund of what was paid %s says how it comes back', async (_how, online, words) => {
  const payments = online.map((isOnline) => ({ cents: 2_000, at: at(-48), forMove: false, online: isOnline }));
  show({ refundingCents: 2_000, payments });
  expect(await screen.findByText(words)).toBeTruthy();
});

test('a booking whose code is held says how to reach us, and not when the code comes', async () => {
  show({ codeHeld: true });
  expect(await screen.findByText(/Your access code is on hold/)).toBeTruthy();
  expect(screen.queryByText('Code 5:45 pm')).toBe(null);
});

test('a move offers the free starts of the day, says what it costs, and leaves for the pay page', async () => {
  const quote = { differenceCents: 1_000, refundCents: 0, payUntil: PAY_UNTIL };
  answerChange('reschedule-booking', quote, { differenceCents: 1_000, ...HELD });
  show();
  await press('Move');
  const starts = await screen.findByRole('group', { name: /start at/ });
  const start = (name: RegExp) => within(starts).getByRole<HTMLButtonElement>('button', { name });
  expect(start(/^6 PM/).disabled).toBe(true);
  expect(start(/^9 PM/).disabled).toBe(true);
  expect(start(/^7 PM/).disabled).toBe(false);
  await user.click(start(/^8 PM/));
  expect(await screen.findByText('$10')).toBeTruthy();
  const move = {
    bookingId: ID,
    studioId: ROOM,
    startTime: at(20).toISOString(),
    endTime: at(22).toISOString(),
  };
  expect(wire.sent('reschedule-booking')).toEqual([{ ...move, preview: true }]);
  wire.refuse('reschedule-booking', 'slot_taken');
  await press('Pay $10 and change');
  expect((await screen.findByRole('alert')).textContent).toContain('This time is taken.');
  expect(leaveTo).not.toHaveBeenCalled();
  answerChange('reschedule-booking', quote, { differenceCents: 1_000, ...HELD });
  await press('Try again');
  await press('Pay $10 and change');
  await expect.poll(() => leaveTo.mock.calls).toEqual([['https://pay.example/x']]);
  const change = { ...move, differenceCents: 1_000 };
  expect(sentChanges('reschedule-booking')).toEqual([change, change]);
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
  const { search } = wire.sentTo('bookings').at(-1) ?? {};
  expect(search?.get('studio_id')).toBe(`eq.${ROOM}`);
  // The range covers Monday and Tuesday in Sydney.
  expect([search?.get('end_time'), search?.getAll('start_time').at(-1)]).toEqual([
    'gt.2031-03-09T13:00:00.000Z',
    'lt.2031-03-11T13:00:00.000Z',
  ]);
});

test('one tap pays with a saved card that has not expired; one that is refused leads to the pay page', async () => {
  const card = { id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2034 };
  wire.answer('saved-cards', { cards: [card, { ...card, id: 'pm_2', last4: '0341', expiryYear: 2030 }] });
  const quote = { differenceCents: 6_900, refundCents: 0, payUntil: PAY_UNTIL };
  answerChange('extend-booking', quote, { differenceCents: 6_900, ...HELD, cardProblem: 'declined' });
  show();
  await press('Stay longer');
  await press(/^9 pm/);
  const tap = await screen.findByRole('button', { name: 'Pay $69 with Visa ending in 4242' });
  expect(screen.queryByText(/0341/)).toBeNull();
  await user.click(tap);
  expect((await screen.findByRole('alert')).textContent).toContain('declined the card. Nothing was charged.');
  expect(leaveTo).not.toHaveBeenCalled();
  await press('Go to the pay page');
  expect(leaveTo).toHaveBeenCalledWith('https://pay.example/x');
  const change = { bookingId: ID, hours: 1, from: at(20).toISOString(), differenceCents: 6_900, card: 'pm_1' };
  expect(sentChanges('extend-booking')).toEqual([change]);
  answerChange('extend-booking', quote, { differenceCents: 6_900, refundCents: 0 });
  await press('Back');
  await press(/^9 pm/);
  await press('Pay $69 with Visa ending in 4242');
  await expect.poll(() => sentChanges('extend-booking')).toEqual([change, change]);
  // The dialog closes after the bookings were read again.
  await expect.poll(() => screen.queryByRole('group', { name: 'Confirm' })).toBeNull();
  expect(leaveTo).toHaveBeenCalledTimes(1);
});

test('no way to pay can be pressed before the saved cards are known, so that none appears under a finger', async () => {
  const release = wire.pause('saved-cards');
  answerChange('extend-booking', { differenceCents: 6_900, refundCents: 0, payUntil: PAY_UNTIL });
  show();
  await press('Stay longer');
  await press(/^9 pm/);
  const pay = await screen.findByRole<HTMLButtonElement>('button', { name: 'Pay $69 and change' });
  await wire.expectRequests('saved-cards', 1);
  expect(pay.disabled).toBe(true);
  release();
  await vi.waitFor(() => expect(pay.disabled).toBe(false));
});

test('staying longer is offered as far as the room is free, each end with what it costs more', async () => {
  // The third hour brings a discount for all of them.
  wire.answerWith('extend-booking', ({ hours }) => ({ differenceCents: hours === 2 ? 4_800 : 0, refundCents: 0 }));
  show();
  await press('Stay longer');
  const ends = await screen.findByRole('group', { name: 'New end' });
  await within(ends).findByText('$48 more');
  await within(ends).findByText('No extra cost');
  expect(
    within(ends)
      .getAllByRole('button')
      .map((item) => item.textContent),
  ).toEqual(['9 pmNo extra cost', '10 pm$48 more']);
  await press(/^9 pm/);
  await press('Change my booking');
  await expect
    .poll(() => sentChanges('extend-booking'))
    .toEqual([{ bookingId: ID, hours: 1, from: at(20).toISOString(), differenceCents: 0 }]);
});

test('new hours that wait for a payment can be paid or let go', async () => {
  const HOLD = '77777777-7777-4777-8777-777777777777';
  const waiting = { holdId: HOLD, studioId: OTHER_ROOM, studioName: 'Studio B', startTime: at(18), endTime: at(20) };
  show({ waiting: { ...waiting, cents: 1_000, until: new Date(NOW.getTime() + 600_000), url: 'https://pay.example' } });
  expect(await screen.findByText('Not changed yet')).toBeTruthy();
  await press('Pay $10');
  expect(leaveTo).toHaveBeenCalledWith('https://pay.example');
  await press('Keep my old hours');
  await wire.expectSent('release-hold', { bookingId: HOLD });
});

test('a booking that is unknown, failed to load, past, cancelled or not paid says so', async () => {
  show(null);
  expect(await screen.findByText(/There is no booking ABCD-2345/)).toBeTruthy();
  wire.fail('own_booking', 500);
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
  const starts = listStarts(BOOKING, { studioId: ROOM, date: '2031-03-08', hours: 2 }, view);
  expect(starts.filter(({ free }) => !free).map(({ hour }) => hour)).toEqual([18]);
  const three = listStarts(BOOKING, { studioId: ROOM, date: '2031-03-08', hours: 3 }, view);
  expect(three.filter(({ free }) => !free).map(({ hour }) => hour)).toEqual([23]);
  expect(freeAfter(BOOKING, view.taken, 9)).toBe(5);
  expect(endWith(BOOKING, 2)).toEqual(at(22));
});

test('what happened is in order, and the end of the session comes last [spec 10.6]', () => {
  const code = { accepted: at(17), mailed: at(17.75) };
  const refunds = [{ cents: 500, at: at(30) }];
  expect(listEvents({ ...BOOKING, code, openings: [at(18)], refunds }, at(31)).map(({ what }) => what)).toEqual([
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
  const words = listEvents({ ...BOOKING, moves, openings: [at(18), at(19.5)] }, at(19.6)).map(({ what }) => what);
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
  expect(next.getAttribute('href')).toBe(`/booking?room=${ROOM}&from=2031-03-15T18&hours=2`);
  cleanup();
  show({ startTime: at(-24 * 14 + 18), endTime: at(-24 * 14 + 20) });
  const repeat = await screen.findByRole('link', { name: 'Book again, Sat 8 Mar' });
  expect(repeat.getAttribute('href')).toBe(`/booking?room=${ROOM}&from=2031-03-08T18&hours=2`);
});
