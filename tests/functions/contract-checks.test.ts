import { expect, test } from 'vitest';
import * as contracts from '#contracts/calls.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { booking, createFunctionsApp, type FunctionsApp, readResponse } from './test-app.ts';

/** The server's response to an answer or a refusal that the contract of the call does not describe. */
const body = { studioId: booking.studioId, startTime: booking.startTime, endTime: booking.endTime };
const send = async (app: FunctionsApp) => readResponse(await app.send('hold-hours', 'person', { body }));
/** An answer with a text where the contract requires an instant. */
const wrong = () => ({ toISOString: () => 'soon' });
const unlisted = () => {
  throw new Refusal('last_owner', 'There must be an owner.');
};

test('an answer that breaks its contract is 500 outside production, and the log says where', async () => {
  const app = createFunctionsApp();
  app.answers['holdEarly'] = wrong;
  expect(await send(app)).toMatchObject({ status: 500, body: { error: { code: 'internal' } } });
  expect(String(app.logFields[0]?.['err'])).toMatch(/answer of hold-hours breaks its contract.*heldUntil/s);
});

test('a refusal that its contract does not list is 500 outside production, and the log names it', async () => {
  const app = createFunctionsApp();
  app.answers['holdEarly'] = unlisted;
  expect(await send(app)).toMatchObject({ status: 500, body: { error: { code: 'internal' } } });
  expect(String(app.logFields[0]?.['err'])).toContain('contract of hold-hours does not list the refusal last_owner');
});

test('in production neither is compared: a customer gets the answer and the refusal as they are', async () => {
  const app = createFunctionsApp({ checked: false });
  app.answers['holdEarly'] = wrong;
  expect(await send(app)).toMatchObject({ status: 200, body: { heldUntil: 'soon' } });
  app.answers['holdEarly'] = unlisted;
  expect(await send(app)).toMatchObject({ status: 409, body: { error: { code: 'last_owner' } } });
});

test('openapi.json needs no key and has a path for each call', async () => {
  const app = createFunctionsApp();
  const answer = await readResponse(await app.send('openapi.json', 'none', { method: 'GET' }));
  expect(answer).toMatchObject({ status: 200, body: { openapi: '3.1.1' } });
  expect(Object.keys(Object(answer.body).paths)).toContain('/hold-hours');
});

test('each contract has a function, at the address that it names', async () => {
  const app = createFunctionsApp();
  for (const { name } of Object.values(contracts)) {
    // No function accepts this method, so each lists the methods that it accepts.
    const { status } = await readResponse(await app.send(name, 'none', { method: 'DELETE' }));
    expect([name, status]).toEqual([name, 405]);
  }
});
