import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { EXAMPLE_BOOKING } from '#web/data/testing/example-booking.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { BookingDialog } from './booking-dialog.tsx';
import * as queries from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock(import('./queries.ts'), async (original) => ({
  ...(await original()),
  readBooking: vi.fn(),
  cancelBooking: vi.fn(),
  refundBooking: vi.fn(),
  moveBooking: vi.fn(),
  quoteMove: vi.fn(),
  addNote: vi.fn(),
  markNoShow: vi.fn(),
  readPin: vi.fn(),
  undoAction: vi.fn(),
  sendMailAgain: vi.fn(),
  resendMail: vi.fn(),
  readDocuments: vi.fn(),
  mailDocuments: vi.fn(),
}));
const calls = vi.mocked(queries);

const STUDIO_B = { id: 'b', name: 'Studio B' };
const STUDIOS = [{ id: 'a', name: 'Studio A' }, STUDIO_B];
const HOUR = 3_600_000;
/** The next full hour. */
const SOON = Math.ceil(Date.now() / HOUR) * HOUR;
const PAID = { kind: 'card', state: 'paid', cents: 5900, refundedCents: 0, leftCents: 5900, at: new Date(0) };
const BOOKING: queries.BookingDetails = {
  ...EXAMPLE_BOOKING,
  startTime: new Date(SOON),
  endTime: new Date(SOON + 3_600_000),
  createdAt: new Date('2031-03-01T00:00:00Z'),
  confirmedAt: null,
  notes: null,
  termsStart: new Date(SOON),
  couponCode: 'DANCE',
  couponCents: 1000,
  finalCents: 5900,
  customer: { hasAccount: true, name: 'Alex Citizen', email: 'alex@example.com', phone: null, blocked: false },
  mayReadId: true,
  verification: { status: 'review', until: null },
  openLink: false,
  heldTogether: null,
  payments: [PAID],
  refunds: [],
  cancellation: null,
  code: { due: null, requested: null, accepted: null, mailed: null, seen: null, used: null },
  moves: [],
  noShow: null,
  staffNotes: [],
  documents: [],
  waiting: null,
  mails: [
    {
      id: 'm',
      kind: 'mail.booking-confirmed',
      dueAt: new Date(0),
      sentAt: new Date('2031-03-01T00:00:00Z'),
      problem: null,
      refusal: null,
    },
  ],
  history: null,
};
beforeEach(() => {
  vi.resetAllMocks();
  calls.readBooking.mockResolvedValue(BOOKING);
});

const dialog = () => within(screen.getByRole('dialog'));
const press = async (name: string) => user.click(await dialog().findByRole('button', { name }));
function show(change: Partial<queries.BookingDetails> = {}, mayRefund = true): void {
  calls.readBooking.mockResolvedValue({ ...BOOKING, termsStart: change.startTime ?? BOOKING.startTime, ...change });
  renderPart(<BookingDialog studios={STUDIOS} reference="abcd-2345" mayRefund={mayRefund} onClose={vi.fn()} />);
}

test('a booking has customer, ID, price, payments, mails and, for owners, its history', async () => {
  const entry = {
    at: new Date('2031-03-01T00:00:00Z'),
    actor: 'Kim',
    action: 'update',
    resource: 'booking',
    details: { a: 1 },
  };
  const move = {
    studioName: 'Studio B',
    startTime: new Date('2031-03-01T00:00:00Z'),
    endTime: new Date('2031-03-01T01:00:00Z'),
    at: new Date(0),
  };
  show({
    moves: [move],
    history: [entry],
    refunds: [{ cents: 100, state: 'pending', reason: 'Sorry', at: new Date(0) }],
  });
  expect(await dialog().findByRole('heading', { name: 'Booking ABCD-2345' })).toBeTruthy();
  for (const words of [
    'Confirmed',
    'Alex Citizen',
    'Waits for a decision',
    '$69, less $10 with DANCE',
    /^Card, \$59: paid/,
    /^Refund of \$1: on its way/,
    /^Booking confirmation email: sent Sat 1 Mar 2031, 11 am/,
    'No code yet',
    /^From Studio B, Saturday 1 March 2031, 11 am to 12 pm/,
    'History (1)',
    'Sat 1 Mar 2031, 11 am: booking update, Kim',
  ])
    expect(await dialog().findByText(words)).toBeTruthy();
});

