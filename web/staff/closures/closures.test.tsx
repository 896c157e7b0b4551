import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { closureFormSchema } from './closure-form.ts';
import { Closures } from './closures.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
beforeEach(() => vi.resetAllMocks());

const STUDIOS = [
  { id: '00000000-0000-4000-8000-000000000001', name: 'Studio A' },
  { id: '00000000-0000-4000-8000-000000000002', name: 'Studio B' },
];
const CLOSURE = '11111111-1111-4111-8111-111111111111';
const WEEK_MS = 7 * 24 * 3_600_000;
const START = new Date('2031-03-02T22:00:00Z');
/** Answers with a closure of both studios that is repeated `times` times. */
function answerClosure({ times = 3, endless = false } = {}): void {
  const weeks = Array.from({ length: times }, (_, week) => week * WEEK_MS);
  const spans = weeks.flatMap((later) =>
    STUDIOS.map(({ id }) => ({
      closure_id: CLOSURE,
      studio_id: id,
      start_time: new Date(START.getTime() + later),
      end_time: new Date(START.getTime() + later + 3 * 3_600_000),
      public: true,
      reason: 'Cleaning',
      endless,
    })),
  );
  wire.answerRows('closed_hours', spans);
}
const TIMES = 'Monday 3 March 2031, 9 am to 12 pm, and 2 more weeks';
const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }));
const dialog = () => within(screen.getByRole('dialog'));
async function openForm() {
  renderPart(<Closures studios={STUDIOS} />);
  await screen.findByText('No upcoming closed hours. Set a room’s opening hours on the Rooms tab.');
  await press('Close hours');
}

test('closed hours are listed with their weeks and studios, and reopened only after a question', async () => {
  answerClosure();
  renderPart(<Closures studios={STUDIOS} />);
  expect(await screen.findByText('Studio A, Studio B')).toBeTruthy();
  expect(screen.getByText('Public')).toBeTruthy();
  await press(`Reopen ${TIMES}`);
  expect(wire.sent('staff-reopen')).toEqual([]);
  await user.click(dialog().getByRole('button', { name: 'Keep closed' }));
  expect(wire.sent('staff-reopen')).toEqual([]);
  await press(`Reopen ${TIMES}`);
  await user.click(dialog().getByRole('button', { name: 'Reopen this week' }));
  const week = { closureId: CLOSURE, startTime: START.toISOString(), following: false };
  await wire.expectSent('staff-reopen', week);
  const description = 'Monday 3 March 2031, 9 am to 12 pm';
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Hours reopened', description }));
  await wire.expectRequests('closed_hours', 2);
  await press(`Reopen ${TIMES}`);
  await user.click(dialog().getByRole('button', { name: 'Reopen this and all later weeks' }));
  await wire.expectSent('staff-reopen', week, { ...week, following: true });
  await waitFor(() =>
    expect(toast).toHaveBeenLastCalledWith({
      title: 'Hours reopened',
      description: `${description}, then every week`,
    }),
  );
});

test('hours that are closed once have one button to reopen them', async () => {
  answerClosure({ times: 1 });
  renderPart(<Closures studios={STUDIOS} />);
  await screen.findByText('Studio A, Studio B');
  await press('Reopen Monday 3 March 2031, 9 am to 12 pm');
  expect(dialog().getByRole('button', { name: 'Reopen' })).toBeTruthy();
  expect(dialog().queryByRole('button', { name: /following/ })).toBeNull();
});

test('the form closes hours of Sydney as instants, for one studio or all', async () => {
  wire.answerRows('closed_hours', []);
  await openForm();
  const inside = dialog();
  await user.selectOptions(inside.getByLabelText('Room'), 'Studio B');
  await fill(inside.getByLabelText('From'), '2031-03-03');
  await fill(inside.getByLabelText('Until'), '2031-03-03');
  await user.selectOptions(inside.getByLabelText('Repeat'), 'Weekly until a date');
  await fill(inside.getByLabelText('Last day'), '2031-03-10');
  await fill(inside.getByLabelText('Reason'), ' New mixer ');
  await user.click(inside.getByLabelText('Customers may read the reason'));
  await user.click(inside.getByRole('button', { name: 'Close hours' }));
  await wire.expectSent('staff-close', {
    studioId: STUDIOS[1]?.id ?? '',
    startTime: '2031-03-02T22:00:00.000Z',
    endTime: '2031-03-03T01:00:00.000Z',
    repeatUntil: '2031-03-10',
    reason: 'New mixer',
    public: true,
  });
  const description = 'Monday 3 March 2031, 9 am to 12 pm, and weekly until Mon 10 Mar 2031';
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Hours closed', description }));
  await wire.expectRequests('closed_hours', 2);
});

