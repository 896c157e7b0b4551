import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { expectToast, fromMail, insertBooking, sandbox, service, signIn } from '../steps.ts';
import { act, checked, choose, type } from './driver.ts';
import { mailed, waitForMoney } from './money.ts';
import { HOUR, inSession, personWithCard, type Running, staffPage } from './prepare.ts';

/** In the room, by touch on a phone and by keyboard alone on a wide screen, viewed from London: every time shown is Sydney time. */
test.use({ timezoneId: 'Europe/London' });

const MINUTE = 60_000;
const panel = (page: Page) => page.getByRole('region', { name: 'Your session' });
/** Returns a time in the form that the page uses: "7 pm". */
const saysTime = (at: Date): string =>
  at
    .toLocaleTimeString('en-AU', { timeZone: 'Australia/Sydney', hour: 'numeric', minute: '2-digit', hour12: true })
    .replace(':00', '');
const plugsOn = async (): Promise<number> =>
  (await sandbox<{ on: boolean }[]>('/api/plugs')).filter(({ on }) => on).length;

test('the time left, the lights of the own room, a further hour with one tap, and who has the room next [spec 10.16]', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const who = await personWithCard();
  const spent = await waitForMoney(who.id);
  const session = await inSession(who, 'Studio A');
  await signIn(page, who);
  await page.goto(`/bookings/${session.reference}`);
  await expect(page.getByText(/^[\d:]+ left$/)).toBeVisible();
  await checked(page);
  await page.goto(`/door?booking_id=${session.id}`);
  await expect(page.getByTestId('pin')).toBeVisible({ timeout: 30_000 });
  const code = await page.getByTestId('pin').textContent();

  const lights = panel(page).getByRole('button', { name: /^Lights (on|off)$/ });
  await expect(lights).toBeEnabled();
  const on = (await lights.textContent()) === 'Lights off';
  const before = await plugsOn();
  await act(lights);
  await expect(lights).toHaveText(on ? 'Lights on' : 'Lights off');
  expect(await plugsOn()).toBe(before + (on ? -1 : 1));

  // Ten minutes before the end, with no booking after it, the page shows one quiet sentence.
  await page.clock.setFixedTime(session.end.getTime() - 9.5 * MINUTE);
  const quiet = panel(page).getByRole('status').filter({ hasText: 'Your session ends at' });
  await expect(quiet).toHaveText(`Your session ends at ${saysTime(session.end)}, Sydney time.`);
  await expect(panel(page).getByText('10 minutes left')).toBeVisible();
  await checked(page);

  const until = new Date(session.end.getTime() + HOUR);
  const stay = panel(page).getByRole('button', { name: `Stay until ${saysTime(until)}` });
  await expect(stay).toHaveText(/\$\d+ with Visa .*4242$/);
  const price = Number(/\$(\d+)/.exec((await stay.textContent()) ?? '')?.[1]) * 100;
  await act(stay);
  await expectToast(page, `Yours until ${saysTime(until)}`);
  await expect(page.getByTestId('pin')).not.toHaveText(code ?? '', { timeout: 30_000 });
  await expect(page.getByText(`Opens the door now, until ${saysTime(until)}.`)).toBeVisible();
  const after = await waitForMoney(who.id);
  expect({ paid: after.paid - spent.paid, back: after.back }).toEqual({ paid: price, back: 0 });
  await fromMail(who.email, 'Booking extended', new RegExp(`(${session.reference})`));

  await somebodyFollows(page, { ...session, end: until });
  expect((await waitForMoney(who.id)).paid).toBe(after.paid);
});

/** Another customer takes the next hour: the session can no longer be extended, and the warning becomes prominent. */
async function somebodyFollows(page: Page, { end }: Running): Promise<void> {
  const next = { userId: null, studio: 'Studio A', start: end, end: new Date(end.getTime() + HOUR) } as const;
  const id = await insertBooking({ ...next, status: 'confirmed' });
  await page.reload();
  await page.clock.setFixedTime(end.getTime() - 4.5 * MINUTE);
  await expect(panel(page).getByText('The room isn’t free after you, so this session can’t end later.')).toBeVisible();
  await expect(panel(page).getByRole('alert')).toHaveText(
    `Your session ends at ${saysTime(end)}, Sydney time. Someone has the room right after you: please leave it in time. 5 minutes.`,
  );
  await expect(panel(page).getByRole('button', { name: /^Stay until/ })).toHaveCount(0);
  await checked(page);
  expect((await service().from('bookings').update({ status: 'cancelled' }).eq('id', id)).error).toBeNull();
}

test('a problem is reported with a photo; staff see it and answer, and the customer reads the answer [spec 10.17]', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const who = await personWithCard();
  const session = await inSession(who, 'Studio A');
  await signIn(page, who);
  await page.goto(`/door?booking_id=${session.id}`);
  await act(panel(page).getByRole('link', { name: 'Report a problem' }));
  await act(page.getByRole('button', { name: 'Report a problem' }));
  const dialog = page.getByRole('dialog', { name: 'Report a problem' });
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Send' }));
  await expect(dialog.getByText('Tell us in a few words.')).toBeVisible();
  await choose(dialog.getByLabel('What is it about'), 'Sound');
  await type(dialog.getByLabel('What happened'), 'The left speaker crackles.');
  // Chromium takes a screenshot, so that the file is a valid JPEG.
  const buffer = await page.screenshot({ type: 'jpeg' });
  await dialog.getByLabel('Photos').setInputFiles({ name: 'speaker.jpg', mimeType: 'image/jpeg', buffer });
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Send' }));
  await expectToast(page, 'Thanks, the team knows');
  const report = page.getByRole('list', { name: 'Your reports' }).getByRole('listitem');
  await expect(report).toContainText('The left speaker crackles.');
  await expect(report).toContainText('Sent to the team');
  await expect(report).toContainText('1 photo');
  await checked(page);

  const staff = await staffPage(browser);
  await staff.goto('/admin?tab=incidents');
  const incident = staff.getByRole('listitem').filter({ hasText: session.reference });
  await expect(incident).toContainText('The left speaker crackles.');
  await expect(incident).toContainText('Sound');
  await incident.getByRole('button', { name: 'Show the photo' }).click();
  await expect(incident.getByRole('img')).not.toHaveJSProperty('naturalWidth', 0);
  await incident.getByRole('button', { name: 'Answer' }).click();
  await incident.getByLabel('Your answer').fill('A new cable is in. Thanks for telling us.');
  await checked(staff);
  await incident.getByRole('button', { name: 'Send answer' }).click();
  await expectToast(staff, 'Answered');
  await staff.context().close();

  await expect(report).toContainText('A new cable is in. Thanks for telling us.');
  await expect(report).toContainText('Solved');
  await mailed(who.email, 'About the problem you reported in Studio A');
  await checked(page);
});