test('a reference without a booking says so, and a failed load offers another try', async () => {
  calls.readBooking.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0)).mockResolvedValueOnce(null);
  renderPart(<BookingDialog studios={STUDIOS} reference="x" mayRefund onClose={vi.fn()} />);
  await press('Try again');
  expect(await dialog().findByText('There is no booking with this reference.')).toBeTruthy();
});

test('staff with money cancel with a part back: the words name every cent, a refusal stays in place, then a toast', async () => {
  calls.cancelBooking
    .mockRejectedValueOnce(new AppError('payment_processing', 'The customer is paying.', 409))
    .mockResolvedValue({ refundCents: 1234 });
  show();
  await press('Cancel the booking');
  expect(dialog().getByText('Its terms give nothing back: it starts in less than 20 hours.')).toBeTruthy();
  await fill(dialog().getByLabelText('Reason'), ' Broken mixer ');
  await user.selectOptions(dialog().getByLabelText('Refund'), 'A part');
  await fill(dialog().getByLabelText('Amount in dollars'), '59.01');
  await press('Continue');
  expect(dialog().getByText('Enter an amount up to $59.')).toBeTruthy();
  await fill(dialog().getByLabelText('Amount in dollars'), '12.34');
  await press('Continue');
  for (const words of [
    'The hours are free at once, and the PIN stops working.',
    '$12.34 goes back to the card.',
    'You keep $46.66.',
    'alex@example.com gets an email.',
  ])
    expect(await dialog().findByText(words)).toBeTruthy();
  expect(calls.cancelBooking).not.toHaveBeenCalled();
  await press('Cancel the booking');
  expect(await dialog().findByText('The customer is paying.')).toBeTruthy();
  await press('Cancel the booking');
  expect(calls.cancelBooking).toHaveBeenLastCalledWith('b', 1234, 'Broken mixer');
  expect(toast).toHaveBeenLastCalledWith({ title: 'ABCD-2345 is cancelled', description: '$12.34 on its way back.' });
});

test.each([
  ['late', SOON, 'none', 'No money goes back.'],
  ['in time', SOON + 48 * 3_600_000, 'full', '$59 goes back to the card.'],
])('staff without money who cancel %s give what the terms give', async (_when, start, refund, words) => {
  calls.cancelBooking.mockResolvedValue({ refundCents: 0 });
  show({ startTime: new Date(start), endTime: new Date(start + 3_600_000) }, false);
  await press('Cancel the booking');
  expect(dialog().queryByLabelText('Refund')).toBeNull();
  await fill(dialog().getByLabelText('Reason'), 'Ill');
  await press('Continue');
  expect(await dialog().findByText(words)).toBeTruthy();
  await press('Cancel the booking');
  expect(calls.cancelBooking).toHaveBeenLastCalledWith('b', refund, 'Ill');
});

test('a part is refunded later under one request, also when it is sent again', async () => {
  calls.refundBooking
    .mockRejectedValueOnce(new AppError('offline', 'No connection.', 0))
    .mockResolvedValue({ refundId: 'r', refundCents: 500, byHand: true });
  show({ payments: [{ ...PAID, kind: 'elsewhere' }] });
  await press('Refund a part');
  await fill(dialog().getByLabelText('Amount in dollars'), '5');
  await fill(dialog().getByLabelText('Reason'), 'Sorry');
  await press('Continue');
  expect(await dialog().findByText('You give $5 back by hand: it was not paid by card here.')).toBeTruthy();
  expect(dialog().getByText('$54 is left of the payment. The booking stays as it is.')).toBeTruthy();
  await press('Refund $5');
  expect(await dialog().findByText('No connection.')).toBeTruthy();
  await press('Refund $5');
  const [[first], [second]] = calls.refundBooking.mock.calls as [[unknown], [unknown]];
  expect(first).toEqual(second);
  expect(second).toMatchObject({ bookingId: 'b', cents: 500, reason: 'Sorry', requestId: expect.any(String) });
  expect(toast).toHaveBeenLastCalledWith({
    title: '$5 refunded',
    description: 'Give it back by hand, then close its job on Today.',
  });
});

