import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { accessibleEverywhere, admin, ahead, expectToast, service, signIn, sydneyDay, sydneyHour } from '../steps.ts';

test('staff close hours with the mouse, move a booking with the keyboard, also to dearer hours and back, and another window shows it at once', async ({
  page,
  browser,
}) => {
  // A Monday, when the evening costs more than the day. Other journeys book nearer days.
  const days = ahead(1, 70);
  const day = sydneyDay(days).toISOString().slice(0, 10);
  const { data: studio } = await service().from('studios').select('id').eq('name', 'Studio A').single();
  const created = await service().functions.invoke<{ bookingId: string }>('staff-create-booking', {
    body: {
      studioId: studio?.id,
      startTime: sydneyHour(days, 10).toISOString(),
      endTime: sydneyHour(days, 12).toISOString(),
      customerEmail: 'robin@example.com',
      customerName: 'Robin Sample',
      payment: 'elsewhere',
    },
  });
  expect(created.error).toBeNull();
  await signIn(page, admin);
  await page.goto(`/admin?tab=calendar&day=${day}`);
  const other = await browser.newPage({ storageState: await page.context().storageState() });
  await other.goto(`/admin?tab=calendar&view=week&day=${day}`);
  const cell = (name: RegExp) => page.getByRole('gridcell', { name });
  await expect(cell(/^Studio A.* 11 AM: .*10 am to 12 pm/)).toHaveCount(1);
  await accessibleEverywhere(page);

  const at = async (name: RegExp): Promise<{ x: number; y: number }> => {
    await cell(name).scrollIntoViewIfNeeded();
    const box = await cell(name).boundingBox();
    return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
  };
  await page.setViewportSize({ width: 1440, height: 900 });
  await at(/^Studio C.* 4 PM: free/);
  const [from, to] = [await at(/^Studio C.* 2 PM: free/), await at(/^Studio C.* 3 PM: free/)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Close these hours' }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('New mixer');
  await page.getByRole('dialog').getByRole('button', { name: 'Close hours' }).click();
  await expectToast(page, 'Hours closed');
  await expect(other.getByRole('gridcell', { name: /^Studio C.* 3 PM: closed 2 pm to 4 pm, New mixer/ })).toHaveCount(
    1,
  );

  const grid = page.getByRole('grid');
  // The grid remembers which cell had the focus.
  const pickUp = async (): Promise<void> => {
    await grid.focus();
    await page.keyboard.press('Home');
    for (let day = 0; day < 3; day += 1) await page.keyboard.press('ArrowLeft');
    for (let hour = 0; hour < 10; hour += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  await pickUp();
  for (let hour = 0; hour < 8; hour += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Move booking?' });
  await expect(question.getByRole('button', { name: /^Email payment link for \$/ })).toBeVisible();
  await accessibleEverywhere(page);
  await question.getByRole('button', { name: /^Move without charging \$/ }).click();
  await expect(cell(/^Studio A.* 7 PM: .*6 pm to 8 pm/)).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(cell(/^Studio A.* 11 AM: .*10 am to 12 pm/)).toHaveCount(1);

  await pickUp();
  for (const key of ['ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Move booking' }).click();
  await expect(cell(/^Studio B.* 12 PM: .*11 am to 1 pm/)).toHaveCount(1);
  await expect(other.getByRole('gridcell', { name: /^Studio B.* 12 PM: .*11 am to 1 pm/ })).toHaveCount(1);

  await other.close();
  await service().from('bookings').update({ status: 'cancelled' }).eq('id', String(created.data?.bookingId));
});
