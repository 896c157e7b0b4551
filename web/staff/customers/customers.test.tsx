import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { Customers } from './customers.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
const ALEX: queries.Customer = {
  user_id: '11111111-1111-4111-8111-111111111111',
  full_name: 'Alex Citizen',
  email: 'alex@example.com',
  phone: '+61400000000',
  created_at: '2031-03-01T00:00:00Z',
  verified_until: '2032-03-01T00:00:00Z',
  bookings: 2,
  paid: 118,
  refunded: 12.34,
  block_reason: null,
  blocked_until: null,
};
const BOOKING = {
  id: 'b',
  reference: 'ABCD-2345',
  studio_name: 'Studio A',
  start_time: '2031-03-02T22:00:00Z',
  end_time: '2031-03-03T00:00:00Z',
  status: 'confirmed',
  final_cost: 59,
};
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('search_customers', [ALEX]);
  wire.answerRows('bookings', [BOOKING]);
  wire.answer('staff-block-customer', { blocked: true, bookings: [], left: 0 });
  wire.answerRows('customer_identities', [{ date_of_birth: '1990-02-03', address: '1 Example Street' }]);
  wire.answerRows('customer_notes', []);
});
const dialog = () => within(screen.getByRole('dialog'));
async function open(): Promise<void> {
  renderPart(<Customers words="" mayIdentify mayRefund messages={() => <p>Mails</p>} guests={<p>Guests</p>} />, {
    path: '/admin?tab=customers&q=a',
  });
  await user.click(await screen.findByRole('button', { name: 'Open Alex Citizen' }));
  expect(screen.queryByText('Guests')).toBeNull();
}

test('the words of the address are searched among customers and among bookings without an account', async () => {
  renderPart(
    <Customers words="alex" mayIdentify={false} mayRefund messages={() => <p>Mails</p>} guests={<p>Guests</p>} />,
  );
  await screen.findByRole('button', { name: 'Open Alex Citizen' });
  expect(wire.sentTo('search_customers')).toMatchObject([{ body: { words: 'alex' } }]);
  expect(screen.getByText('Guests')).toBeTruthy();
});

test('no result says so, and a failed search offers another try', async () => {
  wire.fail('search_customers', 500);
  renderPart(
    <Customers words="x" mayIdentify={false} mayRefund messages={() => <p>Mails</p>} guests={<p>Guests</p>} />,
  );
  expect(await screen.findByText('The customers could not be loaded.')).toBeTruthy();
  wire.answerRows('search_customers', []);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No customers with an account match.')).toBeTruthy();
});

test('a customer has contact, ID, money and bookings', async () => {
  await open();
  for (const words of ['alex@example.com', '+61400000000', 'Verified until Mon 1 Mar 2032', '$118', '$12.34'])
    expect(dialog().getByText(words)).toBeTruthy();
  expect(await dialog().findByText(/: Studio A, Monday 3 March 2031, 9 am to 11 am, \$59/)).toBeTruthy();
  const link = dialog().getByRole('link', { name: 'ABCD-2345' });
  expect(link.getAttribute('href')).toBe('/admin?tab=customers&q=a&booking=ABCD-2345');
  expect(dialog().getByText('confirmed')).toBeTruthy();
});

test('staff with the permission for IDs see birth date, address and ID of a customer; other staff see none of them', async () => {
  await open();
  expect(await dialog().findByText('1 Example Street')).toBeTruthy();
  expect(dialog().getByText('Sat 3 Feb 1990')).toBeTruthy();
  cleanup();
  const identities = wire.sentTo('customer_identities').length;
  renderPart(<Customers words="" mayIdentify={false} mayRefund messages={() => <p>Mails</p>} guests={<p>Guests</p>} />);
  await user.click(await screen.findByRole('button', { name: 'Open Alex Citizen' }));
  expect(await dialog().findByText('alex@example.com')).toBeTruthy();
  for (const name of ['ID', 'Born', 'Address']) expect(dialog().queryByText(name)).toBeNull();
  expect(wire.sentTo('customer_identities')).toHaveLength(identities);
});

