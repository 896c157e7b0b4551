import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { CustomerMessages } from './customer-messages.tsx';
import * as queries from './message-queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock(import('./message-queries.ts'), async (original) => ({
  ...(await original()),
  readCustomerMessages: vi.fn(),
  writeCustomer: vi.fn(),
}));
const calls = vi.mocked(queries);
const MAIL: queries.CustomerMessage = {
  id: 'm',
  kind: 'mail.booking-confirmed',
  subject: null,
  body: null,
  reference: 'ABCD-2345',
  made_by: null,
  at: '2031-03-03T00:00:00Z',
  sent_at: '2031-03-03T00:00:00Z',
  problem: null,
  closed: false,
};
beforeEach(() => {
  vi.resetAllMocks();
  calls.readCustomerMessages.mockResolvedValue([]);
});
const press = (name: string) => user.click(screen.getByRole('button', { name }));

test('each mail has its title, time and state, and a problem its words', async () => {
  const waiting = { ...MAIL, sent_at: null };
  calls.readCustomerMessages.mockResolvedValue([
    MAIL,
    { ...waiting, id: 'w' },
    { ...waiting, id: 't', problem: 'mail: smtp_451' },
    {
      ...waiting,
      id: 'c',
      kind: 'mail.customer',
      subject: 'Your bag',
      body: 'We found it.',
      made_by: 'Sam',
      reference: null,
      problem: 'The mail server refused the address.',
      closed: true,
    },
  ]);
  renderPart(<CustomerMessages userId="a" />);
  expect(await screen.findAllByText('Booking confirmation email')).toHaveLength(3);
  for (const words of ['Sent', 'Waiting', 'Trying again', 'Not sent', 'Your bag', 'We found it.', 'mail: smtp_451'])
    expect(screen.getByText(words)).toBeTruthy();
  expect(screen.getAllByText('Mon 3 Mar 2031, 11 am (Sydney time), ABCD-2345')).toHaveLength(3);
  expect(screen.getByText('Mon 3 Mar 2031, 11 am (Sydney time), Email from staff, by Sam')).toBeTruthy();
});

test('no mails say so, and a failure offers another try', async () => {
  calls.readCustomerMessages.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0)).mockResolvedValue([]);
  renderPart(<CustomerMessages userId="a" />);
  expect(await screen.findByText('The emails could not be loaded.')).toBeTruthy();
  await press('Try again');
  expect(await screen.findByText('No emails yet.')).toBeTruthy();
});

test('an email is written with a preview, and another try after a lost answer is the same email', async () => {
  renderPart(<CustomerMessages userId="a" />);
  await press('Write an email');
  expect(document.activeElement).toBe(screen.getByLabelText('Subject'));
  await press('Send');
  expect((await screen.findByRole('alert')).textContent).toBe('Write a subject');
  await fill(screen.getByLabelText('Subject'), 'Your bag');
  await fill(screen.getByLabelText('Text'), 'We found it.');
  expect(screen.getByRole('region', { name: 'Preview' }).textContent).toBe('Your bagWe found it.');
  calls.writeCustomer.mockRejectedValueOnce(new TypeError('Failed to fetch')).mockResolvedValueOnce(null);
  await press('Send');
  expect(await screen.findByText('The email was not sent. Check your connection.')).toBeTruthy();
  await press('Send');
  await waitFor(() => expect(toast).toHaveBeenLastCalledWith({ title: 'Email on its way', description: 'Your bag' }));
  const [first, second] = calls.writeCustomer.mock.calls;
  expect(second?.[0]).toEqual({
    userId: 'a',
    messageId: expect.any(String),
    subject: 'Your bag',
    body: 'We found it.',
  });
  expect(first).toEqual(second);
  expect(screen.queryByLabelText('Subject')).toBeNull();
});
