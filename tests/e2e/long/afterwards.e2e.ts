import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { expectToast, insertBooking, newPerson, service, signIn, sydneyHour } from '../steps.ts';
import { act, bookAndPay, checked, onPhone, type } from './driver.ts';
import { reach } from '../keyboard.ts';
import { mailed, waitForMoney } from './money.ts';
import { HOUR, staffPage } from './prepare.ts';

/**
 * After a session, by touch on a phone and by keyboard alone on a wide screen, viewed from Los Angeles: every time shown is Sydney time.
 */
test.use({ timezoneId: 'America/Los_Angeles' });

/** Each screen size has its own room, because the hour can change between the two runs. */
const studio = (): string => (onPhone() ? 'Studio C' : 'Studio B');

/** Inserts a session that ended a few hours ago, at a different hour for each journey. */
async function pastSession(userId: string, journey: 0 | 1): Promise<string> {
  const ago = 2 + 2 * journey;
  const start = Math.floor(Date.now() / HOUR) * HOUR - ago * HOUR;
  const id = await insertBooking({
    userId,
    studio: studio(),
    start: new Date(start),
    end: new Date(start + HOUR),
    status: 'confirmed',
  });
  const { data } = await service().from('bookings').select('reference').eq('id', id).single();
  return String(data?.reference);
}

test('after a session there is one question, and a note of lost property, which staff see and answer [spec 10.18]', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000);
  const who = await newPerson(true);
  const reference = await pastSession(who.id, 0);
  await signIn(page, who);
  // Opens the address from the mail that follows the session.
  await page.goto(`/bookings/${reference}#how-was-it`);
  await expect(page.getByRole('heading', { name: `Thanks for playing. How was ${studio()}?` })).toBeVisible();
  await checked(page);
  await rate(page);
  await lose(page);

  const staff = await staffPage(browser);
  await staff.goto('/admin?tab=incidents');
  const incident = staff.getByRole('listitem').filter({ hasText: reference }).filter({ hasText: 'Lost property' });
  await expect(incident).toContainText('A silver USB stick, in the left player.');
  const rating = staff
    .getByRole('listitem')
    .filter({ hasText: reference })
    .filter({ hasText: '“The monitors are great.”' });
  await expect(rating).toContainText('4 of 5');
  await incident.getByRole('button', { name: 'Answer' }).click();
  await incident.getByLabel('Your answer').fill('It lies in the box at the entrance.');
  await incident.getByLabel('Outcome').selectOption('Found');
  await checked(staff);
  await incident.getByRole('button', { name: 'Send answer' }).click();
  await expectToast(staff, 'Answered');
  await staff.context().close();

  const report = page.getByRole('list', { name: 'Your reports' }).getByRole('listitem');
  await expect(report).toContainText('Found');
  await expect(report).toContainText('It lies in the box at the entrance.');
  await mailed(who.email, `About what you left behind in ${studio()}`);
  await checked(page);
});

/** Answers the question and then changes the answer. */
async function rate(page: Page): Promise<void> {
  const question = page.locator('#how-was-it');
  await chooseScore(page, 5);
  await type(question.getByLabel('One sentence, if you like'), 'The monitors are great.');
  await act(question.getByRole('button', { name: 'Send' }));
  await expect(question.getByText('You said 5 of 5: “The monitors are great.”')).toBeVisible();
  await checked(page);
  await act(question.getByRole('button', { name: 'Change it' }));
  await chooseScore(page, 4);
  await act(question.getByRole('button', { name: 'Send' }));
  await expect(question.getByText('You said 4 of 5: “The monitors are great.”')).toBeVisible();
}

/** Chooses a score. On the keyboard, Tab leads to the chosen radio button, at first to 1; from 1 the left arrow wraps around to 5. */
async function chooseScore(page: Page, score: 4 | 5): Promise<void> {
  const radio = (value: number) => page.locator('#how-was-it').getByRole('radio', { name: new RegExp(`^${value}`) });
  if (onPhone())
    await page
      .locator('#how-was-it label')
      .nth(score - 1)
      .tap();
  else {
    await reach(page, radio(score === 5 ? 1 : 5));
    await page.keyboard.press('ArrowLeft');
  }
  await expect(radio(score)).toBeChecked();
}

async function lose(page: Page): Promise<void> {
  await act(page.getByRole('button', { name: 'Left something behind?' }));
  const dialog = page.getByRole('dialog', { name: 'What did you leave behind?' });
  await type(dialog.getByLabel('What did you leave, and where'), 'A silver USB stick, in the left player.');
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Send' }));
  await expectToast(page, 'Thanks, the team knows');
  const report = page.getByRole('list', { name: 'Your reports' }).getByRole('listitem');
  await expect(report).toContainText('Sent to the team');
}

test('“Book again” takes the same hours of a later week, and they are paid [spec 10.18]', async ({ page }) => {
  test.setTimeout(240_000);
  const who = await newPerson(true);
  const reference = await pastSession(who.id, 1);
  const { data } = await service().from('bookings').select('start_time').eq('reference', reference).single();
  await signIn(page, who);
  await page.goto(`/bookings/${reference}`);
  await act(page.getByRole('link', { name: /^Book again/ }));
  await page.waitForURL(/\/booking\b/);
  const selection = page.getByLabel('Your selection');
  await expect(selection).toContainText(studio());
  await expect(selection).toContainText(/\$\d+/);
  await checked(page);
  const price = Number(/\$(\d+)/.exec((await selection.textContent()) ?? '')?.[1]) * 100;
  await bookAndPay(page);
  await checked(page);
  expect(await waitForMoney(who.id)).toEqual({ paid: price, back: 0 });
  await mailed(who.email, 'Booking confirmed');
  const own = await service()
    .from('bookings')
    .select('start_time')
    .eq('user_id', who.id)
    .gt('start_time', new Date().toISOString());
  const [old, next] = [new Date(data?.start_time ?? 0), new Date(own.data?.[0]?.start_time ?? 0)];
  const wall = (at: Date): string =>
    at.toLocaleString('en-AU', { timeZone: 'Australia/Sydney', weekday: 'long', hour: 'numeric' });
  expect(wall(next)).toBe(wall(old));
  expect(next.getTime()).toBeGreaterThan(sydneyHour(0, 0).getTime());
});