test('a customer is blocked with a reason, for good or to the end of a day', async () => {
  await open();
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  expect(await dialog().findByText('Enter a reason for your colleagues.')).toBeTruthy();
  expect(wire.sent('staff-block-customer')).toEqual([]);
  await fill(dialog().getByLabelText('Reason'), 'Noise');
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  const block = { userId: ALEX.user_id, reason: 'Noise', until: null, bookings: 'later' } as const;
  await wire.expectSent('staff-block-customer', block);
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Customer blocked', description: 'Alex Citizen' }));
  await wire.expectRequests('search_customers', 2);
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  await fill(dialog().getByLabelText('Reason'), 'Noise');
  await fill(dialog().getByLabelText('Last day'), '2031-03-31');
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  await wire.expectSent('staff-block-customer', block, { ...block, until: '2031-03-31T13:00:00.000Z' });
});

test('a block lists the paid bookings that are not over, asks what happens to them, and says how many are left', async () => {
  const paid = { ...BOOKING, start_time: '2999-03-02T22:00:00Z', end_time: '2999-03-03T00:00:00Z' };
  wire.answerRows('bookings', [
    { ...paid, reference: 'PAID-2345' },
    { ...paid, id: 'c', reference: 'GONE-2345', status: 'cancelled' },
    {
      ...BOOKING,
      id: 'd',
      reference: 'OVER-2345',
      start_time: '2021-03-02T22:00:00Z',
      end_time: '2021-03-03T00:00:00Z',
    },
  ]);
  wire.answer('staff-block-customer', { blocked: true, bookings: [], left: 1 });
  await open();
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  expect(await dialog().findByText(/^PAID-2345, Studio A, /)).toBeTruthy();
  expect(dialog().queryByText(/GONE-2345|OVER-2345/)).toBeNull();
  await fill(dialog().getByLabelText('Reason'), 'Noise');
  await user.selectOptions(dialog().getByLabelText('Paid bookings'), 'Cancel them, with full refunds');
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  await wire.expectSent('staff-block-customer', {
    userId: ALEX.user_id,
    reason: 'Noise',
    until: null,
    bookings: 'refund',
  });
  await waitFor(() =>
    expect(toast).toHaveBeenCalledWith({
      title: 'Customer blocked',
      description: '1 paid booking remains. Decide on Today.',
      tone: 'warn',
    }),
  );
});

test('a block offers no choice about paid bookings while they load, and says what happens to them when they cannot be loaded', async () => {
  wire.fail('bookings', 500);
  const release = wire.pause('bookings');
  renderPart(<Customers words="" mayIdentify mayRefund messages={() => null} guests={<p>Guests</p>} />);
  await user.click(await screen.findByRole('button', { name: 'Open Alex Citizen' }));
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  expect(await dialog().findByLabelText('Loading the paid bookings')).toBeTruthy();
  expect(dialog().queryByLabelText('Paid bookings')).toBeNull();
  release();
  expect(await dialog().findByText(/could not be loaded\. They stay/)).toBeTruthy();
  expect(dialog().queryByLabelText('Paid bookings')).toBeNull();
});

