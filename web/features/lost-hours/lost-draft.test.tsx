import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import { createDraft } from '#web/data/drafts/booking-draft.ts';
import * as connection from '#web/data/live.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { answerTaken } from '#web/data/testing/taken-hours.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { LostDraft } from './lost-draft.tsx';
import { useLostDraft } from './use-lost-draft.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({
  useLive: vi.fn(),
  pollWhile: (live: boolean, ms: number) => (live ? 60_000 : ms),
}));
const { useLive } = vi.mocked(connection);

const DAY = '2026-11-21';
const NOON = new Date('2026-11-20T01:00:00Z'); // the day before
const studio = { id: 'a', name: 'Studio A', rates: specifiedRates };
const draft = createDraft(studio, [
  { date: DAY, hour: 19 },
  { date: DAY, hour: 20 },
]);
const taken = (hour: number, more: Partial<Taken> = {}): Taken => ({
  start: slotStart(DAY, hour) ?? NOON,
  end: slotEnd(DAY, hour),
  status: 'confirmed',
  mine: false,
  ...more,
});
const answer = (...list: readonly Taken[]): void => answerTaken({ a: list }, 'me');

beforeEach(() => {
  vi.useFakeTimers({ now: NOON, toFake: ['Date', 'setInterval', 'clearInterval'] });
  vi.mocked(toast).mockClear();
  useLive.mockReset().mockReturnValue(false);
});
afterEach(() => void vi.useRealTimers());

function Checkout({ paused = false }: { paused?: boolean }) {
  const state = useLostDraft({ draft, userId: 'me', paused });
  return <LostDraft state={state} studios={[studio]} userId="me" onTake={vi.fn()} />;
}
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const lost = () => screen.queryByRole('region', { name: 'Lost hours' });

test('without a connection hours that somebody else takes are noticed by reading again, said at once, and said again when they are free', async () => {
  answer();
  const { settled } = renderPart(<Checkout />);
  await settled();
  expect(lost()).toBeNull();
  answer(taken(20));
  await wait(10_100);
  await settled();
  expect(lost()?.textContent).toContain('Someone else has just booked 8 pm on 21 Nov.');
  expect(toast).toHaveBeenCalledExactlyOnceWith({
    title: 'Your hours are gone',
    description: 'Someone else has just booked 8 pm on 21 Nov.',
    tone: 'warn',
  });
  answer();
  await wait(10_100);
  await settled();
  expect(lost()).toBeNull();
  expect(screen.getByText('Good news: the hours you chose are free again.')).toBeTruthy();
});

test('a page that receives changes asks once a minute', async () => {
  useLive.mockReturnValue(true);
  answer();
  const { settled } = renderPart(<Checkout />);
  await settled();
  await wait(59_000);
  await settled();
  expect(wire.sentTo('bookings')).toHaveLength(1);
  await wait(2_000);
  await settled();
  expect(wire.sentTo('bookings')).toHaveLength(2);
});

test('the own hold of these hours, and the time of paying, lose nothing', async () => {
  answer(taken(19, { mine: true, status: 'pending' }));
  const { rerender, settled } = renderPart(<Checkout />);
  await settled();
  expect(lost()).toBeNull();
  answer(taken(19));
  rerender(<Checkout paused />);
  await wait(30_000);
  await settled();
  expect(lost()).toBeNull();
  expect(wire.sentTo('bookings')).toHaveLength(1);
  rerender(<Checkout />);
  await settled();
  expect(lost()).not.toBeNull();
  rerender(<Checkout paused />);
  expect(lost()).toBeNull();
});
