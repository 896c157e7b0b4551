import { expect, type Locator } from '@playwright/test';
import { test } from '../journey.ts';
import { press, reach, times } from '../keyboard.ts';
import { accessible, ahead, GOOD_CARD, insertBooking, newPerson, openDetails, signIn, sydneyHour } from '../steps.ts';

const TUESDAY = 2;

test('by keyboard alone: hours on the timeline of all rooms, for three weeks, paid once; one is cancelled and its money goes back', async ({
  page,
}) => {
  const day = ahead(TUESDAY);
  const who = await newPerson(true);
  await insertBooking({
    userId: null,
    studio: 'Studio A',
    start: sydneyHour(day, 14),
    end: sydneyHour(day, 16),
    status: 'confirmed',
  });
  await signIn(page, who);
  await page.goto('/booking');
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name });
  await press(page, button('Compare'));
  await reach(page, page.getByRole('list', { name: 'Days' }));
  await times(page, 'ArrowDown', Math.floor(day / 7));
  await times(page, 'ArrowRight', day % 7);
  await page.keyboard.press('Enter');
  const grid = page.getByRole('grid', { name: /^Hours of all rooms, Tuesday/ });
  await reach(page, grid);
  // Starts at 6 am, where the hours begin on a phone.
  await times(page, 'ArrowDown', 8);
  const cell = (name: string): Locator => grid.getByRole('gridcell', { name });
  await expect(cell('Studio A, 2 PM to 3 PM, taken')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(cell('Studio B, 3 PM to 4 PM')).toHaveAttribute('data-state', 'selected');
  const selection = page.getByLabel('Your selection');
  await expect(selection).toContainText('2 pm to 4 pm');
  await accessible(page);

  await openDetails(page);
  await press(page, button('Repeat weekly'));
  const dialog = page.getByRole('dialog');
  await reach(page, dialog.getByLabel('Repeat for'));
  await page.keyboard.type('3');
  await expect(dialog).toContainText('All 3 dates are free.');
  await accessible(page);
  await press(page, dialog.getByRole('button', { name: 'Done' }));
  await expect(selection).toContainText('$294');
  await press(page, button('Book Now'));
  await page.waitForURL(/\/c\/pay\//);
  await reach(page, page.getByLabel('Card number'));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(GOOD_CARD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  await expect(page.getByText(/, 2 pm to 4 pm, /)).toHaveCount(3);
  await accessible(page);

  await page.goto('/bookings');
  await press(page, button('Cancel').first());
  await expect(dialog).toContainText('You’ll get the full $98 back');
  await press(page, dialog.getByRole('button', { name: 'Cancel booking' }));
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/\$98 is on its way back to your card/).first()).toBeVisible();
  await press(page, page.getByRole('link', { name: 'Move, details, receipt' }).first());
  const series = page.getByRole('region', { name: 'Series' });
  await expect(series.getByText('Cancelled')).toHaveCount(1);
  await press(page, series.getByRole('link').first());
  await expect(page.getByText('$98 sent back to you')).toBeVisible();
  await accessible(page);
});
