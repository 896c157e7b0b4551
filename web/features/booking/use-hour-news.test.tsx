import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Slot } from '#rules/slots.ts';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { NewsLine } from '#web/lib/business/news-line.tsx';
import { useHourNews } from './use-hour-news.ts';

const DAY = '2026-11-21';
const FRIDAY = new Date('2026-11-20T04:00:00Z');
const NOTHING: readonly Slot[] = [];
const span = (from: number, to: number, mine = false): Taken => ({
  start: slotStart(DAY, from) ?? FRIDAY,
  end: slotEnd(DAY, to),
  status: 'confirmed',
  mine,
});
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CHECKED = new Date('2026-11-20T04:00:00Z');

function Hours({
  taken,
  date = DAY,
  lost = NOTHING,
}: {
  taken?: readonly Taken[];
  date?: string;
  lost?: readonly Slot[];
}) {
  const { marked, sentence } = useHourNews({ studioId: 'a', date, taken, lost, now: FRIDAY });
  return (
    <>
      <NewsLine sentence={sentence} live unsure={false} checkedAt={CHECKED} />
      <output aria-label="Marked">{marked.join()}</output>
    </>
  );
}
const announced = () => screen.getAllByRole('status')[0]?.textContent;
const marked = () => screen.getByLabelText('Marked').textContent;
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('hours that others take are marked at once and announced in one sentence, which goes after a while', async () => {
  const { rerender } = renderPart(<Hours taken={[]} />);
  rerender(<Hours taken={[span(19, 19)]} />);
  expect([marked(), announced()]).toEqual(['19', '']);
  await wait(600);
  rerender(<Hours taken={[span(19, 20)]} />);
  await wait(600);
  // A later answer without changes does not announce anything again.
  rerender(<Hours taken={[span(19, 20)]} />);
  await wait(700);
  expect([marked(), announced()]).toEqual(['19,20', 'Just taken: 7 pm to 9 pm.']);
  rerender(<Hours taken={[]} />);
  await wait(1_300);
  expect([marked(), announced()]).toEqual(['19,20', 'Free again: 7 pm to 9 pm.']);
  await wait(8_000);
  expect([marked(), announced()]).toEqual(['', '']);
});

test('neither the first answer, another day nor own bookings are news', async () => {
  const { rerender } = renderPart(<Hours />);
  rerender(<Hours taken={[span(9, 10)]} />);
  rerender(<Hours date="2026-11-22" taken={[]} />);
  rerender(<Hours taken={[]} />);
  rerender(<Hours taken={[span(12, 13, true)]} />);
  await wait(2_000);
  expect([marked(), announced()]).toEqual(['', '']);
});

test('lost hours of the selection are marked, but announced elsewhere', async () => {
  const { rerender } = renderPart(<Hours taken={[]} />);
  rerender(<Hours taken={[span(19, 20)]} lost={[{ date: DAY, hour: 19 }]} />);
  await wait(2_000);
  expect([marked(), announced()]).toEqual(['19,20', 'Just taken: 8 pm to 9 pm.']);
});