test('a booking moves to other hours of Sydney; dearer ones with a link, or without charging, and the price is said before', async () => {
  calls.quoteMove.mockResolvedValue({ differenceCents: 1000, refundCents: 0, linkUntil: '2031-03-02T00:00:00Z' });
  calls.moveBooking
    .mockRejectedValueOnce(new AppError('slot_taken', 'This time is taken.', 409))
    .mockResolvedValue({ differenceCents: 1000, refundCents: 0, waitsUntil: '2031-03-02T00:00:00Z', url: 'x' });
  show();
  await press('Move');
  await user.selectOptions(dialog().getByLabelText('Room'), 'Studio B');
  await fill(dialog().getByLabelText('Day'), '2031-03-03');
  await user.selectOptions(dialog().getByLabelText('From'), '11 PM');
  await fill(dialog().getByLabelText('Hours'), '25');
  await press('Continue');
  expect(await dialog().findByText('Enter 1 to 24 hours.')).toBeTruthy();
  await fill(dialog().getByLabelText('Hours'), '2');
  await press('Continue');
  expect(await dialog().findByText(/^to Studio B, Monday 3 March 2031, 11 pm to 1 am on Tue 4 Mar 2031/)).toBeTruthy();
  expect(dialog().getByText('The new hours cost $10 more.')).toBeTruthy();
  const target = { studioId: 'b', startTime: '2031-03-03T12:00:00.000Z', endTime: '2031-03-03T14:00:00.000Z' };
  expect(calls.quoteMove).toHaveBeenLastCalledWith('b', { ...target, waive: false });
  expect(calls.moveBooking).not.toHaveBeenCalled();
  await press('Move without charging $10');
  expect(await dialog().findByText('This time is taken.')).toBeTruthy();
  expect(calls.moveBooking).toHaveBeenLastCalledWith('b', { ...target, waive: true });
  await press('Mail a link for $10');
  expect(calls.moveBooking).toHaveBeenLastCalledWith('b', { ...target, waive: false });
  expect(toast).toHaveBeenLastCalledWith({
    title: 'ABCD-2345 waits for the payment',
    description: 'The link is mailed. The new hours are held until Sun 2 Mar 2031, 11 am.',
  });
});

