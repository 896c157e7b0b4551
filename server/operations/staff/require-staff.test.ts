import { expect, test } from 'vitest';
import type { Caller } from '#server/http/caller.ts';
import { createFakeDatabase } from '#tests/support/fake-database.ts';
import { requireDeveloper, requireStaff } from './require-staff.ts';

const caller = (role: string, userId: string | null = null): Caller =>
  ({ role, userId, sessionId: 'session', ip: '', claims: {}, claimsJson: '{}' }) as Caller;
const notStaff = { code: 'not_yours', message: 'Only staff can do this.' };

test('the service key is staff, without a query', async () => {
  const { db, values } = createFakeDatabase({ staff: false });
  await requireStaff({ db }, caller('service_role'));
  await requireDeveloper({ db, developerPages: true }, caller('service_role'));
  expect(values).toEqual([]);
});

test('an account is staff when the database says so, for its session', async () => {
  const { db, values } = createFakeDatabase({ staff: true });
  await requireStaff({ db }, caller('authenticated', 'me'));
  expect(values).toEqual([['me', 'session']]);
});

test('nobody else is staff: a guest, a token without an account, another account, an account without an answer', async () => {
  for (const row of [{ staff: false }, null]) {
    const { db } = createFakeDatabase(row);
    await expect(requireStaff({ db }, caller('authenticated', 'me'))).rejects.toMatchObject(notStaff);
  }
  const { db } = createFakeDatabase({ staff: true });
  await expect(requireStaff({ db }, caller('anon'))).rejects.toMatchObject({
    code: 'not_signed_in',
    message: 'Please sign in first.',
  });
  await expect(requireStaff({ db }, caller('authenticated'))).rejects.toMatchObject(notStaff);
  await expect(requireDeveloper({ db, developerPages: true }, caller('anon'))).rejects.toMatchObject({
    code: 'not_signed_in',
  });
});

test('without developer pages, staff get not_found', async () => {
  const { db } = createFakeDatabase({ staff: true });
  await expect(requireDeveloper({ db, developerPages: false }, caller('authenticated', 'me'))).rejects.toMatchObject({
    code: 'not_found',
    message: 'The developer pages are switched off.',
  });
});