test('a block asks nothing about bookings where none is paid, and staff without money do not refund beyond the terms', async () => {
  wire.answerRows('bookings', []);
  const { unmount } = renderPart(
    <Customers words="" mayIdentify mayRefund={false} messages={() => null} guests={<p>Guests</p>} />,
  );
  await user.click(await screen.findByRole('button', { name: 'Open Alex Citizen' }));
  expect(await dialog().findByText('No bookings.')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  expect(dialog().queryByLabelText('Paid bookings')).toBeNull();
  unmount();
  wire.answerRows('bookings', [{ ...BOOKING, end_time: '2999-03-03T00:00:00Z' }]);
  renderPart(<Customers words="" mayIdentify mayRefund={false} messages={() => null} guests={<p>Guests</p>} />);
  await user.click(await screen.findByRole('button', { name: 'Open Alex Citizen' }));
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  const choices = await dialog().findByLabelText<HTMLSelectElement>('Paid bookings');
  expect([...choices.options].map(({ text }) => text)).toEqual([
    'Decide about each booking on Today',
    'Keep them, with working codes',
    'Cancel them, with refunds by their terms',
  ]);
});

test('a refused block says why and stays open', async () => {
  wire.refuse('staff-block-customer', 'not_found');
  await open();
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  await fill(dialog().getByLabelText('Reason'), 'Noise');
  await user.click(dialog().getByRole('button', { name: 'Block customer' }));
  expect(await dialog().findByText('Customer not found')).toBeTruthy();
});

test('a blocked customer is marked, with reason and end, and can be unblocked', async () => {
  wire.answerRows('search_customers', [{ ...ALEX, block_reason: 'Noise', blocked_until: '2031-03-31T13:00:00Z' }]);
  await open();
  expect(screen.getAllByText('Blocked')).toHaveLength(1);
  expect(dialog().getByText('Noise')).toBeTruthy();
  expect(dialog().getByText('Blocked until Tuesday 1 April 2031, 12 am')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Unblock customer' }));
  await wire.expectSent('staff-unblock-customer', { userId: ALEX.user_id });
  await wire.expectRequests('search_customers', 2);
});

test('a verified ID is withdrawn with a reason for the customer, by who may decide about IDs', async () => {
  await open();
  const press = () => user.click(dialog().getByRole('button', { name: 'Withdraw ID' }));
  await press();
  await press();
  expect(await screen.findByText('Enter a reason for the customer.')).toBeTruthy();
  expect(wire.sent('staff-withdraw-id')).toEqual([]);
  await fill(screen.getByLabelText('Reason (included in the customer’s email)'), 'Not your photo');
  await press();
  await wire.expectSent('staff-withdraw-id', { userId: ALEX.user_id, reason: 'Not your photo' });
  expect(await screen.findByRole('button', { name: 'Withdraw ID' })).toBeTruthy();
});

test('notes say who wrote them and when; a note is added, and another try after a lost answer is the same note', async () => {
  wire.answerRows('customer_notes', [
    { id: 'n', note: 'Left a bag.', made_by: 'Sam', created_at: '2031-03-03T00:00:00Z' },
  ]);
  await open();
  expect(await dialog().findByText('Left a bag.')).toBeTruthy();
  expect(dialog().getByText('Sam, Mon 3 Mar 2031, 11 am (Sydney time)')).toBeTruthy();
  expect(dialog().getByText('Mails')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Add note' }));
  expect(await dialog().findByText('Enter a note.')).toBeTruthy();
  await fill(dialog().getByLabelText('New note'), ' Came for the bag. ');
  wire.fail('add_customer_note', 0);
  await user.click(dialog().getByRole('button', { name: 'Add note' }));
  expect(await dialog().findByText('The note was not saved. Check your connection.')).toBeTruthy();
  wire.answerRows('add_customer_note', true);
  await user.click(dialog().getByRole('button', { name: 'Add note' }));
  await wire.expectRequests('customer_notes', 3);
  const [first, second] = wire.sentTo('add_customer_note').map(({ body }) => body);
  expect(second).toEqual({ note_id: expect.any(String), customer: ALEX.user_id, note: 'Came for the bag.' });
  expect(first).toEqual(second);
  expect(dialog().getByLabelText<HTMLTextAreaElement>('New note').value).toBe('');
});

test('notes that could not be loaded offer another try', async () => {
  wire.fail('customer_notes', 500);
  await open();
  expect(await dialog().findByText('The notes could not be loaded.')).toBeTruthy();
  wire.answerRows('customer_notes', []);
  await user.click(dialog().getByRole('button', { name: 'Try again' }));
  expect(await dialog().findByText('No notes yet.')).toBeTruthy();
});