test.each([
  [
    { differenceCents: 1000, refundCents: 0, linkUntil: '2031-03-02T00:00:00Z' },
    /^To move it without charging needs the permission for money/,
    ['Mail a link for $10', 'Back'],
  ],
  [
    { differenceCents: -1000, refundCents: 1000, needsMoney: true },
    /^Its terms give nothing back, so this refund needs the permission for money/,
    ['Back'],
  ],
])('staff without money are not offered what they may not give away: %o', async (quote, words, buttons) => {
  calls.quoteMove.mockResolvedValue(quote);
  show(
    { startTime: new Date('2999-03-03T00:00:00Z'), endTime: new Date('2999-03-03T02:00:00Z'), totalHours: 2 },
    false,
  );
  await press('Extend or shorten');
  await press('2 pm');
  expect(await dialog().findByText(words)).toBeTruthy();
  const confirm = within(dialog().getByRole('group', { name: 'Confirm' }));
  expect(confirm.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(buttons);
});

test('a move to dearer hours offers no link where there is no address to mail it to', async () => {
  calls.quoteMove.mockResolvedValue({ differenceCents: 1000, refundCents: 0, linkUntil: '2031-03-02T00:00:00Z' });
  show({ customer: { ...BOOKING.customer, email: null } });
  await press('Extend or shorten');
  await user.click(within(dialog().getByRole('group', { name: 'Later' })).getAllByRole('button')[0] ?? document.body);
  expect(await dialog().findByText('The new hours cost $10 more. There is no address to mail a link to.')).toBeTruthy();
  expect(dialog().getByText('The PIN changes. No mail is sent: the booking has no address.')).toBeTruthy();
  expect(dialog().queryByRole('button', { name: /^Mail a link/ })).toBeNull();
  expect(dialog().getByRole('button', { name: 'Move without charging $10' })).toBeTruthy();
});

test('a booking that staff moved says that its terms count from the start before', async () => {
  const endTime = new Date(SOON + 49 * HOUR);
  show({ startTime: new Date(SOON + 48 * HOUR), endTime, termsStart: new Date(SOON) });
  await press('Cancel the booking');
  expect(
    dialog().getByText(
      'Its terms give nothing back: before it was moved, it would have started in less than 20 hours.',
    ),
  ).toBeTruthy();
});

test.each([
  [{ differenceCents: -1000, refundCents: 1000 }, '$10 goes back to the card.', 'Move the booking', false],
  [{ differenceCents: 0, refundCents: 0 }, 'The price stays.', 'Move the booking', false],
  [
    { differenceCents: 0, refundCents: 0, owedCents: 49 },
    '$0.49 is still to pay. It is charged with later changes once it comes to 50 cents.',
    'Move the booking',
    false,
  ],
  [
    { differenceCents: 0, refundCents: 0, owedCents: -20 },
    '$0.20 is still to go back. It is returned with later changes once it comes to 50 cents.',
    'Move the booking',
    false,
  ],
  [
    { differenceCents: 1000, refundCents: 0 },
    'The new hours cost $10 more. It is too late to pay by a link.',
    'Move without charging $10',
    true,
  ],
])('an extension that costs %o says so', async (quote, words, button, waive) => {
  calls.quoteMove.mockResolvedValue(quote);
  calls.moveBooking.mockResolvedValue(quote);
  const [startTime, endTime] = [new Date('2999-03-03T00:00:00Z'), new Date('2999-03-03T02:00:00Z')];
  show({ startTime, endTime, totalHours: 2 });
  await press('Extend or shorten');
  expect(within(dialog().getByRole('group', { name: 'Earlier' })).getAllByRole('button')).toHaveLength(1);
  await press('2 pm');
  expect(await dialog().findByText(words)).toBeTruthy();
  await press(button);
  expect(calls.moveBooking).toHaveBeenLastCalledWith('b', {
    studioId: 'a',
    startTime: startTime.toISOString(),
    endTime: '2999-03-03T03:00:00.000Z',
    waive,
  });
});

test('a session that runs can only end later, and a failed price can be read again', async () => {
  calls.quoteMove.mockRejectedValueOnce(new AppError('too_late', 'This booking is over.', 409)).mockResolvedValue({
    differenceCents: 0,
    refundCents: 0,
  });
  show({ startTime: new Date(SOON - 2 * HOUR), totalHours: 3 });
  await press('Extend or shorten');
  expect(dialog().queryByRole('group', { name: 'Earlier' })).toBeNull();
  await user.click(within(dialog().getByRole('group', { name: 'Later' })).getAllByRole('button')[0] ?? document.body);
  expect(await dialog().findByText('This booking is over.')).toBeTruthy();
  await press('Try again');
  expect(await dialog().findByText('The price stays.')).toBeTruthy();
});

test.each([
  ['renamed', [{ id: 'a', name: 'The Loft' }, STUDIO_B], ['The Loft', 'Studio B']],
  ['retired', [STUDIO_B], ['Studio B', 'Studio A']],
  ['retired, and another one has its name now', [{ id: 'b', name: 'Studio A' }], ['Studio A', 'Studio A']],
])('a booking whose room is %s stays in this room when staff extend or move it', async (_what, studios, names) => {
  calls.quoteMove.mockResolvedValue({ differenceCents: 0, refundCents: 0 });
  const [startTime, endTime] = [new Date('2999-03-03T00:00:00Z'), new Date('2999-03-03T02:00:00Z')];
  calls.readBooking.mockResolvedValue({ ...BOOKING, startTime, endTime, totalHours: 2 });
  renderPart(<BookingDialog studios={studios} reference="abcd-2345" mayRefund onClose={vi.fn()} />);
  await press('Extend or shorten');
  await press('2 pm');
  expect(await dialog().findByText('The price stays.')).toBeTruthy();
  const target = { studioId: 'a', startTime: startTime.toISOString(), waive: false };
  expect(calls.quoteMove).toHaveBeenLastCalledWith('b', { ...target, endTime: '2999-03-03T03:00:00.000Z' });
  await press('Back');
  await press('Back');
  await press('Move');
  const rooms = dialog().getByLabelText<HTMLSelectElement>('Room');
  expect([rooms.value, [...rooms.options].map(({ text }) => text)]).toEqual(['a', names]);
  await user.selectOptions(dialog().getByLabelText('From'), '12 PM');
  await press('Continue');
  expect(await dialog().findByText('The price stays.')).toBeTruthy();
  const moved = { startTime: '2999-03-03T01:00:00.000Z', endTime: '2999-03-03T03:00:00.000Z' };
  expect(calls.quoteMove).toHaveBeenLastCalledWith('b', { ...target, ...moved });
});

test('a move that waits for its payment is shown with its link, and can be called off', async () => {
  calls.cancelBooking.mockResolvedValue({ refundCents: 0 });
  const [startTime, endTime] = [new Date('2031-03-03T00:00:00Z'), new Date('2031-03-03T02:00:00Z')];
  const until = new Date('2031-03-02T00:00:00Z');
  const where = { holdId: 'h', studioName: 'Studio B', startTime, endTime };
  show({ waiting: { ...where, cents: 1000, until, url: 'https://pay.example/x' } });
  expect(await dialog().findByText(/^Studio B, Monday 3 March 2031, 11 am to 1 pm/)).toBeTruthy();
  expect(dialog().getByText(/^\$10 to pay until Sun 2 Mar 2031, 11 am/)).toBeTruthy();
  expect(dialog().getByRole('link', { name: 'Pay page' })).toHaveProperty('href', 'https://pay.example/x');
  await press('Call off the move');
  await press('Call off the move');
  expect(calls.cancelBooking).toHaveBeenLastCalledWith('h', 'none', expect.any(String));
});

test('mails are sent again', async () => {
  show();
  await press('Mail the code again');
  await press('Mail the confirmation again');
  expect(calls.sendMailAgain.mock.calls).toEqual([
    ['b', 'access-code'],
    ['b', 'booking-confirmed'],
  ]);
  expect(toast).toHaveBeenLastCalledWith({
    title: 'The confirmation is mailed again',
    description: 'alex@example.com',
  });
});

test('a cancelled booking lists the emails that were sent or still will be, and none that are dropped when they are due', async () => {
  const mail = { dueAt: new Date('2031-03-02T00:00:00Z'), sentAt: null, problem: null, refusal: 'queued' };
  show({
    status: 'cancelled',
    mails: [
      { ...mail, id: 'm', kind: 'mail.booking-confirmed', sentAt: new Date('2031-03-01T00:00:00Z') },
      { ...mail, id: 'n', kind: 'mail.access-code' },
      { ...mail, id: 'o', kind: 'mail.booking-cancelled' },
    ],
  });
  expect(await dialog().findByText(/^Cancellation email: due /)).toBeTruthy();
  expect(dialog().getByText(/^Booking confirmation email: sent /)).toBeTruthy();
  expect(dialog().queryByText(/^Access code email/)).toBeNull();
});

test('each mail that would still be true is sent again, once for a lost answer, and the others say why not', async () => {
  const mail = { dueAt: new Date(0), sentAt: new Date('2031-03-01T00:00:00Z'), problem: null, refusal: null };
  show({
    mails: [
      { ...mail, id: 'm', kind: 'mail.booking-moved' },
      { ...mail, id: 'n', kind: 'mail.refund', refusal: 'money_arrived' },
      { ...mail, id: 'o', kind: 'mail.booking-confirmed', sentAt: null, refusal: 'queued' },
    ],
  });
  calls.resendMail.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0)).mockResolvedValue({});
  expect(await dialog().findByText('Not again: The money is no longer on its way.')).toBeTruthy();
  expect(dialog().getAllByRole('button', { name: /^Send again/ })).toHaveLength(1);
  await press('Send again: Email about moved hours');
  await press('Send again: Email about moved hours');
  const [first, second] = calls.resendMail.mock.calls;
  expect(first).toEqual([{ bookingId: 'b', mailId: 'm', requestId: expect.any(String) }]);
  expect(second).toEqual(first);
  await vi.waitFor(() =>
    expect(toast).toHaveBeenLastCalledWith({ title: 'The mail is sent again', description: 'alex@example.com' }),
  );
});

