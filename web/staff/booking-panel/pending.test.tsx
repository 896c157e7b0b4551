import { screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { fill, pressTwice, renderPart, user } from '#web/ui/component-tests.ts';
import { answerCall, delayServer, expectOneCall, sentRequests } from '#web/ui/testing/delayed-server.ts';
import { watchReads } from '#web/ui/testing/watched-reads.ts';
import { CancelForm } from './cancel-form.tsx';
import { MarkPaidStep } from './hold-steps.tsx';
import { MoveStep } from './move-step.tsx';
import type { BookingDetails } from './queries.ts';
import { RefundForm } from './refund-form.tsx';

const PAID = { kind: 'card', state: 'paid', cents: 5900, refundedCents: 0, leftCents: 5900, at: new Date(0) };
const BOOKING = {
  id: 'b',
  reference: 'ABCD-2345',
  studioId: 'a',
  studioName: 'Studio A',
  startTime: new Date('2031-03-08T07:00:00Z'),
  endTime: new Date('2031-03-08T08:00:00Z'),
  status: 'confirmed',
  freeCancelHours: 24,
  termsStart: new Date('2031-03-08T07:00:00Z'),
  customer: { hasAccount: true, name: 'Alex Citizen', email: 'alex@example.com', phone: null, blocked: false },
  payments: [PAID],
  refunds: [],
} as unknown as BookingDetails;
const TARGET = { studioId: 'b', start: new Date('2031-03-09T07:00:00Z'), end: new Date('2031-03-09T08:00:00Z') };

const onDone = vi.fn();
const press = async (name: string) => user.click(await screen.findByRole('button', { name }));
const buttons = () => screen.getAllByRole<HTMLButtonElement>('button');
beforeEach(() => {
  vi.resetAllMocks();
  delayServer();
});

const cases: {
  what: string;
  part: ReactElement;
  confirm: () => Promise<void>;
  button: string;
  call: string;
  answer: object;
}[] = [
  {
    what: 'a cancellation',
    part: <CancelForm booking={BOOKING} mayRefund onDone={onDone} />,
    confirm: async () => {
      await fill(screen.getByLabelText('Reason'), 'ill');
      await press('Continue');
    },
    button: 'Cancel booking',
    call: 'staff-cancel-booking',
    answer: { refundCents: 5900 },
  },
  {
    what: 'a refund',
    part: <RefundForm booking={BOOKING} onDone={onDone} />,
    confirm: async () => {
      await fill(screen.getByLabelText('Amount in dollars'), '10');
      await fill(screen.getByLabelText('Reason'), 'noise');
      await press('Continue');
    },
    button: 'Refund $10',
    call: 'staff-refund',
    answer: { refundCents: 1000 },
  },
  {
    what: 'a mark of payment',
    part: <MarkPaidStep booking={BOOKING} onDone={onDone} />,
    confirm: async () => {},
    button: 'Mark as paid',
    call: 'staff-mark-paid',
    answer: { reference: BOOKING.reference },
  },
  {
    what: 'a move',
    part: (
      <MoveStep booking={BOOKING} studioName="Studio B" target={TARGET} mayRefund onDone={onDone} onBack={() => {}} />
    ),
    confirm: async () => {
      await expectOneCall('staff-move-booking');
      answerCall('staff-move-booking', { differenceCents: 0, refundCents: 0 });
    },
    button: 'Move booking',
    call: 'staff-move-booking',
    answer: { differenceCents: 0, refundCents: 0 },
  },
];
const shown = Object.entries(queryKeys)
  .filter(([, { all }]) => BOOKING_CHANGES.some((change) => change === all))
  .map(([kind]) => kind)
  .toSorted();

test.each(cases)(
  'while $what is sent it cannot be sent again or left, and it ends when all that shows bookings was read again',
  async ({ part, confirm, button, call, answer }) => {
    const { client } = renderPart(part);
    await confirm();
    const pressed = await screen.findByRole('button', { name: button });
    const { moveQuote: _, ...others } = queryKeys;
    const reads = await watchReads(client, others);
    await pressTwice(pressed);
    await expectOneCall(call);
    expect(buttons().map(({ disabled }) => disabled)).toEqual([true, true]);
    expect(reads.take()).toEqual([]);
    answerCall(call, answer);
    await expect.poll(() => reads.take()).toEqual(shown);
    expect(buttons().map(({ disabled }) => disabled)).toEqual([true, true]);
    expect(onDone).not.toHaveBeenCalled();
    reads.answer();
    await expect.poll(() => onDone.mock.calls).toHaveLength(1);
    expect(sentRequests()).toEqual([]);
  },
);

test('while a move is sent it names the hours from which it was confirmed, though the booking has moved already', async () => {
  const step = (booking: BookingDetails): ReactElement => (
    <MoveStep booking={booking} studioName="Studio B" target={TARGET} mayRefund onDone={onDone} onBack={() => {}} />
  );
  const { rerender } = renderPart(step(BOOKING));
  await expectOneCall('staff-move-booking');
  answerCall('staff-move-booking', { differenceCents: 0, refundCents: 0 });
  await press('Move booking');
  await expectOneCall('staff-move-booking');
  rerender(step({ ...BOOKING, studioName: 'Studio B', startTime: TARGET.start, endTime: TARGET.end }));
  expect(screen.getByText(/^From Studio A, Saturday 8 March 2031, 6 pm to 7 pm/)).toBeTruthy();
});
