import { readFileSync } from 'node:fs';
import { type Download, expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { newPerson, sandbox, sandboxUrl, signIn } from '../steps.ts';
import { FAR, act, book, checked, choose, ownDay } from './driver.ts';
import { readPdf } from '#tests/support/files/pdf-text.ts';
import { expectMoney } from './money.ts';
import { setBusiness } from './prepare.ts';

const THURSDAY = 4;
test.use({ timezoneId: 'Europe/London' });
test.beforeEach(() => setBusiness({ abn: '51824753556' }));
test.afterEach(() => setBusiness({ abn: '' }));

async function download(page: Page, button: Locator): Promise<Download> {
  const file = page.waitForEvent('download');
  await act(button);
  return file;
}
/** Returns the text of one of our PDF files on one line. */
const readText = async (file: Buffer): Promise<string> => (await readPdf(file)).join(' ').replaceAll('\n', ' ');
type Mail = { id: string; attachments: { filename: string }[] };
/** Returns the text of the PDF attached to a mail. */
async function attachedTo(email: string, subject: string): Promise<string> {
  let found: Mail | undefined;
  await expect
    .poll(async () => {
      [found] = await sandbox<Mail[]>(
        `/api/mail?to=${encodeURIComponent(email)}&subject=${encodeURIComponent(subject)}`,
      );
      return found !== undefined;
    })
    .toBe(true);
  const at = found?.attachments.findIndex(({ filename }) => filename.endsWith('.pdf'));
  const file = await fetch(`${sandboxUrl}/mail/${found?.id}/${at}`);
  return readText(Buffer.from(await file.arrayBuffer()));
}

test('a tax invoice and the adjustment note of a refund, as page, PDF and mail, equal the ledger to the cent [spec 10.7]', async ({
  page,
}) => {
  const who = await newPerson(true);
  await signIn(page, who);
  // The hour at 5 pm costs $49 and each later one $59, less 15 %.
  const booked = await book(page, 'Studio A', ownDay(THURSDAY, FAR), [17, 18, 19, 20]);
  await page.goto(`/bookings/${booked.reference}`);
  const papers = page.getByRole('region', { name: 'Tax invoice' });
  await expect(papers.getByRole('listitem')).toHaveText(/^Tax invoice \d{6}, .*: \$192$/);
  const invoice = /\d{6}/.exec((await papers.getByRole('listitem').textContent()) ?? '')?.[0] ?? '';
  const attached = await attachedTo(who.email, 'Booking confirmed');
  for (const text of ['Tax invoice', invoice, 'ABN 51 824 753 556', '$192.00', 'Total price includes GST of $17.45.'])
    expect(attached).toContain(text);

  await act(page.getByRole('button', { name: 'Move', exact: true }));
  const dialog = page.getByRole('dialog');
  await choose(dialog.getByLabel('How long'), '3 hours');
  await act(dialog.getByRole('button', { name: /^9 AM, \$/ }));
  await expect(dialog.getByText('You get $60 back on the card you paid with.')).toBeVisible();
  await act(dialog.getByRole('button', { name: 'Change my booking' }));
  await expect(dialog).toBeHidden();
  await expectMoney(booked.reference, { paid: [19_200], back: [6_000] });
  await expect(papers.getByRole('listitem')).toHaveText([/^Tax invoice /, /^Adjustment note \d{6}, .*: -\$60$/]);
  await checked(page);

  const html = await download(page, papers.getByRole('button', { name: 'Web page' }));
  expect(html.suggestedFilename()).toBe(`receipt-${booked.reference}.html`);
  const sheet = await page.context().newPage();
  await sheet.setContent(readFileSync(await html.path(), 'utf8'));
  const rows = (name: string) => sheet.getByRole('article').filter({ hasText: name }).getByRole('row');
  await expect(sheet.getByRole('heading', { level: 1 })).toHaveText(['Tax invoice', 'Adjustment note', 'Summary']);
  await expect(sheet.getByRole('article').first().getByRole('row')).toHaveText([
    '1 hour at $49.00$49.00',
    '3 hours at $59.00$177.00',
    'Volume discount-$34.00',
    'Total paid$192.00',
  ]);
  await expect(rows('Adjustment note').last()).toHaveText('Refunded-$60.00');
  await expect(sheet.getByText('The refund includes GST of $5.45.')).toBeVisible();
  await expect(rows('Summary')).toHaveText(['Paid in all$192.00', 'Refunded in all-$60.00', 'Left$132.00']);
  await expect(sheet.getByText('For tax invoice')).toBeVisible();
  await checked(sheet);

  const pdf = await download(page, papers.getByRole('button', { name: 'PDF' }));
  const texts = await readText(readFileSync(await pdf.path()));
  const shown = (await sheet.locator('h1, h2, dt, dd, th, td, p').allTextContents()).map((text) => text.trim());
  for (const text of shown.filter((text) => !text.includes('(Sydney time)'))) expect(texts).toContain(text);
  expect(await attachedTo(who.email, 'Your adjustment note')).toEqual(texts);
});
