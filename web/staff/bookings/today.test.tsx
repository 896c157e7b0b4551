import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Alert, alertAddress } from '#rules/alerts/alerts.ts';
import { slotStart } from '#rules/studio-time.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';
import { describeReadiness } from '#web/data/bookings/door-readiness.ts';
import { Today } from './today.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
const DAY = '2031-03-03';
const at = (hour: number, date = DAY): Date => slotStart(date, hour) ?? new Date(0);
const STUDIOS = ['a', 'b'].map((id) => ({ id, name: `Studio ${id.toUpperCase()}` }));
const NO_CODE: queries.DayBooking['code'] = {
  due: null,
  requested: null,
  accepted: null,
  mailed: null,
  seen: null,
  used: null,
};
const BOOKING: queries.DayBooking = {
  id: '1',
  reference: 'ABCD-2345',
  studioId: 'a',
  studioName: 'Studio A',
  startTime: at(19),
  endTime: at(21),
  status: 'confirmed',
  isTest: false,
  customer: { name: 'Alex Citizen', email: 'alex@example.com', phone: null },
  crew: [],
  code: { ...NO_CODE, requested: at(18), accepted: at(18) },
};
const LATER = {
  ...BOOKING,
  id: '2',
  crew: ['Sam', 'Jo'],
  reference: 'EFGH-2345',
  customer: { ...BOOKING.customer, name: 'Kim' },
  startTime: at(23),
  endTime: at(1, '2031-03-04'),
};
const CLOSURE = { id: 'c', studioId: 'b', start: at(0), end: at(24 - 1), reason: 'New mixer' };
const ABOUT = {
  id: '66666666-6666-4666-8666-666666666666',
  reference: 'ABCD-2345',
  studioName: 'Studio A',
  start: at(19),
};
const JOB = { id: 'j', kind: 'payment.refund', tries: 3 };
const ALERT: Alert = {
  kind: 'refund_failed',
  since: at(9),
  due: null,
  job: JOB,
  problem: 'The card is closed.',
  booking: ABOUT,
  // The server returns only the name of the room.
  studioId: null,
  studioName: 'Studio A',
  customer: 'Alex Citizen',
};

/** Answers with the bookings and closures of the day in the format of the database. */
function answerDay(bookings: readonly queries.DayBooking[], closures: readonly queries.DayClosure[]): void {
  wire.answerRows(
    'bookings_of_day',
    bookings.map(({ id, reference, studioId, studioName, startTime, endTime, status, isTest, customer, code }) => ({
      id,
      reference,
      studio_id: studioId,
      studio_name: studioName,
      start_time: startTime,
      end_time: endTime,
      status,
      is_test: isTest,
      customer_name: customer.name,
      customer_email: customer.email,
      phone: customer.phone,
      code_due_at: code.due,
      code_requested_at: code.requested,
      code_accepted_at: code.accepted,
      code_mailed_at: code.mailed,
      code_seen_at: code.seen,
      code_used_at: code.used,
    })),
  );
  wire.answerRows(
    'closed_hours',
    closures.map(({ id, studioId, start, end, reason }) => ({
      closure_id: id,
      studio_id: studioId,
      start_time: start,
      end_time: end,
      reason,
    })),
  );
  const guests = bookings.flatMap(({ id, crew }) => crew.map((name) => ({ booking: id, name })));
  wire.answerRows(
    'booking_crew',
    guests.map(({ booking, name }) => ({
      id: name,
      booking_id: booking,
      state: 'joined',
      name,
      invited_at: at(9),
      saw_shared_code: false,
    })),
  );
}
/** Answers with these alerts in the format of the database. */
function answerAlerts(...alerts: readonly Alert[]): void {
  wire.answerRows(
    'staff_alerts',
    alerts.map(({ kind, since, due, job, problem, booking, studioName, customer }) => ({
      kind,
      since,
      due,
      job_id: job?.id ?? null,
      job_kind: job?.kind ?? null,
      tries: job?.tries ?? null,
      problem,
      booking_id: booking?.id ?? null,
      reference: booking?.reference ?? null,
      studio_name: studioName,
      start_time: booking?.start ?? null,
      customer_name: customer,
    })),
  );
}
const lastToast = (words: object) => waitFor(() => expect(toast).toHaveBeenLastCalledWith(words));

