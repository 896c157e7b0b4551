import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { callFunction, fetchClient } from '../fetch-client.ts';
import { rest } from '../rest.ts';
import * as wire from './wire.ts';

const TOKEN = { token: 'Zx3vV0pWq8J9mM2rT5yB7cD1eF4gH6iK' };
const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

test('a function answers with the example of its contract, and then as the test says', async () => {
  const example = await callFunction('crew-page', TOKEN);
  expect(example).toEqual(wire.exampleFrom('crew-page'));
  wire.answer('crew-page', { ...example, host: 'Kim' });
  expect(await callFunction('crew-page', TOKEN)).toEqual({ ...example, host: 'Kim' });
  expect(wire.sent('crew-page')).toEqual([TOKEN, TOKEN]);
});

test('an answer can follow from the body, and one that the contract does not allow is a fault', async () => {
  wire.answerWith('wallet-pass', ({ kind }) => ({ url: kind === 'google' ? 'https://pass.example' : 'nowhere' }));
  const bookingId = '66666666-6666-4666-8666-666666666666';
  expect(await callFunction('wallet-pass', { bookingId, kind: 'google' })).toEqual({ url: 'https://pass.example' });
  expect(wire.takeFaults()).toEqual([]);
  await callFunction('wallet-pass', { bookingId, kind: 'apple' });
  expect(wire.takeFaults()).toEqual([expect.stringContaining('wallet-pass does not answer like this')]);
});

test('files, paths of other services and a stored session are answered too', async () => {
  wire.answerFile('staff-export', 'a,b', 'text/csv; charset=utf-8');
  const days = { from: '2031-03-01', to: '2031-03-31' };
  expect(await callFunction('staff-export', { kind: 'xero', ...days })).toBe('a,b');
  expect(() => wire.answerFile('staff-export', 'a,b', 'text/plain')).toThrow('does not answer with text/plain');
  wire.signIn('u');
  wire.answerPath('/auth/v1/user', { id: 'u' });
  const client = await fetchClient();
  expect((await client.auth.getUser()).data.user?.id).toBe('u');
});

test('the account API refuses with a code, by method where a path takes several, and cannot be reached', async () => {
  const { auth } = await fetchClient();
  wire.signIn('u', { email: 'u@example.com' });
  expect((await auth.getSession()).data.session?.user.email).toBe('u@example.com');
  wire.answerPath('GET /auth/v1/user', { id: 'u' });
  wire.refusePath('PUT /auth/v1/user', 422, 'weak_password', 'Too short.', { weak_password: { reasons: ['length'] } });
  expect((await auth.getUser()).data.user?.id).toBe('u');
  const refused = { code: 'weak_password', message: 'Too short.', status: 422, reasons: ['length'] };
  expect((await auth.updateUser({ password: 'short' })).error).toMatchObject(refused);
  expect(wire.sentTo('/auth/v1/user', 'PUT')).toMatchObject([{ body: { password: 'short' } }]);
  wire.fail('PUT /auth/v1/user', 0);
  expect((await auth.updateUser({ password: 'short' })).error?.message).toBe('Failed to fetch');
});

test('a refusal has the status and the words of its contract', async () => {
  wire.refuse('crew-page', 'invitation_ended');
  expect(await failure(callFunction('crew-page', TOKEN))).toEqual(
    new AppError('invitation_ended', 'This invitation was taken back.', 410, {
      code: 'invitation_ended',
      message: 'This invitation was taken back.',
    }),
  );
  expect(() => wire.refuse('crew-page', 'too_many_requests')).toThrow('has no message for too_many_requests');
  wire.refuse('crew-page', 'too_many_requests', { message: 'Wait.' });
  expect(await failure(callFunction('crew-page', TOKEN))).toMatchObject({ message: 'Wait.', status: 429 });
  wire.fail('crew-page', 0);
  expect(await failure(callFunction('crew-page', TOKEN))).toMatchObject({ code: 'offline', status: 0 });
});

test('a body that breaks its contract, an answer that no contract allows and a request without an answer are faults', async () => {
  await callFunction('crew-page', { token: '' });
  expect(wire.takeFaults()).toEqual([expect.stringContaining('crew-page was sent a body that its contract refuses')]);
  // @ts-expect-error the answer has further fields
  expect(() => wire.answer('crew-page', { host: 'Kim' })).toThrow('crew-page does not answer like this');
  await rest.from('studios').select();
  expect(wire.takeFaults()).toEqual(['nothing answers GET studios']);
  await failure(fetch('/elsewhere'));
  expect(wire.takeFaults()).toEqual([expect.stringContaining('GET /elsewhere')]);
});

test('tables answer with rows, one row or none, and functions of the database with a value', async () => {
  wire.answerRows('studios', [{ id: 'a' }]);
  wire.answerRows('staff_team', { staff: [] });
  expect((await rest.from('studios').select('id')).data).toEqual([{ id: 'a' }]);
  expect((await rest.from('studios').select('id').single()).data).toEqual({ id: 'a' });
  expect((await rest.rpc('staff_team', { at: 'now' })).data).toEqual({ staff: [] });
  expect(wire.sentTo('staff_team')).toMatchObject([{ method: 'POST', body: { at: 'now' } }]);
  wire.answerRows('studios', []);
  expect((await rest.from('studios').select('id').single()).error?.code).toBe('PGRST116');
  wire.refuseRows('studios', '42501', 'permission denied');
  expect((await rest.from('studios').select('id')).error).toMatchObject({
    code: '42501',
    message: 'permission denied',
  });
});

test('a held request waits until it is let go', async () => {
  const release = wire.pause('crew-page');
  let done = false;
  const call = callFunction('crew-page', TOKEN).then(() => (done = true));
  await wire.expectRequests('crew-page', 1);
  expect(done).toBe(false);
  release();
  await call;
  expect(done).toBe(true);
});

beforeEach(() => expect(wire.sentTo('crew-page')).toEqual([]));

describe('a request that is still held when its test ends', () => {
  let call: Promise<unknown> = Promise.resolve();
  test('waits until then', async () => {
    wire.pause('crew-page');
    call = callFunction('crew-page', TOKEN);
    await wire.expectRequests('crew-page', 1);
  });
  test('is answered afterwards, so that the run can end', async () => {
    expect(await call).toEqual(wire.exampleFrom('crew-page'));
  });
});
