import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CallBody } from '#web/data/fetch-client.ts';
import { EXAMPLE_BOOKING } from '#web/data/testing/example-booking.ts';
import * as wire from '#web/data/testing/wire.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { BookingDialog } from './booking-dialog.tsx';
import type { BookingDetails, MoveQuote } from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));

const ID = '66666666-6666-4666-8666-666666666666';
/** Returns an id that ends with this digit. */
const idFrom = (digit: string): string => `77777777-7777-4777-8777-77777777777${digit}`;
const ROOM = '55555555-5555-4555-8555-55555555555a';
const STUDIO_B = { id: '55555555-5555-4555-8555-55555555555b', name: 'Studio B' };
const STUDIOS = [{ id: ROOM, name: 'Studio A' }, STUDIO_B];
const HOUR = 3_600_000;
/** The next full hour. */
const SOON = Math.ceil(Date.now() / HOUR) * HOUR;
const PAID = { kind: 'card', state: 'paid', cents: 5900, refundedCents: 0, leftCents: 5900, at: new Date(0) };
const BOOKING: BookingDetails = {
  ...EXAMPLE_BOOKING,
  id: ID,
  studioId: ROOM,
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
      id: idFrom('1'),
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
  wire.answerRows('booking_details', BOOKING);
});

const dialog = () => within(screen.getByRole('dialog'));
const press = async (name: string) => user.click(await dialog().findByRole('button', { name }));
function show(change: Partial<BookingDetails> = {}, mayRefund = true) {
  wire.answerRows('booking_details', { ...BOOKING, termsStart: change.startTime ?? BOOKING.startTime, ...change });
  return renderPart(<BookingDialog studios={STUDIOS} reference="abcd-2345" mayRefund={mayRefund} onClose={vi.fn()} />);
}

const lastToast = (words: object) => waitFor(() => expect(toast).toHaveBeenLastCalledWith(words));
/** Waits until a database function was called this many times, and returns the bodies of the calls. */
async function waitForBodies(name: Parameters<typeof wire.expectRequests>[0], count: number): Promise<unknown[]> {
  await wire.expectRequests(name, count);
  return wire.sentTo(name).map(({ body }) => body);
}
type MoveBody = CallBody<'staff-move-booking'>;
type MoveResult = Extract<Parameters<typeof wire.answer<'staff-move-booking'>>[1], { waitsUntil?: unknown }>;
/** From now on, a preview of a move answers with `quote`, and the move itself with `result`. */
function answerMove(
  { owedCents = 0, needsMoney = false, ...cost }: MoveQuote,
  result: MoveResult = { differenceCents: 0, refundCents: 0 },
): void {
  wire.answerWith('staff-move-booking', ({ preview }) =>
    preview === true ? { ...cost, owedCents, needsMoney } : result,
  );
}
/** Returns the moves that were sent, or the previews of moves. */
const sentMoves = (previews: boolean): MoveBody[] =>
  wire.sent('staff-move-booking').filter(({ preview }) => (preview === true) === previews);
const lastPreview = (): MoveBody | undefined => sentMoves(true).at(-1);

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
    'Pending review',
    '$69, less $10 with DANCE',
    /^Card, \$59: paid/,
    /^Refund of \$1: pending/,
    /^Booking confirmation email: sent Sat 1 Mar 2031, 11 am/,
    'No code yet',
    /^From Studio B, Saturday 1 March 2031, 11 am to 12 pm/,
    'History (1)',
    'Sat 1 Mar 2031, 11 am: booking update, Kim',
  ])
    expect(await dialog().findByText(words)).toBeTruthy();
});

test('a reference without a booking says so, and a failed load offers another try', async () => {
  wire.fail('booking_details', 500);
  renderPart(<BookingDialog studios={STUDIOS} reference="x" mayRefund onClose={vi.fn()} />);
  await dialog().findByRole('button', { name: 'Try again' });
  wire.answerRows('booking_details', null);
  await press('Try again');
  expect(await dialog().findByText('There is no booking with this reference.')).toBeTruthy();
});

