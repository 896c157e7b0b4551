import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { accessibleEverywhere, admin, expectToast, newPerson, sandboxUrl, signIn } from '../steps.ts';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'ID Verification' });

/** Opens the ID dialog of a new customer on the profile page. */
async function openDialog(page: Page): Promise<void> {
  await signIn(page, await newPerson(false));
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Verify ID' }).click();
  await expect(dialog(page)).toBeVisible();
}
async function licence(name: string, born = '1998-04-03'): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const [given = '', family = ''] = name.split(' ');
  const answer = await fetch(`${sandboxUrl}/licence.jpg?given=${given}&family=${family}&dob=${born}`);
  return { name: 'licence.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(await answer.arrayBuffer()) };
}
const upload = (page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> =>
  dialog(page).getByLabel('Upload a photo').setInputFiles(file);
/** Simulates a camera with a canvas and records the requests. */
const CAMERA = `
  window.asked = [];
  Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia: (wanted) => {
    window.asked.push(wanted.video);
    const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 720 });
    const brush = canvas.getContext('2d');
    brush.fillRect(0, 0, 1280, 720);
    const stream = canvas.captureStream(10);
    setInterval(() => brush.fillRect(0, 0, 9, 9), 100);
    return Promise.resolve(stream);
  } } });
  window.pictures = [];
  const whole = HTMLCanvasElement.prototype.toDataURL;
  HTMLCanvasElement.prototype.toDataURL = function (...how) {
    window.pictures.push([this.width, this.height, ...how]);
    return whole.apply(this, how);
  };
`;

test('the ID dialog warns about mismatches and reports a picture that cannot be opened [spec 2.65, 5.33]', async ({
  page,
}) => {
  await openDialog(page);
  await expect(dialog(page)).toContainText('A mismatch may cause a permanent ban and cancellation without refund.');
  await upload(page, { name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('not a picture at all') });
  await expect(dialog(page).getByRole('alert')).toHaveText(
    'This picture could not be opened. Please use a JPEG or PNG photo.',
  );
});

test('a camera that is not ready shows the specified error [spec 8.19]', async ({ page }) => {
  await page.addInitScript(CAMERA.replace('return Promise.resolve(stream);', 'return new Promise(() => {});'));
  await openDialog(page);
  await dialog(page).getByRole('button', { name: 'Use camera' }).click();
  await dialog(page).getByRole('button', { name: 'Take photo' }).click();
  await expect(dialog(page)).toContainText(
    'Camera Error - Camera not properly initialized. Please close and try again.',
  );
});

test('the camera takes a JPEG, switches sides, and reports a failed photo [spec 4.24, 8.20, 9.14]', async ({
  page,
}) => {
  await page.addInitScript(CAMERA);
  await openDialog(page);
  await dialog(page).getByRole('button', { name: 'Use camera' }).click();
  const video = page.getByLabel('Camera picture');
  await expect(video).toHaveJSProperty('videoWidth', 1280);
  await dialog(page).getByRole('button', { name: 'Switch camera' }).click();
  const requested: { facingMode: string; width: unknown; height: unknown }[] = await page.evaluate('window.asked');
  expect(
    requested.map((constraint) => constraint.facingMode).filter((mode, index, all) => mode !== all[index - 1]),
  ).toEqual(['environment', 'user']);
  expect(requested[0]).toMatchObject({ width: { ideal: 1280 }, height: { ideal: 720 } });
  await expect(video).toHaveJSProperty('videoWidth', 1280);
  await dialog(page).getByRole('button', { name: 'Take photo' }).click();
  await expect(dialog(page).getByAltText('Your licence, as photographed')).toBeVisible();
  expect(await page.evaluate('window.pictures')).toEqual([[1280, 720, 'image/jpeg', 0.9]]);
  await dialog(page).getByRole('button', { name: 'Take another' }).click();
  await dialog(page).getByRole('button', { name: 'Use camera' }).click();
  await expect(video).toHaveJSProperty('videoWidth', 1280);
  await page.evaluate('HTMLCanvasElement.prototype.getContext = () => null');
  await dialog(page).getByRole('button', { name: 'Take photo' }).click();
  await expect(dialog(page)).toContainText('Failed to capture image. Please try again.');
});

test('another person’s licence fails with reasons, a second try succeeds, and the dialog closes after 1.5 s [spec 4.23, 5.33, 8.21, 8.29, 9.16]', async ({
  page,
}) => {
  await openDialog(page);
  await upload(page, await licence('Somebody Else'));
  await expect(dialog(page).getByAltText('Your licence, as photographed')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Verify my ID' }).click();
  await expect(dialog(page).getByText('Reading your ID.')).toBeVisible();
  const reasons = dialog(page).getByRole('listitem');
  await expect(reasons.first()).toBeVisible({ timeout: 30_000 });
  const joined = (await reasons.allTextContents()).join(' ');
  expect(joined.length).toBeGreaterThan(10);
  // No toast appears: the dialog alone gives the reasons.
  await expect(page.getByRole('region', { name: 'Messages' }).locator('p')).toHaveCount(0);
  await accessibleEverywhere(page);
  await dialog(page).getByRole('button', { name: 'Try Again' }).click();
  await expect(dialog(page).getByLabel('Upload a photo')).toBeAttached();
  // The check fails without reasons.
  await upload(page, await licence('Robin Sample'));
  await page.route(
    '**/functions/v1/verify-id',
    (route) => route.fulfill({ json: { decision: 'failed', failureReasons: [] } }),
    {
      times: 1,
    },
  );
  await dialog(page).getByRole('button', { name: 'Verify my ID' }).click();
  await expect(dialog(page).getByText('Verification failed. Please try again.')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Try Again' }).click();
  await upload(page, await licence('Robin Sample'));
  await page.evaluate(`
    window.at = {};
    new MutationObserver(() => {
      const open = document.querySelector('dialog[open]');
      if (!('success' in window.at) && open && open.textContent.includes('ID Verified')) window.at.success = performance.now();
      if ('success' in window.at && !('closed' in window.at) && !open) window.at.closed = performance.now();
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  `);
  await dialog(page).getByRole('button', { name: 'Verify my ID' }).click();
  await expectToast(page, 'ID Verified');
  await expect(dialog(page)).toBeHidden();
  const at: Record<string, number> = await page.evaluate('window.at');
  expect((at['closed'] ?? 0) - (at['success'] ?? 0)).toBeGreaterThan(1_490);
  await expect(page.getByText(/^Verified until/)).toBeVisible();
});

test('staff see the picture of an ID that waits, correct the name and approve it, and the customer’s page follows', async ({
  page,
  browser,
}) => {
  const person = await newPerson(false);
  await signIn(page, person);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Verify ID' }).click();
  await upload(page, await licence('Robin Simple'));
  await dialog(page).getByRole('button', { name: 'Verify my ID' }).click();
  await expect(dialog(page).getByText('Someone on our team will look at your photo')).toBeVisible({ timeout: 30_000 });
  await dialog(page).getByRole('button', { name: 'Close' }).click();

  const staffPage = await (await browser.newContext()).newPage();
  await signIn(staffPage, admin);
  await staffPage.goto('/admin?tab=id-review');
  const row = staffPage.getByRole('row').filter({ hasText: person.email });
  await accessibleEverywhere(staffPage);
  await row.getByRole('button', { name: 'Review' }).click();
  const review = staffPage.getByRole('dialog', { name: 'Review ID' });
  await expect(review.getByAltText('The customer’s ID')).toHaveJSProperty('complete', true);
  await expect(review.getByText('Different name')).toBeVisible();
  await accessibleEverywhere(staffPage);
  await review.getByLabel('Last name').fill('Sample');
  await expect(review.getByText('Same name')).toBeVisible();
  await review.getByRole('button', { name: 'Approve ID' }).click();
  await review.getByRole('button', { name: 'Approve ID' }).click();
  await expectToast(staffPage, 'ID approved');
  await expect(row).toHaveCount(0);
  await staffPage.context().close();
  await expect(page.getByText(/^Verified until/)).toBeVisible();
});

test('a licence of a person under 18 is final: no other try is offered, and the answer and the card name the birthday', async ({
  page,
}) => {
  const born = `${new Date().getUTCFullYear() - 15}-04-03`;
  await openDialog(page);
  await upload(page, await licence('Robin Sample', born));
  await dialog(page).getByRole('button', { name: 'Verify my ID' }).click();
  const birthday = `3 April ${new Date().getUTCFullYear() + 3}`;
  // The first answer is the final one.
  await expect(dialog(page).getByRole('listitem')).toContainText('you turn 18 on', { timeout: 30_000 });
  await expect(dialog(page).getByRole('listitem')).toContainText(birthday);
  const ways = dialog(page).getByRole('button', { name: /Try Again|online check/ });
  await expect(ways).toHaveCount(0);
  await accessibleEverywhere(page);
  // The card gives the same reason and does not offer another try.
  await page.reload();
  await expect(page.getByText(/you turn 18 on/)).toContainText(birthday);
  await expect(page.getByRole('button', { name: 'Verify ID' })).toHaveCount(0);
});
