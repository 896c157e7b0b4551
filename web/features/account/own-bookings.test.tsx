import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useWaitlist } from '#web/data/finding/waitlist.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { OwnBookings } from './own-bookings.tsx';

vi.mock(import('#web/data/own-bookings.ts'), async (original) => ({
  ...(await original()),
  // Cast: the list reads nothing else of the query.
  useOwnBookings: () => ({ data: [] }) as never,
}));
vi.mock('#web/data/finding/waitlist.ts', () => ({ useWaitlist: vi.fn() }));

const HELD = { claimUntil: new Date(Date.now() + 600_000) };
test.each([
  ['while the wait list is read', { isPending: true, data: undefined }, false],
  ['while hours are held for the customer', { isPending: false, data: [HELD] }, false],
  ['after the hold has ended', { isPending: false, data: [{ claimUntil: new Date(0) }] }, true],
  ['when nothing is waited for', { isPending: false, data: [] }, true],
  ['when the wait list cannot be read', { isPending: false, data: undefined }, true],
])('%s the list says "No bookings yet": only if nothing can be held', (_when, waitlist, isSaid) => {
  vi.mocked(useWaitlist).mockReturnValue(waitlist as never);
  renderPart(<OwnBookings userId="u" />);
  expect(screen.queryByText('No bookings yet') !== null).toBe(isSaid);
});
