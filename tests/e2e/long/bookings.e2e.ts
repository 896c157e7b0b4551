import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { insertBooking, newPerson, sandbox, service, signIn } from '../steps.ts';
import { FAR, act, book, checked, ownDay } from './driver.ts';
import { expectMoney } from './money.ts';

const [HOUR, SATURDAY] = [3_600_000, 6];
test.use({ timezoneId: 'America/Los_Angeles' });

type Door = { id: string };
/** Returns a room that is free at this hour, so that journeys in running sessions can follow each other. */
async function freeRoom(start: Date): Promise<string> {
  const { data } = await service()
    .from('bookings')
    .select('studio_name')
    .neq('status', 'cancelled')
    .gt('end_time', start.toISOString())
    .lt('start_time', new Date(start.getTime() + HOUR).toISOString());
  const taken = (data ?? []).map(({ studio_name: name }) => name);
  return ['Studio C', 'Studio B', 'Studio A'].find((room) => !taken.includes(room)) ?? '';
}

test('the next booking comes first with all it needs; each has its page and timeline; past ones have the receipt and can be booked again [spec 10.6]', async ({
  page,
}) => {
  const who = await newPerson(true);
  const start = new Date(Math.floor(Date.now() / HOUR) * HOUR);
  const room = await freeRoom(start);
  const span = { userId: who.id, studio: room, status: 'confirmed' } as const;
  const now = await insertBooking({ ...span, start, end: new Date(start.getTime() + HOUR) });
  const long = new Date(start.getTime() - ownDay(SATURDAY, FAR) * 24 * HOUR);
  await insertBooking({ ...span, start: long, end: new Date(long.getTime() + HOUR) });
  await signIn(page, who);
  const paid = await book(page, 'Studio B', ownDay(SATURDAY, FAR), [9]);

  await page.goto('/bookings');
  const cards = page.getByRole('article');
  await expect(cards.getByRole('heading')).toHaveText([room, 'Studio B']);
  await expect(cards.first()).toContainText('On now');
  await expect(cards.first().getByRole('img')).toHaveCount(1);
  await expect(cards.last()).toContainText('9 am to 10 am');
  await checked(page);

  await act(cards.first().getByRole('link', { name: 'Access code' }));
  const pin = page.getByTestId('pin');
  await expect(pin).toHaveText(/\d/, { timeout: 30_000 });
  const digits = ((await pin.textContent()) ?? '').replace(/\D/g, '');
  const doors = await sandbox<Door[]>('/api/doors');
  const opened = await Promise.all(
    doors.map(
      async ({ id }) => (await sandbox<{ opened: boolean }>(`/api/doors/${id}/keypad`, { pin: digits })).opened,
    ),
  );
  expect(opened.filter(Boolean)).toHaveLength(1);
  await page.goto('/bookings');
  await act(cards.first().getByRole('link', { name: 'Details, receipt' }));
  const events = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
  await expect(events.getByText('Access code made')).toBeVisible();
  await expect(events.getByText('Door opened')).toBeVisible();
  await expect(events.first()).toContainText('Hours held for you');
  await expect(page.getByText('left', { exact: false }).first()).toBeVisible();
  await checked(page);

  await act(page.getByRole('link', { name: 'Your bookings' }));
  await act(cards.last().getByRole('button', { name: 'Cancel' }));
  await act(page.getByRole('dialog').getByRole('button', { name: 'Cancel booking' }));
  await expect(page.getByText(/\$59 is on its way back to your card/).first()).toBeVisible();
  await act(page.getByText('Past and cancelled (2)'));
  await expect(page.getByText(/Studio B \(cancelled, \$59 refunded\)/)).toBeVisible();
  await checked(page);
  await act(page.getByRole('link', { name: new RegExp(`^${paid.reference}`) }));
  await expect(events).toContainText(['Hours held for you', '$59 paid', 'Cancelled', '$59 sent back to you']);
  await expect(page.getByRole('region', { name: 'Receipt' }).getByRole('listitem')).toHaveText([
    /^Receipt \d{6}, .*: \$59$/,
    /^Refund \d{6}, .*: -\$59$/,
  ]);
  await checked(page);
  await expectMoney(paid.reference, { paid: [5_900], back: [5_900] });

  await act(page.getByRole('link', { name: 'Your bookings' }));
  await act(page.getByText('Past and cancelled (2)'));
  const past = page.getByRole('listitem').filter({ hasNotText: 'cancelled' });
  await act(past.getByRole('link', { name: /details and receipt$/ }));
  await expect(page.getByText('Past', { exact: true })).toBeVisible();
  await expect(events.getByText('Session ended')).toBeVisible();
  await act(page.getByRole('link', { name: /^Book again/ }));
  await expect(page.getByLabel('Your selection')).toContainText(room);
  // Frees the hour for the next journey.
  await service().from('bookings').update({ status: 'cancelled' }).eq('id', now);
});
