import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { venue } from '#rules/venue.ts';
import { readConfig } from '#server/config.ts';
import { readSourceFiles } from './support/source-files.ts';

/** Files that may contain the name of the business. The default sender needs it, and settings must not import rules. */
const MAY_NAME_IT = ['rules/venue.ts', 'server/config/checks.ts'];

test('the name of the business is only in rules/venue.ts', () => {
  const [first, second] = venue.nameLines;
  const named = readSourceFiles()
    .filter(({ path }) => /^(web|rules|server|database)\//.test(path) && !/\.test\.tsx?$/.test(path))
    .filter(({ text }) => text.includes(venue.name) || text.includes(second) || text.includes(`'${first}', '`))
    .map(({ path }) => path);
  expect(named.toSorted((a, b) => a.localeCompare(b))).toEqual(MAY_NAME_IT);
});

test('what staff can change is read from the settings, not from the values that the business begins with', () => {
  const fixed =
    /\bvenue\.(name|nameLines|legalName|abn|address|email|instagram)\b|\b(settings|studio)\.(horizonDays|freeCancelHours|termsVersion)\b/;
  const used = readSourceFiles()
    .filter(({ path }) => /^(web|rules|server)\//.test(path) && !/\.test\.tsx?$/.test(path))
    .filter(({ text }) => fixed.test(text))
    .map(({ path }) => path);
  expect(used.toSorted((a, b) => a.localeCompare(b))).toEqual([
    // These are the first settings themselves, a page for developers, and a comparison with the first address.
    'rules/business/first-settings.ts',
    'web/pages/developer/primitives.tsx',
    'web/prerender.tsx',
  ]);
});

test('hosted identity checks are on in the sandbox and with a restricted key, unless HOSTED_ID_CHECKS says otherwise', () => {
  const real = {
    SANDBOX: 'off',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    IGLOOHOME_CLIENT_ID: 'id',
    IGLOOHOME_CLIENT_SECRET: 'secret',
    IGLOOHOME_LOCKS: 'Studio A=SP1,Studio B=SP2,Studio C=SP3',
    SHELLY_URL: 'https://plugs.example.com',
    SMTP_URL: 'smtp://mail.example.com',
    SITE_URL: 'https://example.com',
  };
  const on = (more: Record<string, string>): boolean => readConfig({ ...real, ...more }).stripe.hostedChecks;
  expect(readConfig({}).stripe.hostedChecks).toBe(true);
  expect(readConfig({ HOSTED_ID_CHECKS: 'false' }).stripe.hostedChecks).toBe(false);
  expect(on({})).toBe(false);
  expect(on({ STRIPE_RESTRICTED_KEY: 'rk_test_1' })).toBe(true);
  expect(on({ HOSTED_ID_CHECKS: 'true' })).toBe(true);
  expect(on({ STRIPE_RESTRICTED_KEY: 'rk_test_1', HOSTED_ID_CHECKS: 'false' })).toBe(false);
});

test('the default sender has the name and the address of the business', () => {
  expect(readConfig({}).mailFrom).toBe(`${venue.name} <${venue.email}>`);
});

test('a secret is read from the file that NAME_FILE names, and one that cannot be read is a fault', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  try {
    const secret = 's'.repeat(32);
    const config = readConfig({
      JWT_SECRET_FILE: file('jwt', `${secret}\n`),
      BACKUP_PASSPHRASE_FILE: file('passphrase', 'a few words\r\n with a space '),
      // This variable belongs to the platform, and the server does not read it.
      AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere',
    });
    expect(config.keys.jwtSecret).toBe(secret);
    expect(config.backup.passphrase).toBe('a few words\r\n with a space ');
    // A backup contains the settings, but not the passphrase that opens it.
    expect(config.settings).toEqual({ JWT_SECRET: secret });
    const missing = join(folder, 'missing');
    const refused = (env: Record<string, string>) => expect(() => readConfig(env));
    refused({ JWT_SECRET_FILE: missing }).toThrow(`JWT_SECRET_FILE: ${missing} cannot be read (ENOENT)`);
    refused({ JWT_SECRET_FILE: file('empty', '\n') }).toThrow('is empty');
    refused({ JWT_SECRET: secret, JWT_SECRET_FILE: missing }).toThrow('JWT_SECRET is set too; set one of them');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
