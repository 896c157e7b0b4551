import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { callFunction } from '#web/data/fetch-client.ts';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import * as people from '#web/data/bookings/known-people.ts';
import { NewBooking } from './new-booking.tsx';
import * as queries from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock(import('./queries.ts'), async (original) => ({ ...(await original()), createBooking: vi.fn() }));
vi.mock(import('#web/data/fetch-client.ts'), async (original) => ({ ...(await original()), callFunction: vi.fn() }));
vi.mock('#web/data/bookings/known-people.ts', () => ({ readKnownPeople: vi.fn() }));
const { createBooking } = vi.mocked(queries);
const { readKnownPeople } = vi.mocked(people);
beforeEach(() => {
  vi.resetAllMocks();
  readKnownPeople.mockResolvedValue([]);
});

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
  expect(
    await screen.findByText(/^NEWB-2345 is held until it is paid\. The link is mailed to kim@example\.com\./),
  ).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Copy the link' }));
  await vi.waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Link copied' }));
  expect(await navigator.clipboard.readText()).toBe('https://pay.example.com');
  expect(onBooking).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Open the booking' }));
  expect(onBooking).toHaveBeenCalledWith('NEWB-2345');
  const [first, second] = createBooking.mock.calls.map(([sent]) => sent);
  expect(second).toEqual(first);
  expect(first).toEqual({
    studioId: 'b',
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
    await screen.findByText(/^We mail a link to pay the price of the list\. A lower price, .* need the permission/),
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
  readKnownPeople.mockResolvedValue([
    { name: 'Kim Caller', email: 'kim@example.com', phone: '+61400000000', hasAccount: true },
    { name: 'Kim Guest', email: 'guest@example.com', phone: null, hasAccount: false },
  ]);
  createBooking.mockResolvedValue({ bookingId: 'n', reference: 'NEWB-2345' });
  const onDone = vi.fn();
  await openForm(onDone);
  await fill(screen.getByLabelText('Name'), 'ki');
  await fill(screen.getByLabelText('Name'), 'kim');
  expect(await screen.findByRole('button', { name: /^Kim Guest ?guest@example\.com, no account$/ })).toBeTruthy();
  expect(readKnownPeople.mock.calls).toEqual([['kim']]);
  await user.click(screen.getByRole('button', { name: /^Kim Caller ?kim@example\.com, \+61400000000$/ }));
  expect(screen.queryByRole('group', { name: 'Known customers' })).toBeNull();
  await user.selectOptions(screen.getByLabelText('Payment'), 'Paid already, elsewhere');
  for (const price of ['98.01', '0.49', '5.555', 'x']) {
    await fill(screen.getByLabelText('Price in dollars (optional)'), price);
    await user.click(screen.getByRole('button', { name: 'Book' }));
    expect(await screen.findByText('Enter an amount from $0.50 to $98.')).toBeTruthy();
  }
  expect(createBooking).not.toHaveBeenCalled();
  await fill(screen.getByLabelText('Price in dollars (optional)'), '50');
  await user.click(screen.getByRole('button', { name: 'Book' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith('NEWB-2345'));
  expect(createBooking.mock.calls[0]?.[0]).toMatchObject({
    customerName: 'Kim Caller',
    customerEmail: 'kim@example.com',
    customerPhone: '+61400000000',
    payment: 'elsewhere',
    priceCents: 5_000,
  });
  expect(toast).toHaveBeenCalledWith({ title: 'NEWB-2345 is booked', description: 'kim@example.com gets an email.' });
});

test('known customers that cannot be loaded leave the form usable, and say so', async () => {
  readKnownPeople.mockRejectedValue(new AppError('offline', 'No connection.', 0));
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

/** What the server says of the same two hours on three Wednesdays, of which the second is taken. */
const WEEKS = ['2031-03-05', '2031-03-12', '2031-03-19'].map((date, at) => ({
  date,
  startTime: `${date}T07:00:00.000Z`,
  endTime: `${date}T09:00:00.000Z`,
  problem: at === 1 ? ('taken' as const) : null,
  total: at === 1 ? null : 98,
}));

test('hours are booked for some weeks without the dates that are taken, as one order with one link', async () => {
  const quote = vi.mocked(callFunction).mockResolvedValue({ dates: WEEKS, total: 196 });
  createBooking.mockResolvedValue({ bookingId: 'n', reference: 'NEWB-2345', url: 'https://pay.example.com' });
  await openForm();
  await user.selectOptions(screen.getByLabelText('Repeat weekly'), '3 weeks');
  expect(await screen.findByRole('group', { name: '2 of 3 dates are free. Sydney time' })).toBeTruthy();
  expect(quote.mock.calls[0]).toEqual([
    'quote-series',
    {
      studioId: 'a',
      startTime: '2031-03-05T07:00:00.000Z',
      endTime: '2031-03-05T09:00:00.000Z',
      weeks: 3,
      couponCode: null,
    },
  ]);
  expect(screen.getByText('2 dates: $196 by the price list.')).toBeTruthy();
  expect(screen.getByLabelText('Price of each date in dollars (optional)')).toBeTruthy();
  await fill(screen.getByLabelText('Name'), 'Kim Caller');
  await fill(screen.getByLabelText('Email'), 'kim@example.com');
  await user.click(screen.getByRole('button', { name: 'Book 2 dates' }));
  expect(
    await screen.findByText(/^NEWB-2345 and 1 more are held until they are paid\. The link is mailed to kim@/),
  ).toBeTruthy();
  expect(createBooking.mock.calls[0]?.[0]).toMatchObject({
    startTime: '2031-03-05T07:00:00.000Z',
    series: { dates: ['2031-03-05', '2031-03-19'] },
  });
});

test('a series whose first date is taken is not booked, and the page says what to do', async () => {
  const dates = WEEKS.map((one, at) => (at === 0 ? { ...one, problem: 'taken' as const, total: null } : one));
  vi.mocked(callFunction).mockResolvedValue({ dates, total: 98 });
  await openForm();
  await user.selectOptions(screen.getByLabelText('Repeat weekly'), '3 weeks');
  expect(await screen.findByText('The first date is not free. Go back and choose other hours.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Book' })).toHaveProperty('disabled', true);
});

test('with too few dates the hours are booked once, and nothing is booked while the dates are unknown', async () => {
  vi.mocked(callFunction).mockRejectedValue(new AppError('offline', 'No connection.', 0));
  createBooking.mockResolvedValue({ bookingId: 'n', reference: 'NEWB-2345' });
  const onDone = vi.fn();
  await openForm(onDone);
  await user.selectOptions(screen.getByLabelText('Repeat weekly'), '3 weeks');
  expect(screen.getByRole('button', { name: 'Book' })).toHaveProperty('disabled', true);
  expect(await screen.findByText('The dates could not be loaded.', undefined, { timeout: 5_000 })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Book' })).toHaveProperty('disabled', true);
  vi.mocked(callFunction).mockResolvedValue({ dates: WEEKS, total: 196 });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await user.click(await screen.findByRole('checkbox', { name: /^Wed 19 Mar 2031/ }));
  expect(screen.getByText(/so these hours are booked once\.$/)).toBeTruthy();
  await fill(screen.getByLabelText('Name'), 'Kim Caller');
  await fill(screen.getByLabelText('Email'), 'kim@example.com');
  await user.click(screen.getByRole('button', { name: 'Book' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith('NEWB-2345'));
  expect(createBooking.mock.calls[0]?.[0]).not.toHaveProperty('series');
});
