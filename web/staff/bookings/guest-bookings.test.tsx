import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { GuestBookings } from './guest-bookings.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
const BOOKING = {
  id: 'b',
  reference: 'ABCD-2345',
  studio_name: 'Studio A',
  start_time: '2031-03-02T22:00:00Z',
  end_time: '2031-03-03T00:00:00Z',
  status: 'pending',
  final_cost: 118,
  guest_name: 'Kim Caller',
  guest_email: 'kim@example.com',
  contact_phone: '+61400000000',
};
test('bookings without an account have who booked, when, and a link that opens them', async () => {
  wire.answerRows('search_guest_bookings', [BOOKING, { ...BOOKING, id: 'c', status: 'cancelled', guest_name: null }]);
  renderPart(<GuestBookings words="kim" />, { path: '/admin?tab=customers&q=kim' });
  expect(await screen.findByText('Kim Caller')).toBeTruthy();
  expect(wire.sentTo('search_guest_bookings')).toMatchObject([{ body: { words: 'kim' } }]);
  for (const words of ['Awaiting payment', 'Cancelled', 'No name']) expect(screen.getByText(words)).toBeTruthy();
  for (const words of ['kim@example.com, +61400000000', 'Monday 3 March 2031, 9 am to 11 am', '$118'])
    expect(screen.getAllByText(words)).toHaveLength(2);
  const [link] = screen.getAllByRole('link', { name: 'ABCD-2345' });
  expect(link?.getAttribute('href')).toBe('/admin?tab=customers&q=kim&booking=ABCD-2345');
});

test('no result says so, and a failed search offers another try', async () => {
  wire.fail('search_guest_bookings', 500);
  renderPart(<GuestBookings words="x" />);
  await screen.findByRole('button', { name: 'Try again' });
  wire.answerRows('search_guest_bookings', []);
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No bookings without an account match.')).toBeTruthy();
});