test('hours are closed every week without an end', async () => {
  answerClosure({ endless: true });
  renderPart(<Closures studios={STUDIOS} />);
  expect(
    await screen.findByRole('button', { name: 'Reopen Monday 3 March 2031, 9 am to 12 pm, then every week' }),
  ).toBeTruthy();
  await press('Close hours');
  const inside = dialog();
  await fill(inside.getByLabelText('From'), '2031-03-03');
  await fill(inside.getByLabelText('Until'), '2031-03-03');
  await user.selectOptions(inside.getByLabelText('Repeat'), 'Weekly with no end date');
  expect(inside.queryByLabelText('Last day')).toBeNull();
  await fill(inside.getByLabelText('Reason'), 'Cleaning');
  await user.click(inside.getByRole('button', { name: 'Close hours' }));
  await wire.expectSent('staff-close', {
    studioId: null,
    startTime: '2031-03-02T22:00:00.000Z',
    endTime: '2031-03-03T01:00:00.000Z',
    endless: true,
    reason: 'Cleaning',
    public: false,
  });
  const description = 'Monday 3 March 2031, 9 am to 12 pm, and every week from then on';
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Hours closed', description }));
  await wire.expectRequests('closed_hours', 2);
});

test('bookings in the way are named and lead to their panel, and the form stays open', async () => {
  wire.answerRows('closed_hours', []);
  const booking = {
    id: 'b',
    reference: 'ABCD-2345',
    studioName: 'Studio A',
    startTime: '2031-03-02T22:00:00Z',
    endTime: '2031-03-03T00:00:00Z',
    status: 'pending',
  };
  wire.refuse('staff-close', 'slot_taken', { bookings: [booking] });
  await openForm();
  await fill(dialog().getByLabelText('Reason'), 'New mixer');
  await user.click(dialog().getByRole('button', { name: 'Close hours' }));
  expect(await dialog().findByText('A booking is in the way. Move or cancel it first.')).toBeTruthy();
  const [line] = dialog().getAllByRole('listitem');
  expect(line?.textContent).toBe('ABCD-2345: Studio A, Monday 3 March 2031, 9 am to 11 am (awaiting payment)');
  expect(dialog().getByRole('link', { name: 'ABCD-2345' }).getAttribute('href')).toBe('/admin?booking=ABCD-2345');
});

const TYPED = {
  studio: 'all',
  fromDate: '2031-03-03',
  fromHour: '9',
  toDate: '2031-03-03',
  toHour: '12',
  repeat: 'until',
  repeatUntil: '2031-03-10',
  reason: 'Cleaning',
  isPublic: false,
};
test.each([
  [{ toHour: '9' }, 'toHour', 'The end must be after the start.'],
  [
    { fromDate: '2031-10-05', fromHour: '2', toDate: '2031-10-05' },
    'fromHour',
    'The clocks skip this hour. Choose another one.',
  ],
  [{ repeatUntil: '2031-03-02' }, 'repeatUntil', 'The last day must not be before the first.'],
  [{ repeatUntil: '2033-02-28' }, 'repeatUntil', 'Choose a day within two years, or repeat weekly with no end date.'],
  [{ repeatUntil: '' }, 'repeatUntil', 'Choose the last day.'],
  [{ reason: '  ' }, 'reason', 'Enter a reason for your colleagues.'],
  [{ fromDate: '' }, 'fromDate', 'Choose the first day.'],
])('%o is refused at %s', (change, field, message) => {
  const { error } = closureFormSchema.safeParse({ ...TYPED, ...change });
  expect(error?.issues).toMatchObject([{ path: [field], message }]);
  expect(closureFormSchema.safeParse(TYPED)).toMatchObject({ success: true, data: { studioId: null } });
});