test('staff with money cancel with a part back: the words name every cent, a refusal stays in place, then a toast', async () => {
  wire.refuse('staff-cancel-booking', 'payment_processing', { message: 'The customer is paying.' });
  show();
  await press('Cancel booking');
  expect(dialog().getByText('Its terms allow no refund, because it starts in less than 20 hours.')).toBeTruthy();
  await fill(dialog().getByLabelText('Reason'), ' Broken mixer ');
  await user.selectOptions(dialog().getByLabelText('Refund'), 'Partial refund');
  await fill(dialog().getByLabelText('Amount in dollars'), '59.01');
  await press('Continue');
  expect(dialog().getByText('Enter an amount up to $59.')).toBeTruthy();
  await fill(dialog().getByLabelText('Amount in dollars'), '12.34');
  await press('Continue');
  for (const words of [
    'The hours are available immediately, and the PIN stops working.',
    '$12.34 will be refunded to the card.',
    'You keep $46.66.',
    'alex@example.com will get an email.',
  ])
    expect(await dialog().findByText(words)).toBeTruthy();
  expect(wire.sent('staff-cancel-booking')).toEqual([]);
  await press('Cancel booking');
  expect(await dialog().findByText('The customer is paying.')).toBeTruthy();
  wire.answer('staff-cancel-booking', { refundCents: 1234 });
  await press('Cancel booking');
  await lastToast({ title: 'ABCD-2345 is cancelled', description: '$12.34 is being refunded.' });
  const cancellation = { bookingId: ID, refund: 1234, reason: 'Broken mixer', undoable: true };
  expect(wire.sent('staff-cancel-booking')).toEqual([cancellation, cancellation]);
});

test.each([
  ['late', SOON, 'none', 'No refund will be made.'],
  ['in time', SOON + 48 * 3_600_000, 'full', '$59 will be refunded to the card.'],
] as const)('staff without money who cancel %s give what the terms give', async (_when, start, refund, words) => {
  wire.answer('staff-cancel-booking', { refundCents: 0 });
  show({ startTime: new Date(start), endTime: new Date(start + 3_600_000) }, false);
  await press('Cancel booking');
  expect(dialog().queryByLabelText('Refund')).toBeNull();
  await fill(dialog().getByLabelText('Reason'), 'Ill');
  await press('Continue');
  expect(await dialog().findByText(words)).toBeTruthy();
  await press('Cancel booking');
  await wire.expectSent('staff-cancel-booking', { bookingId: ID, refund, reason: 'Ill', undoable: true });
});

test('a part is refunded later under one request, also when it is sent again', async () => {
  wire.fail('staff-refund', 0);
  show({ payments: [{ ...PAID, kind: 'elsewhere' }] });
  await press('Issue partial refund');
  await fill(dialog().getByLabelText('Amount in dollars'), '5');
  await fill(dialog().getByLabelText('Reason'), 'Sorry');
  await press('Continue');
  expect(
    await dialog().findByText('You need to refund $5 by hand, because it was not paid by card here.'),
  ).toBeTruthy();
  expect(dialog().getByText('$54 of the payment remains. The booking stays unchanged.')).toBeTruthy();
  await press('Refund $5');
  expect(await dialog().findByText(/^We can’t reach the studio right now/)).toBeTruthy();
  wire.answer('staff-refund', { refundId: idFrom('1'), refundCents: 500, byHand: true });
  await press('Refund $5');
  await wire.expectRequests('staff-refund', 2);
  const [first, second] = wire.sent('staff-refund');
  expect(first).toEqual(second);
  expect(second).toEqual({ bookingId: ID, cents: 500, reason: 'Sorry', requestId: expect.any(String) });
  await lastToast({
    title: '$5 refunded',
    description: 'Refund it by hand, then close its task on Today.',
  });
});

test('a booking moves to other hours of Sydney; dearer ones with a link, or without charging, and the price is said before', async () => {
  const cost = { differenceCents: 1000, refundCents: 0 };
  const quote = { ...cost, linkUntil: '2031-03-02T00:00:00Z' };
  answerMove(quote);
  show();
  await press('Move booking');
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
  const hours = { startTime: '2031-03-03T12:00:00.000Z', endTime: '2031-03-03T14:00:00.000Z' };
  const target = { bookingId: ID, studioId: STUDIO_B.id, ...hours };
  expect(wire.sent('staff-move-booking')).toEqual([{ ...target, waive: false, preview: true }]);
  wire.refuse('staff-move-booking', 'slot_taken');
  await press('Move without charging $10');
  expect(await dialog().findByText('This time is taken.')).toBeTruthy();
  answerMove(quote, { ...cost, waitsUntil: '2031-03-02T00:00:00Z', url: 'https://pay.example/x' });
  await press('Email payment link for $10');
  await waitFor(() =>
    expect(sentMoves(false)).toEqual([
      { ...target, waive: true, undoable: true },
      { ...target, waive: false, undoable: true },
    ]),
  );
  await lastToast({
    title: 'ABCD-2345 is awaiting payment',
    description: 'The payment link was emailed. The new hours are held until Sun 2 Mar 2031, 11 am.',
  });
});

