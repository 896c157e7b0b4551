import { expect, onTestFinished, test, vi } from 'vitest';
import type { Caller } from './caller.ts';
import { createGrantedCaller, type RoleGrant } from './granted-roles.ts';

function readAs(role: string): Promise<Caller> {
  return Promise.resolve({ role, userId: null, sessionId: null, claims: { role }, claimsJson: '{}', ip: '' });
}
const request = new Request('http://localhost/rest/v1/x');

test('the three roles of every installation need no lookup', async () => {
  const lookUp = vi.fn<(role: string) => Promise<RoleGrant>>();
  for (const role of ['anon', 'authenticated', 'service_role'])
    expect(await createGrantedCaller(() => readAs(role), lookUp)(request, '')).toMatchObject({ role });
  expect(lookUp).not.toHaveBeenCalled();
});

test('another role is looked up once in ten seconds, and refused when it is unknown or not granted', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  let grant: RoleGrant = 'granted';
  const lookUp = vi.fn(() => Promise.resolve(grant));
  const read = createGrantedCaller(() => readAs('reporter'), lookUp);
  await read(request, '');
  grant = 'not_granted';
  expect(await read(request, '')).toMatchObject({ role: 'reporter' });
  expect(lookUp).toHaveBeenCalledTimes(1);
  now.mockReturnValue(10_000);
  await expect(read(request, '')).rejects.toMatchObject({
    code: 'role_not_granted',
    message: 'permission denied to set role "reporter"',
  });
  grant = 'unknown';
  now.mockReturnValue(20_000);
  await expect(read(request, '')).rejects.toMatchObject({
    code: 'unknown_role',
    message: 'role "reporter" does not exist',
  });
});

test('a failed lookup is repeated by the next request', async () => {
  const lookUp = vi.fn<(role: string) => Promise<RoleGrant>>();
  lookUp.mockRejectedValueOnce(new Error('the database is away'));
  lookUp.mockResolvedValue('granted');
  const read = createGrantedCaller(() => readAs('reporter'), lookUp);
  await expect(read(request, '')).rejects.toThrow('away');
  expect(await read(request, '')).toMatchObject({ role: 'reporter' });
});
