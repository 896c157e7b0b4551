import { expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';

test('mails about failing jobs go to OWNER_EMAIL, otherwise to the admins, in the sandbox to its own admin', () => {
  const admins = 'a@example.com,b@example.com';
  expect(readConfig({ OWNER_EMAIL: 'owner@example.com', ADMIN_EMAILS: admins }).ownerEmails).toEqual([
    'owner@example.com',
  ]);
  expect(readConfig({ ADMIN_EMAILS: admins }).ownerEmails).toEqual(admins.split(','));
  expect(readConfig({}).ownerEmails).toEqual(['admin@example.com']);
  expect(() => readConfig({ OWNER_EMAIL: 'nobody' })).toThrow(ConfigRefused);
});
