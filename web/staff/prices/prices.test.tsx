import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Rates } from '#rules/pricing.ts';
import { addDays, studioDate } from '#rules/studio-time.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import type { CallBody } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { Prices } from './prices.tsx';
import * as connection from '#web/data/live.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: vi.fn() }));
const { useLive } = vi.mocked(connection);
const [first] = specifiedRates.lists;
if (!first) throw new Error('there is a price list');
const today = studioDate(new Date());
const tomorrow = addDays(today, 1);
const STUDIOS = [
  { id: '11111111-1111-4111-8111-111111111111', name: 'Studio A' },
  { id: '22222222-2222-4222-8222-222222222222', name: 'Studio B' },
];
const STUDIO_A = STUDIOS[0]?.id ?? '';
function answer({ lists, specialDays }: Rates): void {
  wire.answerRows('price_lists', lists);
  wire.answerRows('special_days', specialDays);
}
beforeEach(() => {
  vi.resetAllMocks();
  answer(specifiedRates);
});

async function open(): Promise<void> {
  renderPart(<Prices studios={STUDIOS} />);
  await screen.findByRole('grid');
}
/** Finds a cell by its position. Monday is column 0. */
const cell = (column: number, hour: number) =>
  document.querySelector<HTMLElement>(`[data-cell="${column * 24 + hour}"]`) as HTMLElement;
const chosen = () =>
  [...document.querySelectorAll('[aria-selected="true"]')].map((element) => Number(element.getAttribute('data-cell')));
/** Waits until the last change that was sent is this one. */
const expectChange = (change: CallBody<'staff-set-prices'>) =>
  waitFor(() => expect(wire.sent('staff-set-prices').at(-1)).toEqual(change));
const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }));
const dialog = () => within(screen.getByRole('dialog'));

test('the table shows every hour of the week of a studio and follows changes, and another studio can be chosen', async () => {
  await open();
  expect(document.querySelectorAll('[data-cell]')).toHaveLength(168);
  expect([cell(0, 17), cell(0, 18), cell(6, 0), cell(6, 23)].map((element) => element.textContent)).toEqual([
    '$49',
    '$59',
    '$69',
    '$59',
  ]);
  expect(useLive).toHaveBeenCalledWith('staff', queryKeys.prices.all);
  await user.selectOptions(screen.getByLabelText('Room'), 'Studio B');
  await waitFor(() => expect(wire.sentTo('price_lists').at(-1)?.search.get('studio_id')).toBe(`eq.${STUDIOS[1]?.id}`));
});

test('hours are chosen with a mouse, a finger, the heads and keys', async () => {
  await open();
  const mouse = { pointerType: 'mouse', buttons: 1 };
  fireEvent.pointerDown(cell(0, 5), mouse);
  fireEvent.pointerEnter(cell(1, 6), mouse);
  expect(chosen()).toEqual([5, 29, 6, 30]);
  fireEvent.pointerDown(cell(2, 0), { ...mouse, shiftKey: true });
  expect(chosen()).toHaveLength(18);
  fireEvent.pointerDown(cell(2, 9), { pointerType: 'touch' });
  fireEvent.click(cell(2, 9));
  expect(chosen()).toHaveLength(19);
  await press('All hours of Sun');
  expect(chosen()).toHaveLength(24);
  await press('12 am on every day');
  expect(chosen()).toEqual([0, 24, 48, 72, 96, 120, 144]);

  cell(0, 0).focus();
  await user.keyboard('{ArrowRight}{ArrowDown}');
  expect([chosen(), document.activeElement]).toEqual([[25], cell(1, 1)]);
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  expect(chosen()).toEqual([25, 26, 27]);
  await user.keyboard(' ');
  expect(chosen()).toEqual([25, 26]);
  await user.keyboard('{Control>} {/Control}');
  expect([chosen()[0], chosen().length]).toEqual([24, 24]);
  await user.keyboard('{Shift>} {/Shift}');
  expect([chosen()[0], chosen()[1], chosen().length]).toEqual([3, 27, 7]);
  expect(screen.getByRole('button', { name: 'All hours of Sun' }).tabIndex).toBe(-1);
  await user.keyboard('{Control>}a{/Control}');
  expect(chosen()).toHaveLength(168);
});

test('typed dollars are previewed with what they change, and saved from a day on for one studio', async () => {
  await open();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Preview' }).disabled).toBe(true);
  cell(6, 10).focus();
  await user.keyboard(' 7');
  expect(document.activeElement).toBe(screen.getByLabelText('Price for chosen hours'));
  await user.keyboard('5.50{Enter}');
  expect(cell(6, 10).textContent).toBe('$75.50');
  await press('Preview');
  expect(dialog().getByRole('row', { name: 'Sun 10 am to 11 am $59 $75.50' })).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Save prices' }));
  await wire.expectSent('staff-set-prices', {
    studioId: STUDIO_A,
    validFrom: tomorrow,
    prices: { hourCents: first.hourCents.with(10, 7_550), volumePercents: first.volumePercents },
  });
  await waitFor(() => expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'Prices saved' })));
  await wire.expectRequests('price_lists', 2);
});

test('an entry that is no price, or without hours, is refused in place', async () => {
  await open();
  await fill(screen.getByLabelText('Price for chosen hours'), '60');
  await press('Set price');
  expect(screen.getByText('Choose hours in the table first.')).toBeTruthy();
  await press('All hours of Mon');
  await fill(screen.getByLabelText('Price for chosen hours'), 'sixty');
  await press('Set price');
  expect(screen.getByText('Enter a price from $1 to $1,000, or a change such as +10%.')).toBeTruthy();
  expect(cell(0, 0).textContent).toBe('$49');
});

