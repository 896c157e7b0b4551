import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { startProgram } from '#tests/support/program.ts';
import { insertBooking, newPerson, service, signIn, sydneyHour } from '../steps.ts';
import { FAR, act, book, checked, ownDay } from './driver.ts';
import { reach } from '../keyboard.ts';

const SUNDAY = 0;
test.use({ timezoneId: 'Europe/London' });

test('each kind of reminder is switched by itself and stays so [spec 10.10]', async ({ page }) => {
  const who = await newPerson(true);
  await signIn(page, who);
  await page.goto('/profile#reminders');
  const byMail = page.getByLabel('An email 24 hours before a session');
  const thanks = page.getByLabel(/^An email after a session/);
  for (const box of [byMail, thanks]) await expect(box).toBeChecked();
  await checked(page);
  await act(byMail);
  await expect(byMail).not.toBeChecked();
  // Reads the server's state, because the page already shows the new value while it saves.
  const saved = async (): Promise<unknown> =>
    (await service().from('profiles').select('remind_by_email, thank_by_email').eq('id', who.id).single()).data;
  await expect.poll(saved).toEqual({ remind_by_email: false, thank_by_email: true });
  await page.reload();
  await expect(byMail).not.toBeChecked();
  await expect(thanks).toBeChecked();
  await act(byMail);
  await act(thanks);
  await expect.poll(saved).toEqual({ remind_by_email: true, thank_by_email: false });
});

test('a booking goes into a calendar at the right instants, by link and by file [spec 10.11]', async ({ page }) => {
  const at = ownDay(SUNDAY, FAR);
  const who = await newPerson(true);
  await signIn(page, who);
  const booked = await book(page, 'Studio C', at, [21, 22]);
  await page.goto(`/bookings/${booked.reference}`);
  const calendars = page.getByRole('region', { name: 'Add to your calendar' });
  const utc = (hour: number): string =>
    sydneyHour(at, hour)
      .toISOString()
      .replace(/[-:]|\.\d{3}/g, '');
  const google = calendars.getByRole('link', { name: 'Google' });
  await reach(page, google);
  const link = new URL((await google.getAttribute('href')) ?? '');
  expect(link.origin).toBe('https://calendar.google.com');
  expect(link.searchParams.get('dates')).toBe(`${utc(21)}/${utc(23)}`);
  expect(link.searchParams.get('text')).toContain('Studio C');

  const download = page.waitForEvent('download');
  await act(calendars.getByRole('button', { name: 'Apple, Outlook (.ics)' }));
  const file = await download;
  expect(file.suggestedFilename()).toBe(`${booked.reference}.ics`);
  // The file folds long lines, so they are unfolded here.
  const lines = readFileSync(await file.path(), 'utf8')
    .replaceAll('\r\n ', '')
    .split('\r\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'BEGIN:VCALENDAR',
      'METHOD:PUBLISH',
      `UID:${booked.id}@bookings`,
      `DTSTART:${utc(21)}`,
      `DTEND:${utc(23)}`,
      'STATUS:CONFIRMED',
    ]),
  );
  expect(lines.find((line) => line.startsWith('DESCRIPTION:'))).toContain(booked.reference);
});

test.describe('with the keys of both wallets, on a phone of Apple', () => {
  test.use({ userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148' });

  test('a booking is saved in a wallet [spec 10.12]', async ({ page }) => {
    const folder = mkdtempSync(join(tmpdir(), 'wallet-'));
    const file = (name: string): string => join(folder, name);
    const certificate = (name: string, subject: string, by: readonly string[] = []): void => {
      const to = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', subject, '-newkey', 'rsa:2048'];
      const result = spawnSync('openssl', ['req', '-x509', '-nodes', '-days', '9', ...to, ...by], { cwd: folder });
      expect(result.status).toBe(0);
    };
    certificate('authority', '/CN=Authority');
    const type = 'pass.com.example.booking';
    certificate('pass', `/UID=${type}/CN=Pass Type ID: ${type}/OU=TEAM123456/O=Example`, [
      '-CA',
      'authority.pem',
      '-CAkey',
      'authority.key',
      '-addext',
      'basicConstraints=CA:FALSE',
    ]);
    const key = readFileSync(file('pass.key'), 'utf8');
    writeFileSync(file('google.json'), JSON.stringify({ client_email: 'passes@example.com', private_key: key }));
    const program = await startProgram({
      migrated: true,
      env: {
        WALLET_APPLE_CERTIFICATE_FILE: file('pass.pem'),
        WALLET_APPLE_KEY_FILE: file('pass.key'),
        WALLET_APPLE_AUTHORITY_CERTIFICATE_FILE: file('authority.pem'),
        WALLET_GOOGLE_ISSUER_ID: '3388000000012345678',
        WALLET_GOOGLE_SERVICE_KEY_FILE: file('google.json'),
      },
    });
    const others = process.env['E2E_DATA_DIR'];
    process.env['E2E_DATA_DIR'] = program.dataDir;
    try {
      const who = await newPerson(true);
      const span = { start: sydneyHour(9, 10), end: sydneyHour(9, 12) };
      const id = await insertBooking({ userId: who.id, studio: 'Studio A', ...span, status: 'confirmed' });
      await signIn(page, who);
      await page.goto(`${program.apiUrl}/bookings/${id}`);
      const wallets = page.getByRole('region', { name: 'Save it on your phone' });
      await expect(wallets.getByRole('button')).toHaveText(['Add to Apple Wallet', 'Add to Google Wallet']);
      await checked(page);
      const download = page.waitForEvent('download');
      await act(wallets.getByRole('button', { name: 'Add to Apple Wallet' }));
      expect((await download).suggestedFilename()).toMatch(/\.pkpass$/);
      await page.route('https://pay.google.com/**', (route) => route.fulfill({ body: 'Google Wallet' }));
      await act(wallets.getByRole('button', { name: 'Add to Google Wallet' }));
      await page.waitForURL(/^https:\/\/pay\.google\.com\/gp\/v\/save\/[\w-]+\.[\w-]+\.[\w-]+$/);
    } finally {
      process.env['E2E_DATA_DIR'] = others;
      await program.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
