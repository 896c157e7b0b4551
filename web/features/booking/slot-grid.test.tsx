import { act, screen } from '@testing-library/react';
import { startTransition, useState } from 'react';
import { expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import { type Slot, toggleSlot } from '#rules/slots.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { extendSelection } from './selection.ts';
import { SlotGrid } from './slot-grid.tsx';

/** A Saturday. The test runs on the Friday afternoon before. */
const DAY = '2026-11-21';
const FRIDAY = new Date('2026-11-20T04:00:00Z');
const at = (hour: number): Slot => ({ date: DAY, hour });
const span = (from: string, to: string, change: Partial<Taken> = {}): Taken => ({
  start: new Date(from),
  end: new Date(to),
  status: 'confirmed',
  mine: false,
  ...change,
});
const hour = (number: number) =>
  document.querySelector<HTMLButtonElement>(`[data-hour="${number}"]`) as HTMLButtonElement;
const name = (number: number) => hour(number).getAttribute('aria-label');
const selected = () =>
  [...document.querySelectorAll('[data-state="selected"]')].map((cell) => Number(cell.getAttribute('data-hour')));

/** The grid with a selection that follows the rules of the booking page. */
function Grid({
  start = [],
  taken = [],
  now = FRIDAY,
  date = DAY,
  onCross = vi.fn(),
}: {
  start?: readonly Slot[];
  taken?: readonly Taken[];
  now?: Date;
  date?: string;
  onCross?: (step: 1 | -1, extend: boolean) => void;
}) {
  const [slots, setSlots] = useState<readonly Slot[]>(start);
  return (
    <SlotGrid
      date={date}
      rates={specifiedRates}
      selection={slots}
      taken={taken}
      now={now}
      onToggle={(slot) => setSlots(toggleSlot(slots, slot))}
      onReach={(from, to, isFree) => setSlots(extendSelection(slots, from, to, isFree))}
      onCross={onCross}
    />
  );
}

test('every state of an hour has its word, and only free and selected hours can be pressed', async () => {
  const own = { mine: true, status: 'pending' } as const;
  renderPart(
    <Grid
      now={new Date('2026-11-21T02:40:00Z')}
      start={[at(20)]}
      taken={[
        span('2026-11-21T03:00:00Z', '2026-11-21T04:00:00Z'),
        span('2026-11-21T04:00:00Z', '2026-11-21T05:00:00Z', { status: 'pending' }),
        span('2026-11-21T05:00:00Z', '2026-11-21T06:00:00Z', { ...own, processing: true }),
        span('2026-11-21T06:00:00Z', '2026-11-21T07:00:00Z', own),
        span('2026-11-21T10:00:00Z', '2026-11-21T10:30:00Z', { status: 'closed' }),
      ]}
    />,
  );
  // It is 1:40 pm in Sydney: the current hour is past after its thirtieth minute.
  expect([hour(13), hour(14).dataset['state']]).toEqual([null, 'taken']);
  await user.click(screen.getByRole('button', { name: 'Show 14 past hours' }));
  expect([12, 13, 14, 15, 16, 17, 18, 20, 21].map(name)).toEqual([
    '12 PM to 1 PM, past',
    '1 PM to 2 PM, past',
    '2 PM to 3 PM, taken',
    '3 PM to 4 PM, being paid for',
    '4 PM to 5 PM, yours, payment processing',
    '5 PM to 6 PM, 59 dollars, free',
    '6 PM to 7 PM, 69 dollars, free',
    '8 PM to 9 PM, 69 dollars, selected',
    '9 PM to 10 PM, closed',
  ]);
  const open = Array.from({ length: 24 }, (_, index) => index).filter(
    (index) => hour(index).getAttribute('aria-disabled') === 'false',
  );
  expect(open).toEqual([17, 18, 19, 20, 22, 23]);
  for (const closed of [13, 14, 15, 16]) await user.click(hour(closed));
  expect(selected()).toEqual([20]);
});

test('the hour that the clocks skip, and days that are too far ahead, cannot be chosen', () => {
  const { unmount } = renderPart(<Grid date="2026-10-04" now={new Date('2026-10-01T00:00:00Z')} />);
  expect(name(2)).toBe('2 AM to 3 AM, clocks go forward');
  unmount();
  renderPart(<Grid date="2028-01-01" />);
  expect(name(12)).toBe('12 PM to 1 PM, not open yet');
});

test('hours are added while they stay consecutive; removing one keeps the longest run', async () => {
  renderPart(<Grid />);
  for (const chosen of [19, 20, 21]) await user.click(hour(chosen));
  expect(selected()).toEqual([19, 20, 21]);
  await user.click(hour(10));
  expect(selected()).toEqual([19, 20, 21]);
  await user.click(hour(18));
  await user.click(hour(20));
  expect(selected()).toEqual([18, 19]);
});

test('a pressed hour looks selected before the page has rendered, and the next press counts it', async () => {
  const page = Promise.withResolvers<undefined>();
  const seen: (readonly Slot[])[] = [];
  function SlowPage() {
    const [slots, setSlots] = useState<readonly Slot[]>([]);
    return (
      <SlotGrid
        date={DAY}
        rates={specifiedRates}
        selection={slots}
        taken={[]}
        now={FRIDAY}
        onToggle={(slot, chosen) => {
          seen.push(chosen);
          startTransition(async () => {
            await page.promise;
            startTransition(() => setSlots((before) => toggleSlot(before, slot)));
          });
        }}
        onReach={vi.fn()}
        onCross={vi.fn()}
      />
    );
  }
  renderPart(<SlowPage />);
  await user.click(hour(10));
  expect(selected()).toEqual([10]);
  await user.click(hour(11));
  expect([selected(), seen]).toEqual([
    [10, 11],
    [[], [at(10)]],
  ]);
  await act(async () => page.resolve(undefined));
  expect(selected()).toEqual([10, 11]);
});

test('arrow keys, Home and End move the one tab stop; Enter and Space toggle', async () => {
  renderPart(<Grid start={[at(9)]} />);
  const stops = () => [...document.querySelectorAll('[tabindex="0"]')].map((cell) => cell.getAttribute('data-hour'));
  expect(stops()).toEqual(['9']);
  await user.tab();
  expect(document.activeElement).toBe(hour(9));
  await user.keyboard('{ArrowRight}{Enter}');
  expect(document.activeElement).toBe(hour(10));
  expect(selected()).toEqual([9, 10]);
  await user.keyboard('{ArrowLeft} ');
  expect(selected()).toEqual([10]);
  await user.keyboard('{End}');
  expect(stops()).toEqual(['23']);
  await user.keyboard('{Home}');
  expect(document.activeElement).toBe(hour(0));
});

test('the first free hour is the tab stop when nothing is selected', () => {
  renderPart(<Grid taken={[span('2026-11-20T13:00:00Z', '2026-11-20T18:00:00Z')]} />);
  expect(document.querySelector('[tabindex="0"]')?.getAttribute('data-hour')).toBe('5');
});

test('Shift with an arrow or a press extends up to a taken hour, and back again', async () => {
  renderPart(<Grid taken={[span('2026-11-21T02:00:00Z', '2026-11-21T03:00:00Z')]} />);
  await user.click(hour(9));
  await user.keyboard('{Shift>}{ArrowRight}{ArrowRight}{/Shift}');
  expect(selected()).toEqual([9, 10, 11]);
  await user.keyboard('{Shift>}{ArrowLeft}{/Shift}');
  expect(selected()).toEqual([9, 10]);
  await user.keyboard('{Shift>}');
  await user.click(hour(15));
  await user.keyboard('{/Shift}');
  // 1 PM is taken.
  expect(selected()).toEqual([9, 10, 11, 12]);
});

test('arrow keys leave the day at its ends, with Shift to add the next hour', async () => {
  const onCross = vi.fn();
  renderPart(<Grid start={[at(23)]} onCross={onCross} />);
  hour(23).focus();
  await user.keyboard('{ArrowRight}{Shift>}{ArrowRight}{/Shift}');
  hour(0).focus();
  await user.keyboard('{ArrowLeft}');
  expect(onCross.mock.calls).toEqual([
    [1, false],
    [1, true],
    [-1, false],
  ]);
  expect(screen.getByRole('group', { name: 'Hours of Saturday 21 November 2026, Sydney time' })).toBeTruthy();
});