test('steps of the volume discount are changed, added and removed, and a refusal keeps the preview open', async () => {
  wire.refuse('staff-set-prices', 'too_late');
  await open();
  await press('Remove the discount from 3 hours');
  await fill(screen.getByLabelText('Percent'), '20');
  await press('Add tier');
  await user.click(screen.getByLabelText('For all rooms'));
  await press('Preview');
  expect(dialog().getByText(/^All rooms, from .* The table shows what changes in Studio A\./)).toBeTruthy();
  expect(dialog().getByText('Volume discount: 20% from 4 hours, 25% from 5 hours.')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Save prices' }));
  expect(await dialog().findByText(/^Prices already in effect can’t be changed\./)).toBeTruthy();
  await wire.expectSent('staff-set-prices', {
    studioId: null,
    validFrom: tomorrow,
    prices: {
      hourCents: first.hourCents,
      volumePercents: [0, 0, 0, 20, ...Array.from({ length: 20 }, () => 25)],
    },
  });
});

test('what a booking would cost follows the unsaved prices and names the rule of each hour', async () => {
  const festival = {
    name: 'Festival',
    firstDay: '2031-03-04',
    lastDay: '2031-03-04',
    hourCents: Array.from({ length: 24 }, () => 9_900),
  };
  answer({ ...specifiedRates, specialDays: [festival] });
  await open();
  const check = within(screen.getByRole('region', { name: 'Price check' }));
  // It is a Monday, the day before the festival.
  fireEvent.change(check.getByLabelText('Day'), { target: { value: '2031-03-03' } });
  await user.selectOptions(check.getByLabelText('Start'), '10 pm');
  await user.selectOptions(check.getByLabelText('Hours'), '3');
  const rows = () =>
    check
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
  expect(rows()).toEqual([
    '10 PM to 11 PM, 3 Mar$59Original prices',
    '11 PM to 12 AM, 3 Mar$49Original prices',
    '12 AM to 1 AM, 4 Mar$99Special days: Festival',
  ]);
  expect(check.getByText('$207 for the hours, less 10% volume discount ($21)')).toBeTruthy();
  await press('All hours of Mon');
  await fill(screen.getByLabelText('Price for chosen hours'), '+100%');
  await press('Set price');
  expect(check.getByText('Uses your unsaved prices.')).toBeTruthy();
  expect(rows()[0]).toMatch(/^10 PM to 11 PM, 3 Mar\$118Prices from /);
});

test('special days are added with prices by hour, and prices to come are removed after a question', async () => {
  const later = addDays(today, 10);
  const hourCents = Array.from({ length: 24 }, () => 9_900);
  answer({
    lists: [{ ...first, validFrom: later }, ...specifiedRates.lists],
    specialDays: [
      { name: 'Carnival', firstDay: later, lastDay: later, hourCents },
      { name: 'Last year', firstDay: '2020-01-01', lastDay: '2020-01-02', hourCents },
    ],
  });
  await open();
  expect(screen.queryByRole('button', { name: /Last year/ })).toBeNull();
  await press('Remove Carnival');
  expect(wire.sent('staff-set-prices')).toEqual([]);
  await user.click(dialog().getByRole('button', { name: 'Keep prices' }));
  await press('Remove Carnival');
  await user.click(dialog().getByRole('button', { name: 'Remove' }));
  await expectChange({ studioId: STUDIO_A, firstDay: later, lastDay: later, prices: null });
  await press(/^Remove Prices from/);
  await user.click(dialog().getByRole('button', { name: 'Remove' }));
  await expectChange({ studioId: STUDIO_A, validFrom: later, prices: null });

  await press('Add special days');
  await fill(dialog().getByLabelText('Name'), 'New Year');
  fireEvent.change(dialog().getByLabelText('First day'), { target: { value: '2031-12-31' } });
  await user.click(dialog().getByRole('button', { name: 'All hours of Each day' }));
  await fill(dialog().getByLabelText('Price for chosen hours'), '80');
  await user.click(dialog().getByRole('button', { name: 'Set price' }));
  await user.click(dialog().getByRole('button', { name: 'Save special days' }));
  await expectChange({
    studioId: STUDIO_A,
    firstDay: '2031-12-31',
    lastDay: '2031-12-31',
    prices: { name: 'New Year', hourCents: hourCents.map(() => 8_000) },
  });
});

test('prices that were not saved are there after another tab or room, and only in their room, until they are saved or discarded', async () => {
  const KEPT = 'Your changes are still here. They are not saved yet.';
  const first = renderPart(<Prices studios={STUDIOS} />);
  await screen.findByRole('grid');
  cell(0, 5).focus();
  await user.keyboard(' 7{Enter}');
  await fill(screen.getByLabelText('Valid from'), addDays(today, 9));
  await user.selectOptions(screen.getByLabelText('Room'), 'Studio B');
  await screen.findByRole('grid', { name: 'Prices for Studio B' });
  expect([cell(0, 5).textContent, screen.queryByText(KEPT)]).toEqual(['$49', null]);
  first.unmount();
  const second = renderPart(<Prices studios={STUDIOS} />);
  await screen.findByText(KEPT);
  expect(cell(0, 5).textContent).toBe('$7');
  expect(screen.getByLabelText<HTMLInputElement>('Valid from').value).toBe(addDays(today, 9));
  await press('Discard changes');
  expect([cell(0, 5).textContent, screen.queryByText(KEPT)]).toEqual(['$49', null]);
  cell(0, 5).focus();
  await user.keyboard(' 8{Enter}');
  await press('Preview');
  await press('Save prices');
  await wire.expectRequests('staff-set-prices', 1);
  second.unmount();
  renderPart(<Prices studios={STUDIOS} />);
  await screen.findByRole('grid');
  expect([cell(0, 5).textContent, screen.queryByText(KEPT)]).toEqual(['$49', null]);
});
