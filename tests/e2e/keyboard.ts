import { expect, type Locator, type Page } from '@playwright/test';

/** Presses Tab until the focus is on the target or inside it. */
export async function reach(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let steps = 0; steps < 80; steps += 1) {
    if (await target.evaluate((element) => element.contains(element.ownerDocument.activeElement))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there');
}

/** Moves the focus to the target with Tab and presses Enter. */
export async function press(page: Page, target: Locator): Promise<void> {
  await reach(page, target);
  await page.keyboard.press('Enter');
}

/** Presses a key `count` times. */
export async function times(page: Page, key: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await page.keyboard.press(key);
}
