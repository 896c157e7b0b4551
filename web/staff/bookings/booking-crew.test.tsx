import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import * as data from '#web/data/bookings/crew.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { BookingCrew } from './booking-crew.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock('#web/data/bookings/crew.ts', () => ({ readCrew: vi.fn() }));
const readCrew = vi.mocked(data.readCrew);
beforeEach(() => void vi.resetAllMocks());

const guest = (id: string, state: data.CrewMember['state'], name: string | null): data.CrewMember => ({
  id,
  bookingId: 'b',
  state,
  name,
  invitedAt: new Date('2031-03-01T00:00:00Z'),
  sawShared: false,
});

test('staff see who was invited, joined and taken back, and after a failure another try', async () => {
  readCrew.mockRejectedValueOnce(new Error('no'));
  renderPart(<BookingCrew bookingId="b" />);
  expect(await screen.findByText('Who else comes could not be loaded.')).toBeTruthy();
  readCrew.mockResolvedValue([guest('1', 'joined', 'Sam'), guest('2', 'invited', null), guest('3', 'revoked', 'Jo')]);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  const crew = await screen.findByRole('region', { name: 'Crew' });
  expect(
    within(crew)
      .getAllByRole('listitem')
      .map((one) => one.textContent),
  ).toEqual([
    'SamJoinedinvited Sat 1 Mar 2031, 11 am',
    'No name yetInvitedinvited Sat 1 Mar 2031, 11 am',
    'JoTaken backinvited Sat 1 Mar 2031, 11 am',
  ]);
});

test('a booking without a crew shows nothing', async () => {
  readCrew.mockResolvedValue([]);
  renderPart(<BookingCrew bookingId="b" />, { beside: <p>beside</p> });
  expect(await screen.findByText('beside')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Crew' })).toBeNull();
});
