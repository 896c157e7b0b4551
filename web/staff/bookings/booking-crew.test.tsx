import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type * as data from '#web/data/bookings/crew.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { BookingCrew } from './booking-crew.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));

const guest = (id: string, state: data.CrewMember['state'], name: string | null) => ({
  id,
  booking_id: 'b',
  state,
  name,
  invited_at: new Date('2031-03-01T00:00:00Z'),
  saw_shared_code: false,
});

test('staff see who was invited, joined and taken back, and after a failure another try', async () => {
  wire.fail('booking_crew', 500);
  renderPart(<BookingCrew bookingId="b" />);
  expect(await screen.findByText('The crew could not be loaded.')).toBeTruthy();
  wire.answerRows('booking_crew', [
    guest('1', 'joined', 'Sam'),
    guest('2', 'invited', null),
    guest('3', 'revoked', 'Jo'),
  ]);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  const crew = await screen.findByRole('region', { name: 'Crew' });
  expect(
    within(crew)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual([
    'SamJoinedinvited Sat 1 Mar 2031, 11 am',
    'No name yetInvitedinvited Sat 1 Mar 2031, 11 am',
    'JoTaken backinvited Sat 1 Mar 2031, 11 am',
  ]);
});

test('a booking without a crew shows nothing', async () => {
  wire.answerRows('booking_crew', []);
  renderPart(<BookingCrew bookingId="b" />, { sibling: <p>beside</p> });
  expect(await screen.findByText('beside')).toBeTruthy();
  await wire.expectRequests('booking_crew', 1);
  expect(screen.queryByRole('region', { name: 'Crew' })).toBeNull();
});
