import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Slot } from '#rules/slots.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { SeriesLine } from './series-line.tsx';
import { useSeries } from '#web/data/finding/use-series.ts';

const ROOM = '11111111-1111-4111-8111-111111111111';
/** Saturday, 5 December 2026, 7 pm in Sydney. */
const SLOTS: readonly Slot[] = [{ date: '2026-12-05', hour: 19 }];
const date = (day: string, problem: 'taken' | 'closed' | null, total: number | null) => ({
  date: day,
  startTime: `${day}T08:00:00.000Z`,
  endTime: `${day}T09:00:00.000Z`,
  problem,
  total,
});
const THREE = [date('2026-12-05', null, 69), date('2026-12-12', 'taken', null), date('2026-12-19', null, 70.5)];

function Choice() {
  const series = useSeries({ studioId: ROOM, slots: SLOTS, code: null });
  return (
    <>
      <SeriesLine series={series} studioName="Studio A" busy={false} onChange={() => undefined} />
      <output>{series.totalCents ?? 'once'}</output>
    </>
  );
}
const open = async (): Promise<HTMLElement> => {
  renderPart(<Choice />);
  await user.click(screen.getByRole('button', { name: 'Repeat weekly' }));
  return screen.findByRole('dialog', { hidden: true });
};

test('the dates that are free are chosen, a taken one is named, and one can be left out [spec 10.4]', async () => {
  wire.answer('quote-series', { dates: THREE, total: 139.5 });
  const dialog = await open();
  await user.selectOptions(within(dialog).getByLabelText('Repeat for'), '3');
  expect(await within(dialog).findByText('2 of 3 dates are free.')).toBeTruthy();
  expect(wire.sent('quote-series').at(-1)).toEqual({
    studioId: ROOM,
    startTime: '2026-12-05T08:00:00.000Z',
    endTime: '2026-12-05T09:00:00.000Z',
    weeks: 3,
    couponCode: null,
  });
  const boxes = within(dialog).getAllByRole<HTMLInputElement>('checkbox', { hidden: true });
  expect(boxes.map(({ checked, disabled }) => [checked, disabled])).toEqual([
    [true, true],
    [false, true],
    [true, false],
  ]);
  expect(screen.getByRole('status', { hidden: true }).textContent).toBe('13950');
  await user.click(boxes[2] as HTMLInputElement);
  expect(within(dialog).getByText('A series needs two free dates, so your hours are booked once.')).toBeTruthy();
  expect(document.querySelector('output')?.textContent).toBe('once');
});

test('dates that cannot be loaded are asked for again', async () => {
  wire.fail('quote-series', 500);
  const dialog = await open();
  await user.selectOptions(within(dialog).getByLabelText('Repeat for'), '2');
  expect(await within(dialog).findByText('The dates could not be loaded.', undefined, { timeout: 5_000 })).toBeTruthy();
  wire.answer('quote-series', { dates: THREE.slice(0, 1), total: 69 });
  await user.click(within(dialog).getByRole('button', { name: 'Try again', hidden: true }));
  expect(await within(dialog).findByText('All 1 dates are free.')).toBeTruthy();
});
