import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { NewBooking } from './new-booking.tsx';
import * as queries from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock(import('./queries.ts'), async (original) => ({ ...(await original()), createBooking: vi.fn() }));
const { createBooking } = vi.mocked(queries);

const RATES = {
  lists: [{ validFrom: '2031-01-01', hourCents: Array(168).fill(4900), volumePercents: Array(24).fill(0) }],
  specialDays: [],
};
const STUDIOS = ['a', 'b'].map((id) => ({ id, name: `Studio ${id.toUpperCase()}`, rates: RATES }));

test('a booking is made by hand: hours, then the person and how it is paid; a refusal keeps what was typed', async () => {
  const onBooking = vi.fn();
  renderPart(<NewBooking studios={STUDIOS} date="2031-03-05" mayGive onDone={onBooking} onBack={vi.fn()} />);
  createBooking
    .mockRejectedValueOnce(new AppError('slot_taken', 'Someone has booked this time.', 409))
    .mockResolvedValue({ bookingId: 'n', reference: 'NEWB-2345', url: 'https://pay.example.com' });
  await user.selectOptions(screen.getByLabelText('Room'), 'Studio B');
  expect(screen.getByLabelText('Day')).toHaveProperty('value', '2031-03-05');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('Studio B, Wednesday 5 March 2031, 6 pm to 8 pm')).toBeTruthy();
  expect(screen.getByText('$98 by the price list.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Book' }));
  expect(createBooking).not.toHaveBeenCalled();
  await fill(screen.getByLabelText('Name'), 'Kim Caller');
  await fill(screen.getByLabelText('Email'), 'kim@example.com');
  await user.click(screen.getByRole('button', { name: 'Book' }));
  expect(await screen.findByText('Someone has booked this time.')).toBeTruthy();
  expect(onBooking).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Book' }));
  await vi.waitFor(() => expect(onBooking).toHaveBeenCalledWith('NEWB-2345'));
  const [first, second] = createBooking.mock.calls.map(([sent]) => sent);
  expect(second).toEqual(first);
  expect(first).toEqual({
    studioId: 'b',
    startTime: '2031-03-05T07:00:00.000Z',
    endTime: '2031-03-05T09:00:00.000Z',
    customerName: 'Kim Caller',
    customerEmail: 'kim@example.com',
    payment: 'link',
    notes: '',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(toast).toHaveBeenCalledWith({
    title: 'NEWB-2345 is held',
    description: 'The link to pay is mailed to kim@example.com.',
  });
});

test('without the permission for money a booking is paid by a link, and the page says why', async () => {
  renderPart(<NewBooking studios={STUDIOS} date="2031-03-05" mayGive={false} onDone={vi.fn()} onBack={vi.fn()} />);
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(
    await screen.findByText(/^We mail a link to pay\. A booking that is free or was paid elsewhere needs/),
  ).toBeTruthy();
  expect(screen.queryByLabelText('Payment')).toBeNull();
});
