import { expect, test } from 'vitest';
import type { Caller } from '#server/http/caller.ts';
import { createFakeDatabase } from '#tests/support/fake-database.ts';
import { hasPermission, requireDeveloper, requirePermission } from './require-permission.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

const caller = (role: string, userId: string | null = null): Caller =>
  ({ role, userId, sessionId: 'session', ip: '', claims: {}, claimsJson: '{}' }) as Caller;
/** Services of a server with the developer pages on or off. */
const onPages = (db: ReturnType<typeof createFakeDatabase>['db'], developerPages: boolean) =>
  servicesWith({ db, config: { developerPages } });
const notStaff = { code: 'not_yours', message: 'Only staff can do this.' };

test('the service key has every permission, without a query', async () => {
  const { db, values } = createFakeDatabase({ staff: false, permitted: false });
  await requirePermission(servicesWith({ db }), caller('service_role'), 'owner');
  await requireDeveloper(onPages(db, true), caller('service_role'));
  expect(await hasPermission(servicesWith({ db }), caller('service_role'), 'money')).toBe(true);
  expect(values).toEqual([]);
});

test('an account has a permission when the database says so, for its session', async () => {
  const { db, values } = createFakeDatabase({ staff: true, permitted: true });
  await requirePermission(servicesWith({ db }), caller('authenticated', 'me'), 'bookings');
  await requireDeveloper(onPages(db, true), caller('authenticated', 'me'));
  expect(await hasPermission(servicesWith({ db }), caller('authenticated', 'me'), 'money')).toBe(true);
  expect(values).toEqual([
    ['me', 'session', 'bookings'],
    ['me', 'session', 'settings'],
    ['me', 'session', 'money'],
  ]);
});

test('staff without the permission are refused with its name', async () => {
  const { db } = createFakeDatabase({ staff: true, permitted: false });
  const refused = {
    code: 'not_yours',
    message: 'You need the “Money” permission for this. An owner can give it to you.',
    details: { permission: 'money' },
  };
  await expect(requirePermission(servicesWith({ db }), caller('authenticated', 'me'), 'money')).rejects.toMatchObject(
    refused,
  );
  await expect(requireDeveloper(onPages(db, true), caller('authenticated', 'me'))).rejects.toMatchObject({
    code: 'not_yours',
    details: { permission: 'settings' },
  });
  expect(await hasPermission(servicesWith({ db }), caller('authenticated', 'me'), 'money')).toBe(false);
});

test('where only the second factor is missing, staff are told what to do', async () => {
  const { db } = createFakeDatabase({ staff: true, permitted: false, missesFactor: true });
  await expect(requirePermission(servicesWith({ db }), caller('authenticated', 'me'), 'money')).rejects.toMatchObject({
    code: 'second_factor_required',
    message: expect.stringMatching('account settings'),
    details: { permission: 'money' },
  });
  expect(await hasPermission(servicesWith({ db }), caller('authenticated', 'me'), 'money')).toBe(false);
});

test('nobody else is staff: a guest, a token without an account, another account, an account without an answer', async () => {
  for (const row of [{ staff: false, permitted: false }, null]) {
    const { db } = createFakeDatabase(row);
    await expect(requirePermission(servicesWith({ db }), caller('authenticated', 'me'), 'money')).rejects.toMatchObject(
      notStaff,
    );
    expect(await hasPermission(servicesWith({ db }), caller('authenticated', 'me'), 'money')).toBe(false);
  }
  const { db } = createFakeDatabase({ staff: true, permitted: true });
  await expect(requirePermission(servicesWith({ db }), caller('anon'), 'money')).rejects.toMatchObject({
    code: 'not_signed_in',
    message: 'Please sign in first.',
  });
  await expect(requirePermission(servicesWith({ db }), caller('authenticated'), 'money')).rejects.toMatchObject(
    notStaff,
  );
  await expect(requireDeveloper(onPages(db, true), caller('anon'))).rejects.toMatchObject({
    code: 'not_signed_in',
  });
});

test('without developer pages, staff get not_found', async () => {
  const { db } = createFakeDatabase({ staff: true, permitted: true });
  await expect(requireDeveloper(onPages(db, false), caller('authenticated', 'me'))).rejects.toMatchObject({
    code: 'not_found',
    message: 'The developer pages are switched off.',
  });
});
