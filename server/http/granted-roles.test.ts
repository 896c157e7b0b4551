import { expect, onTestFinished, test, vi } from 'vitest';
import type { Caller } from './caller.ts';
import { createGrantedCaller, type RoleGrant } from './granted-roles.ts';

function readAs(role: string): Promise<Caller> {
  return Promise.resolve({ role, userId: null, sessionId: null, claims: { role }, claimsJson: '{}', ip: '' });
}
const request = new Request('http://localhost/rest/v1/x');

test('the three roles of every installation are never asked about', async () => {
  const ask = vi.fn<(role: string) => Promise<RoleGrant>>();
  for (const role of ['anon', 'authenticated', 'service_role'])
    expect(await createGrantedCaller(() => readAs(role), ask)(request, '')).toMatchObject({ role });
  expect(ask).not.toHaveBeenCalled();
});

test('a further role is asked about once in ten seconds, and refused when it is unknown or not granted', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  let grant: RoleGrant = 'granted';
  const ask = vi.fn(() => Promise.resolve(grant));
  const read = createGrantedCaller(() => readAs('reporter'), ask);
  await read(request, '');
  grant = 'not_granted';
  expect(await read(request, '')).toMatchObject({ role: 'reporter' });
  expect(ask).toHaveBeenCalledTimes(1);
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

test('a question that failed is asked again', async () => {
  const ask = vi.fn<(role: string) => Promise<RoleGrant>>();
  ask.mockRejectedValueOnce(new Error('the database is away'));
  ask.mockResolvedValue('granted');
  const read = createGrantedCaller(() => readAs('reporter'), ask);
  await expect(read(request, '')).rejects.toThrow('away');
  expect(await read(request, '')).toMatchObject({ role: 'reporter' });
});