beforeEach(() => {
  vi.resetAllMocks();
  vi.useFakeTimers({ now: at(20), toFake: ['Date'] });
  answerDay([], []);
  answerAlerts();
});
afterEach(() => vi.useRealTimers());

/** `path`: the address of the page. `without`: permissions that the account lacks. */
function show(
  day: string | null = null,
  showDay = true,
  mayDecide = true,
  { path = '/admin', without = [] }: { path?: string; without?: readonly string[] } = {},
) {
  const onDay = vi.fn();
  const onBooking = vi.fn();
  const missing = [...without, ...(showDay ? [] : ['bookings']), ...(mayDecide ? [] : ['money'])];
  const { unmount } = renderPart(
    <Today
      studios={STUDIOS}
      may={(permission) => !missing.includes(permission)}
      renderDisputes={mayDecide ? ({ reference }) => <p>Disputes of {reference}</p> : null}
      day={day}
      onDay={onDay}
      onBooking={onBooking}
      newBooking={({ date, onDone, onBack }) => (
        <>
          <button type="button" onClick={() => onDone('NEWB-2345')}>
            Book on {date}
          </button>
          <button type="button" onClick={onBack}>
            Back
          </button>
        </>
      )}
    />,
    { path },
  );
  return Object.assign(onDay, { onBooking, unmount });
}
const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }));
const dialog = () => within(screen.getByRole('dialog'));

test('each room says who is in and who comes next, and the list has the day by time with its closed hours', async () => {
  answerDay([BOOKING, LATER], [CLOSURE]);
  show();
  const rooms = within(await screen.findByRole('list', { name: 'Now' })).getAllByRole('listitem');
  expect(rooms.map((room) => room.textContent)).toEqual([
    'Studio AAlex Citizenuntil 9 pmNext: Kim, 11 pm',
    'Studio BEmptyNo more bookings today',
  ]);
  const table = within(screen.getByRole('table', { name: 'Bookings on Monday 3 March 2031' }));
  const rows = table.getAllByRole('row').map((row) =>
    within(row)
      .queryAllByRole('cell')
      .map((cell) => cell.textContent),
  );
  expect(rows.slice(1)).toEqual([
    ['12 am to 11 pm', 'Studio B', 'Closed: New mixer', ' ', ' '],
    ['7 pm to 9 pm In session', 'Studio A', 'Alex Citizenalex@example.com', 'Accepted by the lock', 'ABCD-2345'],
    ['11 pm to 1 am, 4 Mar', 'Studio A', 'Kimalex@example.comwith Sam, Jo', 'Accepted by the lock', 'EFGH-2345'],
  ]);
  expect(wire.sentTo('bookings_of_day').map(({ body }) => body)).toEqual([{ day: DAY }]);
});

test('a day without bookings says so, and a day that could not be loaded offers another try', async () => {
  wire.fail('bookings_of_day', 500, 'No connection.');
  show('2031-03-05');
  expect(screen.getByLabelText('Loading the day')).toBeTruthy();
  expect(await screen.findByText('No connection.')).toBeTruthy();
  answerDay([], []);
  await press('Try again');
  expect(await screen.findByText('No bookings on Wednesday 5 March 2031.')).toBeTruthy();
  expect(screen.queryByRole('list', { name: 'Now' })).toBeNull();
});

test('buttons and arrow keys go to the day before and after and back to today', async () => {
  const onDay = show('2031-03-04');
  await press('Next day');
  await press('Previous day');
  await user.keyboard('{ArrowRight}{ArrowLeft}{Home}');
  await press('Today');
  expect(onDay.mock.calls).toEqual([['2031-03-05'], [null], ['2031-03-05'], [null], [null], [null]]);
});

