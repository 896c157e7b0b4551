import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { NewBooking } from './new-booking.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
const answerPeople = (customers: readonly object[], guests: readonly object[]): void => {
  wire.answerRows('search_customers', customers);
  wire.answerRows('search_guest_bookings', guests);
};
beforeEach(() => {
  vi.resetAllMocks();
  answerPeople([], []);
});

const RATES = {
  lists: [{ validFrom: '2031-01-01', hourCents: Array(168).fill(4900), volumePercents: Array(24).fill(0) }],
  specialDays: [],
};
const [STUDIO_A, STUDIO_B] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const STUDIOS = [
  { id: STUDIO_A, name: 'Studio A', rates: RATES },
  { id: STUDIO_B, name: 'Studio B', rates: RATES },
];
const BOOKING = '55555555-5555-4555-8555-555555555555';
const created = () => wire.sent('staff-create-booking');

test('a booking is made by hand: hours, then the person and how it is paid; a refusal keeps what was typed', async () => {
  const onBooking = vi.fn();
  renderPart(<NewBooking studios={STUDIOS} date="2031-03-05" mayGive onDone={onBooking} onBack={vi.fn()} />);
  wire.refuse('staff-create-booking', 'slot_taken', { message: 'Someone has booked this time.' });
  await user.selectOptions(screen.getByLabelText('Room'), 'Studio B');
  expect(screen.getByLabelText('Day')).toHaveProperty('value', '2031-03-05');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('Studio B, Wednesday 5 March 2031, 6 pm to 8 pm')).toBeTruthy();
  expect(screen.getByText('$98 from the price list.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Book' }));
  expect(created()).toEqual([]);
  await fill(screen.getByLabelText('Name'), 'Kim Caller');
  await fill(screen.getByLabelText('Email'), 'kim@example.com');
  await user.click(screen.getByRole('button', { name: 'Book' }));
  expect(await screen.findByText('Someone has booked this time.')).toBeTruthy();
  wire.answer('staff-create-booking', {
    bookingId: BOOKING,
    reference: 'NEWB-2345',
    status: 'pending',
    url: 'https://pay.example.com',
  });
  expect(onBooking).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Book' }));
  expect(
    await screen.findByText(/^NEWB-2345 is held until it is paid\. We emailed the payment link to kim@example\.com\./),
  ).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Copy link' }));
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Link copied' }));
  expect(await navigator.clipboard.readText()).toBe('https://pay.example.com');
  expect(onBooking).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Open booking' }));
  expect(onBooking).toHaveBeenCalledWith('NEWB-2345');
  const [first, second] = created();
  expect(second).toEqual(first);
  expect(first).toEqual({
    studioId: STUDIO_B,
    startTime: '2031-03-05T07:00:00.000Z',
    endTime: '2031-03-05T09:00:00.000Z',
    customerName: 'Kim Caller',
    customerEmail: 'kim@example.com',
    customerPhone: '',
    priceCents: null,
    payment: 'link',
    notes: '',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test('without the permission for money a booking is paid by a link, and the page says why', async () => {
  renderPart(<NewBooking studios={STUDIOS} date="2031-03-05" mayGive={false} onDone={vi.fn()} onBack={vi.fn()} />);
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(
    await screen.findByText(/^We email a link to pay the list price\. A lower price, .* needs the “Money” permission/),
  ).toBeTruthy();
  for (const label of ['Payment', /^Price/]) expect(screen.queryByLabelText(label)).toBeNull();
});

/** Opens the form for two hours in Studio A, which cost $98. */
async function openForm(onDone = vi.fn()) {
  renderPart(<NewBooking studios={STUDIOS} date="2031-03-05" mayGive onDone={onDone} onBack={vi.fn()} />);
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByLabelText('Name');
}

test('a known customer fills in the form, and a price of its own is at most that of the list', async () => {
  answerPeople(
    [{ full_name: 'Kim Caller', email: 'kim@example.com', phone: '+61400000000' }],
    [{ guest_name: 'Kim Guest', guest_email: 'guest@example.com', contact_phone: null }],
  );
  wire.answer('staff-create-booking', { bookingId: BOOKING, reference: 'NEWB-2345', status: 'confirmed' });
  const onDone = vi.fn();
  await openForm(onDone);
  await fill(screen.getByLabelText('Name'), 'ki');
  await fill(screen.getByLabelText('Name'), 'kim');
  expect(await screen.findByRole('button', { name: /^Kim Guest ?guest@example\.com, no account$/ })).toBeTruthy();
  expect(wire.sentTo('search_customers')).toMatchObject([{ body: { words: 'kim' } }]);
  await user.click(screen.getByRole('button', { name: /^Kim Caller ?kim@example\.com, \+61400000000$/ }));
  expect(screen.queryByRole('group', { name: 'Known customers' })).toBeNull();
  await user.selectOptions(screen.getByLabelText('Payment'), 'Already paid another way');
  for (const price of ['98.01', '0.49', '5.555', 'x']) {
    await fill(screen.getByLabelText('Price in dollars (optional)'), price);
    await user.click(screen.getByRole('button', { name: 'Book' }));
    expect(await screen.findByText('Enter an amount from $0.50 to $98.')).toBeTruthy();
  }
  expect(created()).toEqual([]);
  await fill(screen.getByLabelText('Price in dollars (optional)'), '50');
  await user.click(screen.getByRole('button', { name: 'Book' }));
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('NEWB-2345'));
  expect(created()[0]).toMatchObject({
    customerName: 'Kim Caller',
    customerEmail: 'kim@example.com',
    customerPhone: '+61400000000',
    payment: 'elsewhere',
    priceCents: 5_000,
  });
  expect(toast).toHaveBeenCalledWith({
    title: 'NEWB-2345 is booked',
    description: 'kim@example.com will get an email.',
  });
});

test('known customers that cannot be loaded leave the form usable, and say so', async () => {
  wire.fail('search_customers', 500);
  await openForm();
  await fill(screen.getByLabelText('Name'), 'kim');
  expect(await screen.findByText('Known customers could not be loaded. Type the details instead.')).toBeTruthy();
});

test('a free booking has no price of its own', async () => {
  await openForm();
  await fill(screen.getByLabelText('Price in dollars (optional)'), 'x');
  await user.selectOptions(screen.getByLabelText('Payment'), 'Free');
  expect(screen.queryByLabelText(/^Price/)).toBeNull();
});

/** The server's answer for the same two hours on three Wednesdays, the second of which is taken. */
const WEEKS = ['2031-03-05', '2031-03-12', '2031-03-19'].map((date, index) => ({
  date,
  startTime: `${date}T07:00:00.000Z`,
  endTime: `${date}T09:00:00.000Z`,
  problem: index === 1 ? ('taken' as const) : null,
  total: index === 1 ? null : 98,
}));

test('hours are booked for some weeks without the dates that are taken, as one series with one link', async () => {
  wire.answer('quote-series', { dates: WEEKS, total: 196 });
  wire.answer('staff-create-booking', {
    bookingId: BOOKING,
    reference: 'NEWB-2345',
    status: 'pending',
    url: 'https://pay.example.com',
  });
  await openForm();
  await user.selectOptions(screen.getByLabelText('Repeat weekly'), '3 weeks');
  expect(await screen.findByRole('group', { name: '2 of 3 dates are free. Sydney time' })).toBeTruthy();
  expect(wire.sent('quote-series')).toEqual([
    {
      studioId: STUDIO_A,
      startTime: '2031-03-05T07:00:00.000Z',
      endTime: '2031-03-05T09:00:00.000Z',
      weeks: 3,
      couponCode: null,
    },
  ]);
  expect(screen.getByText('2 dates: $196 from the price list.')).toBeTruthy();
  expect(screen.getByLabelText('Price per date in dollars (optional)')).toBeTruthy();
  await fill(screen.getByLabelText('Name'), 'Kim Caller');
  await fill(screen.getByLabelText('Email'), 'kim@example.com');
  await user.click(screen.getByRole('button', { name: 'Book 2 dates' }));
  expect(
    await screen.findByText(/^NEWB-2345 and 1 more are held until they are paid\. We emailed the payment link to kim@/),
  ).toBeTruthy();
  expect(created()[0]).toMatchObject({
    startTime: '2031-03-05T07:00:00.000Z',
    series: { dates: ['2031-03-05', '2031-03-19'] },
  });
});

test('a series whose first date is taken is not booked, and the page says what to do', async () => {
  const dates = WEEKS.map((week, index) => (index === 0 ? { ...week, problem: 'taken' as const, total: null } : week));
  wire.answer('quote-series', { dates, total: 98 });
  await openForm();
  await user.selectOptions(screen.getByLabelText('Repeat weekly'), '3 weeks');
  expect(await screen.findByText('The first date is not available. Go back and choose other hours.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Book' })).toHaveProperty('disabled', true);
});