test('a cancellation is undone with the button of its message; when it is too late, the message says so', async () => {
  calls.cancelBooking.mockResolvedValue({ refundCents: 5900, undo: { id: 'u', until: '2031-03-01T00:00:10.000Z' } });
  calls.undoAction
    .mockRejectedValueOnce(new AppError('too_late', 'This can no longer be undone.', 409))
    .mockResolvedValue({ bookingId: 'b', reference: 'ABCD-2345', kind: 'cancel' });
  show();
  await press('Cancel the booking');
  await fill(dialog().getByLabelText('Reason'), 'Flood');
  await press('Continue');
  expect(await dialog().findByText('You can undo this for ten seconds.')).toBeTruthy();
  await press('Cancel the booking');
  const [[message]] = vi.mocked(toast).mock.calls as [[Parameters<typeof toast>[0]]];
  expect(message).toMatchObject({ title: 'ABCD-2345 is cancelled', ms: 10_000, action: { label: 'Undo' } });
  message.action?.onPress();
  await vi.waitFor(() =>
    expect(toast).toHaveBeenLastCalledWith({
      title: 'Not undone',
      description: 'This can no longer be undone.',
      tone: 'bad',
    }),
  );
  message.action?.onPress();
  await vi.waitFor(() =>
    expect(toast).toHaveBeenLastCalledWith({ title: 'ABCD-2345 is as before', description: 'Nobody was told.' }),
  );
  expect(calls.undoAction).toHaveBeenLastCalledWith('u');
});

