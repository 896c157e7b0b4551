import { screen, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { answerTaken } from '#web/data/testing/taken-hours.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { DayPicker } from './day-picker.tsx';

/** A Monday. It is noon in Sydney. */
const TODAY = '2026-11-23';
// Import the calendar first, so that waiting for it does not time out on a busy machine.
beforeAll(async () => void (await import('./calendar.tsx')), 30_000);
beforeEach(() => {
  vi.setSystemTime('2026-11-23T01:00:00Z');
  const all = { start: new Date('2026-11-23T13:00:00Z'), end: new Date('2026-11-24T13:00:00Z') };
  answerTaken({ a: [{ ...all, status: 'confirmed', mine: false }] });
});
afterEach(() => void vi.useRealTimers());

function Picker({ rooms = ['a'], flat = true }: { rooms?: readonly string[]; flat?: boolean }) {
  const [date, setDate] = useState(TODAY);
  return <DayPicker studioIds={rooms} today={TODAY} date={date} flat={flat} onDay={setDate} />;
}
const strip = () => screen.getByRole('list', { name: 'Days' });
const day = (name: RegExp | string) => within(strip()).getByRole('button', { name });
const chosen = () => within(strip()).getByRole('button', { pressed: true }).getAttribute('aria-label');

test('the row of days says how much of each day is free, in all its rooms together', async () => {
  const { rerender } = renderPart(<Picker />);
  expect(chosen()).toBe('Monday 23 November 2026, today');
  await screen.findByLabelText('Monday 23 November 2026, today, 12 hours free');
  day('Tuesday 24 November 2026, no hours free');
  rerender(<Picker rooms={['a', 'b']} />);
  await screen.findByLabelText('Tuesday 24 November 2026, 24 hours free');
  day('Monday 23 November 2026, today, 24 hours free');
  // The counted days do not fit into one answer, so each room is read in two parts.
  const studios = wire.sentTo('bookings').map(({ search }) => search.get('studio_id'));
  expect(studios).toEqual(['eq.a', 'eq.a', 'eq.b', 'eq.b']);
});

test('arrow keys walk along the days, Enter chooses one, and only the chosen one is reached with Tab', async () => {
  renderPart(<Picker />);
  await user.tab();
  expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^Monday 23/);
  await user.keyboard('{ArrowRight}{ArrowDown}{Enter}');
  expect(chosen()).toMatch(/^Tuesday 1 December/);
  expect(day(/^Monday 23/).tabIndex).toBe(-1);
  await user.keyboard('{End}{Home}{Enter}');
  expect(chosen()).toMatch(/^Monday 23/);
});

test('the row opens to the month; a day beyond the row is chosen there, and the month folds away with the focus on its button', async () => {
  renderPart(<Picker />);
  const month = screen.getByRole('button', { name: 'Month' });
  await user.click(month);
  await user.click(await screen.findByRole('button', { name: /next month/i }));
  await user.click(screen.getByRole('button', { name: /December 29th, 2026/ }));
  expect(screen.queryByRole('grid')).toBeNull();
  expect(document.activeElement).toBe(month);
  expect(chosen()).toMatch(/^Tuesday 29 December/);
});

test('on a wide screen the month is always shown', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    () => ({ matches: true, addEventListener: vi.fn(), removeEventListener: vi.fn() }) as unknown as MediaQueryList,
  );
  renderPart(<Picker flat={false} />);
  await screen.findByRole('grid');
  expect(screen.queryByRole('list', { name: 'Days' })).toBeNull();
});