test('with too few dates the hours are booked once, and nothing is booked while the dates are unknown', async () => {
  wire.fail('quote-series', 500);
  wire.answer('staff-create-booking', { bookingId: BOOKING, reference: 'NEWB-2345', status: 'confirmed' });
  const onDone = vi.fn();
  await openForm(onDone);
  await user.selectOptions(screen.getByLabelText('Repeat weekly'), '3 weeks');
  expect(screen.getByRole('button', { name: 'Book' })).toHaveProperty('disabled', true);
  expect(await screen.findByText('The dates could not be loaded.', undefined, { timeout: 5_000 })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Book' })).toHaveProperty('disabled', true);
  wire.answer('quote-series', { dates: WEEKS, total: 196 });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await user.click(await screen.findByRole('checkbox', { name: /^Wed 19 Mar 2031/ }));
  expect(screen.getByText(/so only these hours will be booked\.$/)).toBeTruthy();
  await fill(screen.getByLabelText('Name'), 'Kim Caller');
  await fill(screen.getByLabelText('Email'), 'kim@example.com');
  await user.click(screen.getByRole('button', { name: 'Book' }));
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('NEWB-2345'));
  expect(created()[0]).not.toHaveProperty('series');
});

test.each([
  ['paid for', 'confirmed', 'NEWB-2345 is booked', 'kim@example.com will get an email.'],
  ['released', 'cancelled', 'NEWB-2345 is already released', 'These hours are no longer held.'],
  ['processed', 'pending', 'NEWB-2345 is held', 'The payment is being processed.'],
] as const)(
  'a link that is sent again and was %s meanwhile is not called mailed',
  async (_case, status, title, description) => {
    wire.answer('staff-create-booking', { bookingId: BOOKING, reference: 'NEWB-2345', status });
    const onDone = vi.fn();
    await openForm(onDone);
    await fill(screen.getByLabelText('Name'), 'Kim Caller');
    await fill(screen.getByLabelText('Email'), 'kim@example.com');
    await user.click(screen.getByRole('button', { name: 'Book' }));
    await waitFor(() => expect(onDone).toHaveBeenCalledWith('NEWB-2345'));
    expect(toast).toHaveBeenCalledWith({ title, description });
  },
);