test('notes are shown with who and when; a new one is sent again under the same id, and a failure keeps what was typed', async () => {
  calls.addNote.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0)).mockResolvedValue();
  const at = new Date('2031-03-01T00:00:00Z');
  show({ staffNotes: [{ id: 'n', note: 'Wants the lights low.', by: 'Kim', at }] });
  expect(await dialog().findByText('Wants the lights low.')).toBeTruthy();
  expect(dialog().getByText('Kim, Sat 1 Mar 2031, 11 am')).toBeTruthy();
  await press('Add the note');
  expect(await dialog().findByText('Write something first.')).toBeTruthy();
  await fill(dialog().getByLabelText('Add a note'), ' Called. ');
  await press('Add the note');
  expect(await dialog().findByText('No connection.')).toBeTruthy();
  await press('Add the note');
  await vi.waitFor(() => expect(dialog().getByLabelText('Add a note')).toHaveProperty('value', ''));
  const [first, second] = calls.addNote.mock.calls.map(([id]) => id);
  expect(second).toBe(first);
  expect(calls.addNote).toHaveBeenLastCalledWith(first, 'b', 'Called.');
});

test('a no-show is marked and taken back with the button of the message', async () => {
  calls.markNoShow.mockResolvedValue();
  show({ startTime: new Date(SOON - 2 * HOUR), totalHours: 3 });
  await press('Mark as no-show');
  const [[message]] = vi.mocked(toast).mock.calls as [[Parameters<typeof toast>[0]]];
  expect(message).toMatchObject({ title: 'ABCD-2345 is a no-show', ms: 10_000, action: { label: 'Undo' } });
  message.action?.onPress();
  await vi.waitFor(() => expect(calls.markNoShow).toHaveBeenLastCalledWith('b', false));
});

