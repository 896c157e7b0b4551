import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { CustomerMessages } from './customer-messages.tsx';
import type * as queries from './message-queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
const CUSTOMER = '11111111-1111-4111-8111-111111111111';
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
  wire.answerRows('customer_messages', []);
});
const press = (name: string) => user.click(screen.getByRole('button', { name }));

test('each mail has its title, time and state, and a problem its words', async () => {
  const waiting = { ...MAIL, sent_at: null };
  wire.answerRows('customer_messages', [
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
  renderPart(<CustomerMessages userId={CUSTOMER} />);
  expect(await screen.findAllByText('Booking confirmation email')).toHaveLength(3);
  for (const words of ['Sent', 'Queued', 'Retrying', 'Not sent', 'Your bag', 'We found it.', 'mail: smtp_451'])
    expect(screen.getByText(words)).toBeTruthy();
  expect(screen.getAllByText('Mon 3 Mar 2031, 11 am (Sydney time), ABCD-2345')).toHaveLength(3);
  expect(screen.getByText('Mon 3 Mar 2031, 11 am (Sydney time), Email from staff, by Sam')).toBeTruthy();
});

test('no mails say so, and a failure offers another try', async () => {
  wire.fail('customer_messages', 500);
  renderPart(<CustomerMessages userId={CUSTOMER} />);
  expect(await screen.findByText('The emails could not be loaded.')).toBeTruthy();
  wire.answerRows('customer_messages', []);
  await press('Try again');
  expect(await screen.findByText('No emails yet.')).toBeTruthy();
});

test('an email is written with a preview, and another try after a lost answer is the same email', async () => {
  renderPart(<CustomerMessages userId={CUSTOMER} />);
  await press('Write email');
  expect(document.activeElement).toBe(screen.getByLabelText('Subject'));
  await press('Send email');
  expect((await screen.findByRole('alert')).textContent).toBe('Write a subject');
  await fill(screen.getByLabelText('Subject'), 'Your bag');
  await fill(screen.getByLabelText('Text'), 'We found it.');
  expect(screen.getByRole('region', { name: 'Preview' }).textContent).toBe('Your bagWe found it.');
  wire.fail('staff-write-customer', 500, '');
  await press('Send email');
  expect(await screen.findByText('The email was not sent. Check your connection.')).toBeTruthy();
  wire.answer('staff-write-customer', wire.exampleFrom('staff-write-customer'));
  await press('Send email');
  await waitFor(() => expect(toast).toHaveBeenLastCalledWith({ title: 'Email queued', description: 'Your bag' }));
  const [first, second] = wire.sent('staff-write-customer');
  expect(second).toEqual({
    userId: CUSTOMER,
    messageId: expect.any(String),
    subject: 'Your bag',
    body: 'We found it.',
  });
  expect(first).toEqual(second);
  await wire.expectRequests('customer_messages', 3);
  expect(screen.queryByLabelText('Subject')).toBeNull();
});