test('staff without the permission for bookings see alerts and no day', async () => {
  answerAlerts(ALERT);
  show(null, false);
  expect(await screen.findByText('A refund failed')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'ABCD-2345' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Next day' })).toBeNull();
  expect(wire.sentTo('bookings_of_day')).toEqual([]);
});

test('alerts name the booking, the reason and the time, and lead to where they are settled', async () => {
  answerAlerts(
    { ...ALERT, kind: 'id_waiting', job: null, problem: null, booking: null },
    ALERT,
    { ...ALERT, kind: 'dispute', job: null, problem: null },
    { ...ALERT, kind: 'job_late', job: { id: 'l', kind: 'mail.access-code', tries: 1 } },
    { ...ALERT, kind: 'code_missing', job: null, problem: null },
    { ...ALERT, kind: 'lock_offline', job: null, problem: null, booking: null, customer: null },
    { ...ALERT, kind: 'battery_low', job: null, problem: '12 %', booking: null, customer: null },
  );
  show();
  expect(await screen.findByRole('heading', { name: 'Needs attention (7)' })).toBeTruthy();
  expect(screen.getByText('The lock of Studio A is offline')).toBeTruthy();
  expect(screen.getByText('Change the lock battery of Studio A: 12 %')).toBeTruthy();
  const toDoors = screen.getAllByRole('link', { name: 'Go to Doors' }).map((link) => link.getAttribute('href'));
  expect(toDoors).toEqual(['/admin?tab=doors', '/admin?tab=doors']);
  expect(screen.getByText('Alex Citizen is waiting for an ID review')).toBeTruthy();
  expect(
    screen.getByText('Studio A, 3 Mar 7 pm. Alex Citizen. The card is closed. Since 3 Mar, 9 am', {
      exact: false,
      selector: 'li:nth-child(2) p',
    }),
  ).toBeTruthy();
  expect(screen.getByText('Access code email: not sent in time')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Review ID' }).getAttribute('href')).toBe('/admin?tab=id-review');
  expect(screen.getByRole('link', { name: 'Open PIN page' }).getAttribute('href')).toContain(`booking_id=${ABOUT.id}`);
  expect(screen.getAllByRole('button', { name: 'Try again' })).toHaveLength(1);
  expect(screen.getAllByRole('link', { name: 'ABCD-2345' })[0]?.getAttribute('href')).toBe('/admin?booking=ABCD-2345');
});

test('a dispute says why the customer disputes and by when the bank wants an answer, and a refused mail who to call', async () => {
  answerAlerts(
    { ...ALERT, kind: 'dispute', job: null, problem: 'product_not_received', due: at(17) },
    { ...ALERT, kind: 'mail_bounced', job: { ...JOB, kind: 'mail.access-code' }, problem: 'mail: smtp_550' },
  );
  show();
  expect(
    await screen.findByText('Reason: product not received. Respond by 3 Mar, 5 pm.', { exact: false }),
  ).toBeTruthy();
  expect(screen.getByText('Access code email: rejected by the customer’s mail server')).toBeTruthy();
  expect(screen.getByText('Call the customer, or correct the address', { exact: false })).toBeTruthy();
  expect(screen.getAllByRole('button', { name: 'Try again' })).toHaveLength(1);
});

test('a booking without a verified ID says when it is cancelled, and staff let the session take place with a reason', async () => {
  const alert = { ...ALERT, kind: 'id_missing' as const, job: null, problem: null, since: at(17) };
  answerAlerts(alert, {
    ...alert,
    since: new Date(at(19).getTime() - 60_000),
    booking: { ...ABOUT, id: '77777777-7777-4777-8777-777777777777' },
  });
  show();
  expect(
    await screen.findByText('It is cancelled with a full refund at 5:55 pm unless', { exact: false }),
  ).toBeTruthy();
  expect(screen.getByText('It is not cancelled automatically', { exact: false })).toBeTruthy();
  const [keep] = screen.getAllByRole('button', { name: 'Allow session' });
  if (keep) await user.click(keep);
  await fill(dialog().getByLabelText('Reason'), 'I know them');
  await user.click(dialog().getByRole('button', { name: 'Allow session' }));
  await wire.expectSent('staff-keep-without-id', { bookingId: ABOUT.id, reason: 'I know them' });
  await lastToast({ title: 'Session allowed', description: 'ABCD-2345' });
});

test('a disputed booking whose code is held says by when to decide, shows its disputes, and is kept, cancelled or its customer blocked', async () => {
  const alert = { ...ALERT, kind: 'code_held' as const, job: null, problem: 'fraudulent', due: at(18) };
  answerAlerts(alert);
  wire.refuse('staff-decide-dispute', 'already_done', { message: 'Decided already.' });
  show();
  const facts = await screen.findByText('Reason: fraudulent. Decide by 3 Mar, 6 pm.', { exact: false });
  expect(facts.textContent).toContain('Nothing is refunded automatically');
  await press('Review dispute');
  expect(dialog().getByText('Disputes of ABCD-2345')).toBeTruthy();
  await user.selectOptions(dialog().getByLabelText('Decision'), 'Cancel booking and block customer');
  expect(dialog().getByText(/cancelled without a refund, and the customer can’t hold hours or pay/)).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Cancel and block' }));
  expect(await dialog().findByText('Enter a reason for your colleagues.')).toBeTruthy();
  await fill(dialog().getByLabelText('Reason'), 'Stolen card');
  await user.click(dialog().getByRole('button', { name: 'Cancel and block' }));
  expect(await dialog().findByText('Decided already.')).toBeTruthy();
  wire.answer('staff-decide-dispute', wire.exampleFrom('staff-decide-dispute'));
  await user.click(dialog().getByRole('button', { name: 'Cancel and block' }));
  const decision = { bookingId: ABOUT.id, decision: 'block', reason: 'Stolen card' } as const;
  await wire.expectSent('staff-decide-dispute', decision, decision);
  await lastToast({
    title: 'Booking cancelled, customer blocked',
    description: 'ABCD-2345',
  });
});

test('a paid booking of a blocked customer can be opened, or kept, by staff with the permission “bookings”', async () => {
  const alert = { ...ALERT, kind: 'blocked_booking' as const, job: null, problem: null };
  answerAlerts(alert);
  wire.answerRows('keep_blocked_booking', true);
  show();
  expect(await screen.findByText('Alex Citizen is blocked and has a paid booking')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Open booking' }).getAttribute('href')).toContain('booking=ABCD-2345');
  await press('Keep booking');
  await wire.expectRequests('keep_blocked_booking', 1);
  expect(wire.sentTo('keep_blocked_booking')[0]?.body).toEqual({ booking: ABOUT.id });
  await wire.expectRequests('staff_alerts', 2);
  await lastToast({ title: 'Session allowed', description: 'ABCD-2345' });
});

test('a held code is decided about with the permission “money”, and without “bookings” the booking can only be kept', async () => {
  const alert = { ...ALERT, kind: 'code_held' as const, job: null, problem: null, due: at(18) };
  answerAlerts(alert);
  const { unmount } = show(null, true, false);
  expect(await screen.findByText('Ask a colleague with the “Money” permission.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Review dispute' })).toBeNull();
  unmount();
  show(null, false, true);
  await user.click(await screen.findByRole('button', { name: 'Review dispute' }));
  expect(
    dialog()
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Allow session']);
});

test('a failing job is tried again, or closed with a reason', async () => {
  answerAlerts({ ...ALERT, kind: 'job_failing' });
  wire.answerRows('retry_job', true);
  wire.answerRows('close_job', false);
  show();
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  await wire.expectRequests('retry_job', 1);
  expect(wire.sentTo('retry_job')[0]?.body).toEqual({ job: 'j' });
  await lastToast({ title: 'Retrying now' });
  await press('Close task');
  await user.click(dialog().getByRole('button', { name: 'Close task' }));
  expect(await dialog().findByText('Tell your colleagues what was done.')).toBeTruthy();
  expect(wire.sentTo('close_job')).toEqual([]);
  await fill(dialog().getByLabelText('Reason'), ' Paid in cash ');
  await user.click(dialog().getByRole('button', { name: 'Close task' }));
  expect(await dialog().findByText('This has already been done.')).toBeTruthy();
  wire.answerRows('close_job', true);
  await user.click(dialog().getByRole('button', { name: 'Close task' }));
  await wire.expectRequests('close_job', 2);
  expect(wire.sentTo('close_job')[1]?.body).toEqual({ job: 'j', reason: 'Paid in cash' });
  await lastToast({ title: 'Task closed', description: 'A refund has not gone through' });
});

test('a door code that an unknown lock prevents says so in words, and leads to the form of the room, or to a colleague who may', async () => {
  const job = { ...JOB, kind: 'access.request' };
  answerAlerts({ ...ALERT, kind: 'job_failing', job, problem: 'igloohome: http_404' });
  const { unmount } = show();
  expect(await screen.findByText('No door code for the 7 pm session in Studio A')).toBeTruthy();
  expect(screen.getByText('The lock service does not know this lock. Tried 3 times', { exact: false })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Fix lock' }).getAttribute('href')).toBe('/admin?tab=rooms&room=Studio%20A');
  expect(screen.getByRole('region', { name: /^Needs attention/ }).textContent).not.toMatch(/http_|igloohome/);
  unmount();
  show(null, true, true, { without: ['settings'] });
  expect(await screen.findByText('Ask a colleague with the “Settings” permission.')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Fix lock' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});

test('an answer of a provider that nothing explains reads well, with its code in small print', async () => {
  answerAlerts({ ...ALERT, problem: 'stripe: some_new_code' });
  show();
  expect(
    await screen.findByText('The payment provider refused the request, and we do not know why', { exact: false }),
  ).toBeTruthy();
  expect(screen.getByText('For support: stripe, some new code')).toBeTruthy();
});

test('the evidence of a dispute opens from its alert', async () => {
  answerAlerts({ ...ALERT, kind: 'dispute', job: null, problem: null });
  show();
  await user.click(await screen.findByRole('button', { name: 'View evidence' }));
  expect(dialog().getByText('Disputes of ABCD-2345')).toBeTruthy();
  expect(dialog().queryByLabelText('Reason')).toBeNull();
});

test('the link of a mail leads to its alert, or says that it is settled', async () => {
  answerAlerts({ ...ALERT, kind: 'lock_offline', booking: null, job: null }, ALERT);
  const { unmount } = show(null, true, true, { path: alertAddress(ALERT) });
  expect(await screen.findByText('A refund failed')).toBeTruthy();
  expect(document.activeElement?.textContent).toContain('A refund failed');
  expect(screen.queryByText(/^The alert you followed/)).toBeNull();
  unmount();
  show(null, true, true, { path: alertAddress({ ...ALERT, job: { ...JOB, id: 'done' } }) });
  expect(await screen.findByText(/^The alert you followed is no longer on your list/)).toBeTruthy();
});

test('alerts that could not be loaded offer another try', async () => {
  wire.fail('staff_alerts', 500);
  show();
  await screen.findByRole('button', { name: 'Try again' });
  answerAlerts();
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Nothing needs attention.')).toBeTruthy();
});

test('without some permissions the page says which alerts colleagues see', async () => {
  answerAlerts();
  show(null, true, false, { without: ['identity'] });
  expect(
    await screen.findByText('Nothing you can see needs attention. Your colleagues see alerts about IDs and money.'),
  ).toBeTruthy();
});

test.each([
  [{ status: 'pending' as const }, 18, 0, 'Awaiting payment', 'plain'],
  [{ code: { ...NO_CODE, due: at(18) } }, 17, 0, 'Code due 6 pm', 'plain'],
  [{ code: { ...NO_CODE, due: at(18) } }, 18, 0, 'No code yet', 'plain'],
  [{ code: NO_CODE }, 19, 0, 'No code yet', 'bad'],
  [{ code: NO_CODE, isTest: true }, 19, 0, 'Test', 'plain'],
  [{ code: { ...NO_CODE, requested: at(18) } }, 18, 1, 'Waiting for the lock', 'warn'],
  [{ code: { ...NO_CODE, requested: at(18) } }, 19, 1, 'Waiting for the lock', 'bad'],
  [{ code: { ...NO_CODE, requested: at(18) } }, 21, 1, 'No code', 'plain'],
  [{}, 19, 2, 'Accepted by the lock', 'good'],
  [{ code: { ...BOOKING.code, mailed: at(18) } }, 19, 3, 'Code emailed 6 pm', 'good'],
  [{ code: { ...BOOKING.code, seen: at(19) } }, 19, 4, 'Code seen 7 pm', 'good'],
  [{ code: { ...BOOKING.code, used: at(19) } }, 20, 4, 'Door opened 7 pm', 'good'],
])('a booking with %o is at %i o’clock ready to step %i: %s', (change, hour, done, label, tone) => {
  expect(describeReadiness({ ...BOOKING, ...change }, at(hour))).toEqual({ done, label, tone });
});

test('a new booking is made for the day that is shown, and then opens', async () => {
  const { onBooking } = show('2031-03-05');
  await press('New booking');
  await user.click(dialog().getByRole('button', { name: 'Back' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  await press('New booking');
  await user.click(dialog().getByRole('button', { name: 'Book on 2031-03-05' }));
  expect(onBooking).toHaveBeenCalledWith('NEWB-2345');
  expect(screen.queryByRole('dialog')).toBeNull();
});