test.each([
  [
    { differenceCents: 1000, refundCents: 0, linkUntil: '2031-03-02T00:00:00Z' },
    /^Moving it without charging needs the “Money” permission/,
    ['Email payment link for $10', 'Back'],
  ],
  [
    { differenceCents: -1000, refundCents: 1000, needsMoney: true },
    /^Its terms allow no refund, so this refund needs the “Money” permission/,
    ['Back'],
  ],
])('staff without money are not offered what they may not give away: %o', async (quote, words, buttons) => {
  answerMove(quote);
  show(
    { startTime: new Date('2999-03-03T00:00:00Z'), endTime: new Date('2999-03-03T02:00:00Z'), totalHours: 2 },
    false,
  );
  await press('Change end time');
  await press('2 pm');
  expect(await dialog().findByText(words)).toBeTruthy();
  const confirm = within(dialog().getByRole('group', { name: 'Confirm' }));
  expect(confirm.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(buttons);
});

test('a move to dearer hours offers no link where there is no address to mail it to', async () => {
  answerMove({ differenceCents: 1000, refundCents: 0, linkUntil: '2031-03-02T00:00:00Z' });
  show({ customer: { ...BOOKING.customer, email: null } });
  await press('Change end time');
  await user.click(within(dialog().getByRole('group', { name: 'Later' })).getAllByRole('button')[0] ?? document.body);
  expect(
    await dialog().findByText('The new hours cost $10 more. There is no email address for a payment link.'),
  ).toBeTruthy();
  expect(
    dialog().getByText('The PIN changes. No email will be sent, because the booking has no email address.'),
  ).toBeTruthy();
  expect(dialog().queryByRole('button', { name: /^Email payment link/ })).toBeNull();
  expect(dialog().getByRole('button', { name: 'Move without charging $10' })).toBeTruthy();
});

test('a booking that staff moved says that its terms count from the start before', async () => {
  const endTime = new Date(SOON + 49 * HOUR);
  show({ startTime: new Date(SOON + 48 * HOUR), endTime, termsStart: new Date(SOON) });
  await press('Cancel booking');
  expect(
    dialog().getByText(
      'Its terms allow no refund, because its original hours would have started in less than 20 hours.',
    ),
  ).toBeTruthy();
});

test.each([
  [{ differenceCents: -1000, refundCents: 1000 }, '$10 will be refunded to the card.', 'Move booking', false],
  [{ differenceCents: 0, refundCents: 0 }, 'The price stays the same.', 'Move booking', false],
  [
    { differenceCents: 0, refundCents: 0, owedCents: 49 },
    '$0.49 is still to pay. It is charged with later changes once it comes to 50 cents.',
    'Move booking',
    false,
  ],
  [
    { differenceCents: 0, refundCents: 0, owedCents: -20 },
    '$0.20 is still to go back. It is returned with later changes once it comes to 50 cents.',
    'Move booking',
    false,
  ],
  [
    { differenceCents: 1000, refundCents: 0 },
    'The new hours cost $10 more. It is too late for a payment link.',
    'Move without charging $10',
    true,
  ],
])('an extension that costs %o says so', async (quote, words, button, waive) => {
  answerMove(quote);
  const [startTime, endTime] = [new Date('2999-03-03T00:00:00Z'), new Date('2999-03-03T02:00:00Z')];
  show({ startTime, endTime, totalHours: 2 });
  await press('Change end time');
  expect(within(dialog().getByRole('group', { name: 'Earlier' })).getAllByRole('button')).toHaveLength(1);
  await press('2 pm');
  expect(await dialog().findByText(words)).toBeTruthy();
  await press(button);
  const hours = { startTime: startTime.toISOString(), endTime: '2999-03-03T03:00:00.000Z' };
  await waitFor(() =>
    expect(sentMoves(false)).toEqual([{ bookingId: ID, studioId: ROOM, ...hours, waive, undoable: true }]),
  );
});

test('a session that runs can only end later, and a failed price can be read again', async () => {
  wire.refuse('staff-move-booking', 'too_late', { message: 'This booking has ended.' });
  show({ startTime: new Date(SOON - 2 * HOUR), totalHours: 3 });
  await press('Change end time');
  expect(dialog().queryByRole('group', { name: 'Earlier' })).toBeNull();
  await user.click(within(dialog().getByRole('group', { name: 'Later' })).getAllByRole('button')[0] ?? document.body);
  expect(await dialog().findByText('This booking has ended.')).toBeTruthy();
  answerMove({ differenceCents: 0, refundCents: 0 });
  await press('Try again');
  expect(await dialog().findByText('The price stays the same.')).toBeTruthy();
});

test.each([
  ['renamed', [{ id: ROOM, name: 'The Loft' }, STUDIO_B], ['The Loft', 'Studio B']],
  ['retired', [STUDIO_B], ['Studio B', 'Studio A']],
  ['retired, and another one has its name now', [{ ...STUDIO_B, name: 'Studio A' }], ['Studio A', 'Studio A']],
])('a booking whose room is %s stays in this room when staff extend or move it', async (_what, studios, names) => {
  answerMove({ differenceCents: 0, refundCents: 0 });
  const [startTime, endTime] = [new Date('2999-03-03T00:00:00Z'), new Date('2999-03-03T02:00:00Z')];
  wire.answerRows('booking_details', { ...BOOKING, startTime, endTime, totalHours: 2 });
  renderPart(<BookingDialog studios={studios} reference="abcd-2345" mayRefund onClose={vi.fn()} />);
  await press('Change end time');
  await press('2 pm');
  expect(await dialog().findByText('The price stays the same.')).toBeTruthy();
  const target = { bookingId: ID, studioId: ROOM, startTime: startTime.toISOString(), waive: false, preview: true };
  expect(lastPreview()).toEqual({ ...target, endTime: '2999-03-03T03:00:00.000Z' });
  await press('Back');
  await press('Back');
  await press('Move booking');
  const rooms = dialog().getByLabelText<HTMLSelectElement>('Room');
  expect([rooms.value, [...rooms.options].map(({ text }) => text)]).toEqual([ROOM, names]);
  await user.selectOptions(dialog().getByLabelText('From'), '12 PM');
  await press('Continue');
  expect(await dialog().findByText('The price stays the same.')).toBeTruthy();
  const moved = { startTime: '2999-03-03T01:00:00.000Z', endTime: '2999-03-03T03:00:00.000Z' };
  expect(lastPreview()).toEqual({ ...target, ...moved });
});

test('a move that waits for its payment is shown with its link, and can be called off', async () => {
  wire.answer('staff-cancel-booking', { refundCents: 0 });
  const [startTime, endTime] = [new Date('2031-03-03T00:00:00Z'), new Date('2031-03-03T02:00:00Z')];
  const until = new Date('2031-03-02T00:00:00Z');
  const where = { holdId: idFrom('1'), studioName: 'Studio B', startTime, endTime };
  show({ waiting: { ...where, cents: 1000, until, url: 'https://pay.example/x' } });
  expect(await dialog().findByText(/^Studio B, Monday 3 March 2031, 11 am to 1 pm/)).toBeTruthy();
  expect(dialog().getByText(/^\$10 is due by Sun 2 Mar 2031, 11 am/)).toBeTruthy();
  expect(dialog().getByRole('link', { name: 'Open payment page' })).toHaveProperty('href', 'https://pay.example/x');
  await press('Cancel move');
  await press('Cancel move');
  const cancellation = { bookingId: idFrom('1'), refund: 'none' as const, undoable: true };
  await wire.expectSent('staff-cancel-booking', { ...cancellation, reason: expect.any(String) });
});

test('mails are sent again', async () => {
  wire.answerRows('send_mail_again', true);
  show();
  await press('Resend code');
  await wire.expectRequests('send_mail_again', 1);
  await press('Resend confirmation');
  expect(await waitForBodies('send_mail_again', 2)).toEqual([
    { booking: ID, mail: 'access-code' },
    { booking: ID, mail: 'booking-confirmed' },
  ]);
  await lastToast({
    title: 'Confirmation resent',
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
  const { failures } = show({
    mails: [
      { ...mail, id: idFrom('1'), kind: 'mail.booking-moved' },
      { ...mail, id: 'n', kind: 'mail.refund', refusal: 'money_arrived' },
      { ...mail, id: 'o', kind: 'mail.booking-confirmed', sentAt: null, refusal: 'queued' },
    ],
  });
  wire.fail('staff-send-mail', 0);
  expect(await dialog().findByText('Can’t resend: The payment is no longer processing.')).toBeTruthy();
  expect(dialog().getAllByRole('button', { name: /^Resend:/ })).toHaveLength(1);
  await press('Resend: Moved booking email');
  await waitFor(() => expect(failures).toHaveLength(1));
  wire.answer('staff-send-mail', { queued: true });
  await press('Resend: Moved booking email');
  await lastToast({ title: 'Email resent', description: 'alex@example.com' });
  const [first, second] = wire.sent('staff-send-mail');
  expect(first).toEqual({ bookingId: ID, mailId: idFrom('1'), requestId: expect.any(String) });
  expect(second).toEqual(first);
});

test('a cancellation is undone with the button of its message; when it is too late, the message says so', async () => {
  const undo = { id: idFrom('2'), until: '2031-03-01T00:00:10.000Z' };
  wire.answer('staff-cancel-booking', { refundCents: 5900, undo });
  wire.refuse('staff-undo', 'too_late', { message: 'This can no longer be undone.' });
  show();
  await press('Cancel booking');
  await fill(dialog().getByLabelText('Reason'), 'Flood');
  await press('Continue');
  expect(await dialog().findByText('You can undo this for ten seconds.')).toBeTruthy();
  await press('Cancel booking');
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  const [[message]] = vi.mocked(toast).mock.calls as [[Parameters<typeof toast>[0]]];
  expect(message).toMatchObject({ title: 'ABCD-2345 is cancelled', ms: 10_000, action: { label: 'Undo' } });
  message.action?.onPress();
  await lastToast({ title: 'Not undone', description: 'This can no longer be undone.', tone: 'bad' });
  wire.answer('staff-undo', { bookingId: ID, reference: 'ABCD-2345', kind: 'cancel' });
  message.action?.onPress();
  await lastToast({ title: 'ABCD-2345 has been restored', description: 'No email was sent.' });
  expect(wire.sent('staff-undo')).toEqual([{ undoId: undo.id }, { undoId: undo.id }]);
});

test('notes are shown with who and when; a new one is sent again under the same id, and a failure keeps what was typed', async () => {
  wire.fail('add_booking_note', 0);
  const at = new Date('2031-03-01T00:00:00Z');
  show({ staffNotes: [{ id: 'n', note: 'Wants the lights low.', by: 'Kim', at }] });
  expect(await dialog().findByText('Wants the lights low.')).toBeTruthy();
  expect(dialog().getByText('Kim, Sat 1 Mar 2031, 11 am')).toBeTruthy();
  await press('Add note');
  expect(await dialog().findByText('Enter a note.')).toBeTruthy();
  await fill(dialog().getByLabelText('Add a note'), ' Called. ');
  await press('Add note');
  expect(await dialog().findByText('The note was not saved. Check your connection.')).toBeTruthy();
  wire.answerRows('add_booking_note', true);
  await press('Add note');
  await waitFor(() => expect(dialog().getByLabelText('Add a note')).toHaveProperty('value', ''));
  const [first, second] = await waitForBodies('add_booking_note', 2);
  expect(first).toEqual({ note_id: expect.any(String), booking: ID, note: 'Called.' });
  expect(second).toEqual(first);
});

test('a no-show is marked and taken back with the button of the message', async () => {
  wire.answerRows('mark_no_show', true);
  show({ startTime: new Date(SOON - 2 * HOUR), totalHours: 3 });
  await press('Mark as no-show');
  await waitFor(() => expect(toast).toHaveBeenCalledOnce());
  const [[message]] = vi.mocked(toast).mock.calls as [[Parameters<typeof toast>[0]]];
  expect(message).toMatchObject({ title: 'ABCD-2345 is marked as a no-show', ms: 10_000, action: { label: 'Undo' } });
  message.action?.onPress();
  expect(await waitForBodies('mark_no_show', 2)).toEqual([
    { booking: ID, missed: true },
    { booking: ID, missed: false },
  ]);
});

test('the PIN is shown and renewed; before its time the panel says when it is there', async () => {
  const code = {
    ...wire.exampleFrom('regenerate-pin'),
    releaseAt: '2031-03-01T00:00:00Z',
    worksFrom: '2031-03-01T00:00:00Z',
    worksUntil: '2031-03-01T01:00:00Z',
    codesLeft: 5,
  };
  wire.answer('regenerate-pin', { ...code, pin: null, releaseAt: '2999-03-01T00:00:00Z' });
  show();
  await press('Show PIN');
  expect(await dialog().findByText(/^The PIN will be available from 11 am/)).toBeTruthy();
  wire.answer('regenerate-pin', { ...code, pin: '482913' });
  await press('Show PIN');
  expect(await dialog().findByText('482913')).toBeTruthy();
  await press('Generate new PIN');
  expect(dialog().getByText(/^The customer’s current PIN stops working/)).toBeTruthy();
  wire.refuse('regenerate-pin', 'code_wait');
  await press('Generate new PIN');
  expect(await dialog().findByText('Please wait 12 seconds before making another code.')).toBeTruthy();
  wire.answer('regenerate-pin', { ...code, pin: '771204', codesLeft: 4 });
  await press('Generate new PIN');
  expect(await dialog().findByText('771204')).toBeTruthy();
  const requests = wire.sentTo('regenerate-pin');
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'POST']);
  expect(new Set(requests.map(({ search }) => search.get('booking_id')))).toEqual(new Set([ID]));
});

const ACTIONS = [
  'Show PIN',
  'Generate new PIN',
  'Resend code',
  'Resend confirmation',
  'Move booking',
  'Change end time',
  'Issue partial refund',
  'Cancel booking',
];
test.each([
  ['with money', {}, true, ACTIONS],
  ['without money', {}, false, ACTIONS.filter((name) => name !== 'Issue partial refund')],
  [
    'of a guest without an address',
    { customer: { ...BOOKING.customer, email: null } },
    false,
    ['Show PIN', 'Generate new PIN', 'Move booking', 'Change end time', 'Cancel booking'],
  ],
  ['of a hold', { status: 'pending' as const, payments: [] }, true, ['Cancel booking']],
  ['of a booking that is over', { endTime: new Date(0) }, true, ['Issue partial refund']],
  ['of a cancelled booking', { status: 'cancelled' as const, payments: [] }, true, []],
])('the actions %s are those that are possible', async (_what, change, mayRefund, names) => {
  show(change, mayRefund);
  await dialog().findByText('Alex Citizen');
  const found = [...dialog().queryAllByRole('link'), ...dialog().queryAllByRole('button')].map(
    (element) => element.textContent,
  );
  expect(found.filter((name) => ACTIONS.includes(name))).toEqual(names);
});

test('the documents of a booking are listed, saved and mailed to the customer', async () => {
  const at = new Date('2031-03-02T00:00:00Z');
  const { failures } = show({
    documents: [
      { number: 7, kind: 'invoice', cents: 5900, at, void: false },
      { number: 8, kind: 'adjustment', cents: 1000, at, void: true },
    ],
  });
  expect(await screen.findByText(/Invoice 000007.*\$59/)).toBeTruthy();
  expect(screen.getByText(/Adjustment note 000008/).textContent).toContain('(void)');
  await user.click(screen.getByRole('button', { name: 'Email documents' }));
  await wire.expectSent('staff-mail-document', { bookingId: ID, requestId: expect.any(String) });
  await lastToast({ title: 'Documents sent', description: 'alex@example.com' });
  wire.fail('staff-booking-document', 500);
  await user.click(screen.getByRole('button', { name: 'Download documents' }));
  await wire.expectSent('staff-booking-document', { bookingId: ID, format: 'pdf' });
  await waitFor(() => expect(failures).toEqual(['Something broke.']));
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
