import { type Browser, expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { admin, insertBooking, newPerson, service, signIn, sydneyHour } from '../steps.ts';
import { FAR, act, checked, ownDay, type } from './driver.ts';

const FRIDAY = 5;

/** Opens a page for another person with the same kind of device. */
async function somebody(browser: Browser, timezoneId: string): Promise<Page> {
  const { viewport, hasTouch, baseURL } = test.info().project.use;
  const context = await browser.newContext({
    timezoneId,
    viewport: viewport ?? null,
    hasTouch: hasTouch ?? false,
    ...(baseURL === undefined ? {} : { baseURL }),
  });
  return context.newPage();
}

test('four are invited by link and no fifth; a guest in London joins at Sydney time; staff see who comes; one who is taken back makes room [spec 10.14]', async ({
  page,
  browser,
}) => {
  const who = await newPerson(true);
  const at = ownDay(FRIDAY, FAR);
  const span = { start: sydneyHour(at, 18), end: sydneyHour(at, 20) };
  const id = await insertBooking({ userId: who.id, studio: 'Studio C', ...span, status: 'confirmed' });
  const { data } = await service().from('bookings').select('reference').eq('id', id).single();
  await signIn(page, who);
  await page.goto(`/bookings/${data?.reference}`);
  const crew = page.getByRole('list', { name: 'Who comes' }).getByRole('listitem');
  const invite = page.getByRole('button', { name: 'Invite someone' });
  const link = page.getByLabel('A link for one person');
  const urls: string[] = [];
  for (const count of [1, 2, 3, 4]) {
    await act(invite);
    await expect(crew).toHaveCount(count);
    await expect.poll(async () => urls.includes(await link.inputValue())).toBe(false);
    urls.push(await link.inputValue());
  }
  await expect(invite).toBeDisabled();
  await expect(page.getByText('You’ve invited all 4. Take one back to invite someone else.')).toBeVisible();
  await checked(page);
  const token = await page.evaluate<string>(`JSON.parse(localStorage.getItem('sb-localhost-auth-token')).access_token`);
  const fifth = await page.request.post('/functions/v1/crew-invite', {
    headers: { authorization: `Bearer ${token}` },
    data: { bookingId: id, requestId: crypto.randomUUID() },
  });
  expect(fifth.status()).toBe(409);
  await act(page.getByRole('group', { name: 'New link' }).getByRole('button', { name: 'Done' }));

  const guest = await somebody(browser, 'Europe/London');
  await guest.goto(urls[1] ?? '');
  await expect(guest.getByText(/6 pm to 8 pm, Sydney time$/)).toBeVisible();
  await checked(guest);
  await act(guest.getByRole('button', { name: 'Count me in' }));
  await expect(guest.getByRole('heading', { name: /^You’re in/ })).toHaveCount(0);
  await checked(guest);
  await type(guest.getByLabel('Your first name'), 'Sam');
  await act(guest.getByLabel('I have read and accept the studio rules'));
  await act(guest.getByRole('button', { name: 'Count me in' }));
  await expect(guest.getByRole('heading', { name: 'You’re in, Sam' })).toBeVisible();
  await checked(guest);

  await expect(crew.filter({ hasText: 'Sam' }).getByText('Joined')).toBeVisible();
  const staff = await somebody(browser, 'Australia/Sydney');
  await signIn(staff, admin);
  await staff.goto(`/admin?booking=${data?.reference}`);
  const seen = staff.getByRole('region', { name: 'Crew' }).getByRole('listitem');
  await expect(seen).toHaveCount(4);
  await expect(seen.filter({ hasText: 'Sam' })).toContainText('Joined');
  await checked(staff);

  await act(page.getByRole('button', { name: 'Cancel invite of Sam' }));
  const dialog = page.getByRole('dialog', { name: 'Cancel the invite of Sam?' });
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Cancel invite' }));
  await expect(crew).toHaveCount(3);
  await expect(invite).toBeEnabled();
  await expect(seen.filter({ hasText: 'Sam' })).toContainText('Taken back');
  await guest.reload();
  await expect(guest.getByText('This invitation was taken back.')).toBeVisible();
  await checked(guest);
  for (const tab of [guest, staff]) await tab.context().close();
});