test('the PIN is shown and renewed; before its time the panel says when it is there', async () => {
  const [worksFrom, worksUntil] = [new Date('2031-03-01T00:00:00Z'), new Date('2031-03-01T01:00:00Z')];
  const pin = {
    pin: null,
    held: false,
    releaseAt: new Date('2999-03-01T00:00:00Z'),
    worksFrom,
    worksUntil,
    codesLeft: 5,
  };
  calls.readPin
    .mockResolvedValueOnce(pin)
    .mockResolvedValueOnce({ ...pin, pin: '482913', releaseAt: worksFrom })
    .mockRejectedValueOnce(new AppError('code_wait', 'Please wait 12 seconds before making another code.', 429))
    .mockResolvedValueOnce({ ...pin, pin: '771204', releaseAt: worksFrom, codesLeft: 4 });
  show();
  await press('Show the PIN');
  expect(await dialog().findByText(/^The PIN is there from 11 am/)).toBeTruthy();
  await press('Show the PIN');
  expect(await dialog().findByText('482913')).toBeTruthy();
  await press('New PIN');
  expect(dialog().getByText(/^The PIN that the customer has stops working/)).toBeTruthy();
  await press('Make a new PIN');
  expect(await dialog().findByText('Please wait 12 seconds before making another code.')).toBeTruthy();
  await press('Make a new PIN');
  expect(await dialog().findByText('771204')).toBeTruthy();
  expect(calls.readPin.mock.calls.map(([, method]) => method)).toEqual(['GET', 'GET', 'POST', 'POST']);
});

const ACTIONS = [
  'Show the PIN',
  'New PIN',
  'Mail the code again',
  'Mail the confirmation again',
  'Move',
  'Extend or shorten',
  'Refund a part',
  'Cancel the booking',
];
test.each([
  ['with money', {}, true, ACTIONS],
  ['without money', {}, false, ACTIONS.filter((name) => name !== 'Refund a part')],
  [
    'of a guest without an address',
    { customer: { ...BOOKING.customer, email: null } },
    false,
    ['Show the PIN', 'New PIN', 'Move', 'Extend or shorten', 'Cancel the booking'],
  ],
  ['of a hold', { status: 'pending' as const, payments: [] }, true, ['Cancel the booking']],
  ['of a booking that is over', { endTime: new Date(0) }, true, ['Refund a part']],
  ['of a cancelled booking', { status: 'cancelled' as const, payments: [] }, true, []],
])('the actions %s are those that are possible', async (_what, change, mayRefund, names) => {
  show(change, mayRefund);
  await dialog().findByText('Alex Citizen');
  const found = [...dialog().queryAllByRole('link'), ...dialog().queryAllByRole('button')].map(
    (one) => one.textContent,
  );
  expect(found.filter((name) => ACTIONS.includes(name))).toEqual(names);
});

test('the documents of a booking are listed, saved and mailed to the customer', async () => {
  const at = new Date('2031-03-02T00:00:00Z');
  show({
    documents: [
      { number: 7, kind: 'invoice', cents: 5900, at, void: false },
      { number: 8, kind: 'adjustment', cents: 1000, at, void: true },
    ],
  });
  expect(await screen.findByText(/Invoice 000007.*\$59/)).toBeTruthy();
  expect(screen.getByText(/Adjustment note 000008/).textContent).toContain('(void)');
  calls.mailDocuments.mockResolvedValue({ queued: true });
  await user.click(screen.getByRole('button', { name: 'Mail the documents' }));
  expect(calls.mailDocuments).toHaveBeenCalledWith({ bookingId: 'b', requestId: expect.any(String) });
  calls.readDocuments.mockRejectedValue(new AppError('offline', 'No connection.', 0));
  await user.click(screen.getByRole('button', { name: 'Save the documents' }));
  expect(calls.readDocuments).toHaveBeenCalledWith('b');
});

test('an owner reads beside the payments why a card was declined and which call of the provider failed, with its request', async () => {
  const entry = { at: new Date('2031-03-01T00:00:00Z'), actor: null };
  const declined = {
    ...entry,
    action: 'declined',
    resource: 'payment',
    details: { attempt: 'ch_1', code: 'insufficient_funds', message: 'Your card has insufficient funds.' },
  };
  const failed = {
    ...entry,
    action: 'call_failed',
    resource: 'booking',
    details: {
      provider: 'stripe',
      operation: 'createSession',
      code: 'api_error',
      message: 'An error occurred.',
      requestId: 'r-1',
    },
  };
  show({ history: [declined, failed] });
  const payments = (await dialog().findByText('Payments')).nextElementSibling?.textContent;
  expect(payments).toContain(
    'Card declined (insufficient funds). Your card has insufficient funds. Sat 1 Mar 2031, 11 am',
  );
  expect(payments).toContain(
    'The payment provider could not open the pay page (api_error). An error occurred. Sat 1 Mar 2031, 11 am, request r-1',
  );
});
