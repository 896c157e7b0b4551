import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { expectToast, newPerson, sandbox, service, signIn, sydneyHour } from '../steps.ts';
import { FAR, act, book, checked, choose, chooseNextDay, ownDay, pay } from './driver.ts';
import { expectMoney, mailed } from './money.ts';

/** On weekdays an hour costs $49 by day and $59 from 6 pm. */
const [TUESDAY, WEDNESDAY] = [2, 3];
const getDialog = (page: Page) => page.getByRole('dialog');

/** Opens the dialog that moves a booking and chooses a start; `where` changes the room and the day. */
async function chooseStart(page: Page, start: string, where: { room?: string; day?: number } = {}): Promise<void> {
  await act(page.getByRole('button', { name: 'Move', exact: true }));
  const dialog = getDialog(page);
  await expect(dialog.getByRole('group', { name: /start at, Sydney time$/ })).toBeVisible();
  if (where.room !== undefined) await choose(dialog.getByLabel('Room'), where.room);
  if (where.day !== undefined) await chooseNextDay(dialog, where.day);
  const button = dialog.getByRole('button', { name: new RegExp(`^${start}, \\$`) });
  await expect(button).toBeEnabled();
  await checked(page);
  await act(button);
  await expect(dialog.getByRole('group', { name: 'Confirm' })).toBeVisible();
}

test.describe('in Los Angeles', () => {
  test.use({ timezoneId: 'America/Los_Angeles' });

  test('a booking moves to a dearer time that is paid, to another room at the same price, and to a cheaper day with a refund [spec 10.8]', async ({
    page,
  }) => {
    const at = ownDay(TUESDAY, FAR);
    const who = await newPerson(true);
    await signIn(page, who);
    const booked = await book(page, 'Studio A', at, [10]);
    await page.goto(`/bookings/${booked.reference}`);
    await expect(page.getByText(/10 am to 11 am, Sydney time$/)).toBeVisible();
    await checked(page);

    await chooseStart(page, '7 PM');
    const dialog = getDialog(page);
    await expect(dialog.getByText(/^This costs \$10 more\. We hold the new hours until /)).toBeVisible();
    await checked(page);
    await act(dialog.getByRole('button', { name: 'Pay $10 and change' }));
    await page.waitForURL(/\/c\/pay\//);
    // The booking keeps its old hours until the new ones are paid.
    await page.goto(`/bookings/${booked.reference}`);
    const waiting = page.getByRole('region', { name: 'Change that waits for your payment' });
    await expect(waiting).toContainText('7 pm to 8 pm');
    await expect(page.getByText(/10 am to 11 am, Sydney time$/)).toBeVisible();
    await checked(page);
    await act(waiting.getByRole('button', { name: 'Pay $10' }));
    await pay(page);
    await expect(page.getByRole('heading', { name: 'Booking changed' })).toBeVisible();
    await expect(page.getByText('Paid now')).toBeVisible();
    await checked(page);
    await act(page.getByRole('link', { name: 'Manage your booking' }));
    await expect(page.getByText(/7 pm to 8 pm, Sydney time$/)).toBeVisible();
    await expect(page.getByText('$10 paid for the change')).toBeVisible();
    await expectMoney(booked.reference, { paid: [4_900, 1_000], back: [] });

    await chooseStart(page, '7 PM', { room: 'Studio C' });
    await expect(dialog.getByText('The price stays the same.')).toBeVisible();
    await act(dialog.getByRole('button', { name: 'Change my booking' }));
    await expectToast(page, 'Your booking is changed', 'We’ve emailed you the new details.');
    await expect(page.getByRole('heading', { level: 1, name: 'Studio C' })).toBeVisible();

    await chooseStart(page, '9 AM', { day: at + 1 });
    await expect(dialog.getByText('You get $10 back on the card you paid with.')).toBeVisible();
    await checked(page);
    await act(dialog.getByRole('button', { name: 'Change my booking' }));
    await expect(dialog).toBeHidden();
    await expect(page.getByText(/9 am to 10 am, Sydney time$/)).toBeVisible();
    await expect(page.getByText('$10 sent back to you')).toBeVisible();
    await expect(page.getByText(/^Moved from Studio/)).toHaveCount(3);
    await checked(page);

    await expectMoney(booked.reference, { paid: [4_900, 1_000], back: [1_000] });
    const { data } = await service().from('bookings').select('start_time').eq('id', booked.id).single();
    expect(new Date(data?.start_time ?? 0)).toEqual(sydneyHour(at + 1, 9));
    const [last] = await mailed(who.email, 'Booking moved', 3);
    expect(last).toMatch(/Now: .*9 am to 10 am \(Sydney time\)/);
  });
});

test('of two tabs that move one booking the move that is paid counts, and the other is not charged [spec 10.8]', async ({
  page,
  context,
}) => {
  const at = ownDay(WEDNESDAY, FAR);
  const who = await newPerson(true);
  await signIn(page, who);
  const booked = await book(page, 'Studio A', at, [10]);
  const other = await context.newPage();
  for (const tab of [page, other]) await tab.goto(`/bookings/${booked.reference}`);
  await chooseStart(page, '7 PM');
  await chooseStart(other, '8 PM');
  await act(getDialog(page).getByRole('button', { name: 'Pay $10 and change' }));
  await page.waitForURL(/\/c\/pay\//);
  await act(getDialog(other).getByRole('button', { name: 'Pay $10 and change' }));
  await other.waitForURL(/\/c\/pay\//);
  await pay(other);
  await expect(other.getByRole('heading', { name: 'Booking changed' })).toBeVisible();
  await page.reload();
  await expect(page.getByText('This payment has expired')).toBeVisible();
  await page.goto(`/bookings/${booked.reference}`);
  await expect(page.getByText(/8 pm to 9 pm, Sydney time$/)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Change that waits for your payment' })).toBeHidden();
  await expectMoney(booked.reference, { paid: [4_900, 1_000], back: [] });
  await mailed(who.email, 'Booking moved');
});

test('a tab that closes after paying leaves one booking, at the new hours [spec 10.8]', async ({ page, context }) => {
  const at = ownDay(WEDNESDAY, FAR);
  const who = await newPerson(true);
  await signIn(page, who);
  const booked = await book(page, 'Studio B', at, [10]);
  await page.goto(`/bookings/${booked.reference}`);
  await chooseStart(page, '7 PM');
  await act(getDialog(page).getByRole('button', { name: 'Pay $10 and change' }));
  await page.waitForURL(/\/c\/pay\//);
  const session = /\/c\/pay\/(\w+)/.exec(page.url())?.[1] ?? '';
  const later = await context.newPage();
  await page.close();
  await sandbox(`/api/payments/${session}`, { outcome: 'paid' });
  await mailed(who.email, 'Booking moved');
  await later.goto('/bookings');
  await expect(later.getByRole('article')).toHaveCount(1);
  await expect(later.getByRole('article')).toContainText('7 pm to 8 pm');
  await checked(later);
  await expectMoney(booked.reference, { paid: [4_900, 1_000], back: [] });
});
