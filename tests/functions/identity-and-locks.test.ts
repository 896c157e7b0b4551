import { beforeEach, describe, expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { BOOKING, createFunctionsApp, NOW, type FunctionsApp, PERSON, STAFF, readResponse } from './test-app.ts';

let app: FunctionsApp;
beforeEach(() => {
  app = createFunctionsApp();
});
const operationCalls = (): FunctionsApp['calls'] => app.calls.filter(([name]) => name !== 'readCaller');
const ok = (body: unknown, status = 200) => ({ status, body, retryAfter: null });

describe('check-verification-and-checkout', () => {
  const check = async (body: unknown) =>
    readResponse(await app.send('check-verification-and-checkout', 'person', { body }));

  test('reads the check of the caller, whoever the body names', async () => {
    app.answers['readHostedCheck'] = () => ({ verified: true, status: 'verified', error: null });
    expect(await check({ verificationSessionId: 'vs_1', userId: STAFF })).toEqual(
      ok({ verified: true, status: 'verified', checkoutUrl: '/checkout' }),
    );
    expect(operationCalls()).toEqual([['readHostedCheck', PERSON, 'vs_1']]);
  });

  test('gives no checkout URL without verification, and says why', async () => {
    app.answers['readHostedCheck'] = () => ({ verified: false, status: 'failed', error: 'The name differs.' });
    expect(await check({ verificationSessionId: 'vs_1' })).toEqual(
      ok({ verified: false, status: 'failed', checkoutUrl: null, error: 'The name differs.' }),
    );
  });

  test.each(['vs_1', 'vs_test_1PqRs7', `vs_${'x'.repeat(200)}`])(
    'accepts the session id %s',
    async (verificationSessionId) => {
      app.answers['readHostedCheck'] = () => ({ verified: false, status: 'processing', error: null });
      expect(await check({ verificationSessionId })).toMatchObject({ status: 200 });
      expect(operationCalls()).toEqual([['readHostedCheck', PERSON, verificationSessionId]]);
    },
  );

  test.each([undefined, null, 1, '', 'vs_', 'xvs_1', 'vs_a-b', `vs_${'x'.repeat(201)}`])(
    'refuses the session id %j',
    async (verificationSessionId) => {
      expect(await check({ verificationSessionId })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request', field: 'verificationSessionId' } },
      });
      expect(operationCalls()).toEqual([]);
    },
  );

  test('explains an invalid session id', async () => {
    expect(await check({ verificationSessionId: 'x' })).toMatchObject({
      body: { error: { message: 'verificationSessionId: not a verification session' } },
    });
  });
});

test('create-verification-session starts a check for the caller', async () => {
  app.answers['startHostedCheck'] = () => ({ id: 'vs_1', url: 'https://verify.example/1' });
  expect(
    await readResponse(await app.send('create-verification-session', 'person', { body: { userId: STAFF } })),
  ).toEqual(ok({ verificationSessionId: 'vs_1', verificationUrl: 'https://verify.example/1' }));
  expect(operationCalls()).toEqual([['startHostedCheck', PERSON, 'person@example.com']]);
});

describe('verify-id', () => {
  const judgement = {
    decision: 'review',
    isFinal: false,
    isOver18: true,
    age: 41,
    isExpired: false,
    isNsw: true,
    nameMatch: { status: 'partial', details: 'The middle name differs.' },
    dobMatches: true,
    reasons: ['The middle name differs.'],
  };
  const reading = {
    givenNames: 'Ada  King Mary',
    familyName: 'Lovelace',
    dateOfBirth: { iso: '1990-01-02', printed: '02 JAN 1990' },
    expiry: { iso: '2033-04-05', printed: null },
    confidence: 87,
  };
  const picture = Buffer.from('a picture that is long enough');
  const idImage = `data:image/jpeg;base64,${picture.toString('base64')}`;
  const send = async (body: unknown) => readResponse(await app.send('verify-id', 'person', { body }));
  const answering = (more: object = {}) => {
    app.answers['checkPhoto'] = () => ({
      id: BOOKING,
      judgement,
      reasons: ['Read by the customer.'],
      reading: { ...reading, ...more },
      profileBirthDate: '1990-01-02',
    });
  };

  test('passes on the bytes of the picture and returns the decision', async () => {
    answering();
    expect(await send({ idImage, userId: STAFF })).toEqual(
      ok({
        verificationId: BOOKING,
        decision: 'review',
        isFinal: false,
        hostedCheck: false,
        verification_status: 'review',
        extractedData: {
          fullName: 'Ada  King Mary Lovelace',
          firstName: 'Ada',
          middleName: 'King Mary',
          lastName: 'Lovelace',
          dateOfBirth: '1990-01-02',
          expiryDate: '2033-04-05',
        },
        isOver18: true,
        age: 41,
        isExpired: false,
        isNswLicense: true,
        nameMatchStatus: 'partial',
        nameMatchDetails: 'The middle name differs.',
        profileDob: '1990-01-02',
        dobMatches: true,
        aiRawResponse: null,
        aiConfidenceScore: 87,
        failureReasons: ['Read by the customer.'],
      }),
    );
    expect(operationCalls()).toEqual([['checkPhoto', PERSON, picture]]);
  });

  test.each([
    [
      { givenNames: null, familyName: null },
      { fullName: null, firstName: null, middleName: null, lastName: null },
    ],
    [
      { givenNames: 'Ada', familyName: null },
      { fullName: 'Ada', firstName: 'Ada', middleName: null, lastName: null },
    ],
    [
      { givenNames: null, familyName: 'Lovelace' },
      { fullName: 'Lovelace', firstName: null, middleName: null, lastName: 'Lovelace' },
    ],
  ])('answers the names that were read from %j, and null for the others', async (names, expected) => {
    answering(names);
    expect(await send({ idImage })).toMatchObject({ status: 200, body: { extractedData: expected } });
  });

  test.each([{}, { idImage: null }, { idImage: 7 }, { idImage: 'x'.repeat(29) }])('refuses %j', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { error: { field: 'idImage' } } });
    expect(operationCalls()).toEqual([]);
  });

  test('refuses anything but a picture with 422', async () => {
    expect(await send({ idImage: 'x'.repeat(30) })).toMatchObject({
      status: 422,
      body: { error: { code: 'image_refused' } },
    });
    expect(operationCalls()).toEqual([]);
  });

  test('accepts a picture field of 14.1 million characters, and a body of 64 KiB more', async () => {
    const field = 14_100_000;
    const tooLong = await send({ idImage: 'x'.repeat(field + 1) });
    expect(tooLong).toMatchObject({ status: 400, body: { error: { field: 'idImage' } } });
    expect(await send({ idImage: 'x'.repeat(field) })).toMatchObject({ status: 422 });
    expect(await send(`"${'x'.repeat(field + 64 * 1024 - 2)}"`)).toMatchObject({ status: 400 });
    expect(await send(`"${'x'.repeat(field + 64 * 1024 - 1)}"`)).toMatchObject({ status: 413 });
  });
});

describe('functions for developers', () => {
  test('test-igloohome-config returns the mode and the locks', async () => {
    expect(await readResponse(await app.send('test-igloohome-config', 'staff'))).toEqual(
      ok({
        success: true,
        message: 'Mode bridge, 2 locks set.',
        response: { mode: 'bridge', locks: ['lock-1', 'lock-2'] },
      }),
    );
  });

  test('test-igloohome-oauth returns the devices', async () => {
    app.answers['locks.check'] = () => ({ devices: ['a', 'b', 'c'].map((id) => ({ id })) });
    expect(await readResponse(await app.send('test-igloohome-oauth', 'staff'))).toEqual(
      ok({ success: true, message: 'Signed in; 3 devices.', response: { devices: ['a', 'b', 'c'] } }),
    );
  });

  test('test-igloohome-pin issues a code for the caller', async () => {
    const issued = { pin: '123456', pinId: null, deviceId: 'lock-1' };
    app.answers['issueTestPin'] = () => ({ ...issued, startTime: NOW, endTime: NOW });
    const hours = { startTime: NOW.toISOString(), endTime: NOW.toISOString() };
    const answer = ok({ success: true, message: 'PIN created.', pinData: { ...issued, ...hours } });
    expect(await readResponse(await app.send('test-igloohome-pin', 'staff'))).toEqual(answer);
    expect(await readResponse(await app.send('test-igloohome-pin', 'service'))).toEqual(answer);
    expect(operationCalls()).toEqual([
      ['issueTestPin', STAFF],
      ['issueTestPin', null],
    ]);
  });

  test('a refusal by the lock system is reported as its error, and our own failure is not', async () => {
    app.answers['locks.check'] = () => {
      throw new ProviderError('igloohome', 'invalid_client', { retryable: false });
    };
    expect(await readResponse(await app.send('test-igloohome-oauth', 'staff'))).toEqual(
      ok({ success: false, error: 'invalid_client' }),
    );
    app.answers['issueTestPin'] = () => {
      throw new Error('database gone');
    };
    expect((await app.send('test-igloohome-pin', 'staff')).status).toBe(500);
    app.answers['issueTestPin'] = () => {
      throw new Refusal('not_found', 'No.');
    };
    expect((await app.send('test-igloohome-pin', 'staff')).status).toBe(404);
  });
});

describe('igloohome-webhook', () => {
  const entry = { logType: 20, entryDate: 1_935_446_400, pin: '482913' };
  const report = (activityLogs: unknown, type: unknown = 5, id: unknown = 'lock-1') => ({
    payload: { product: { id }, event: { type, data: { activityLogs } } },
  });
  const send = async (body: unknown) => readResponse(await app.send('igloohome-webhook', 'none', { body }));
  beforeEach(() =>
    Object.assign(app.answers, {
      verifyLockWebhook: () => true,
      recordReport: () => undefined,
      recordBridge: () => undefined,
    }),
  );
  const stored = () => operationCalls().filter(([name]) => name === 'recordReport' || name === 'recordBridge');

  test('verifies the raw text before it reads it', async () => {
    app.answers['verifyLockWebhook'] = () => false;
    expect(await send('{ "raw": 1')).toEqual(
      ok({ error: { code: 'invalid_request', message: 'The signature is invalid.' } }, 400),
    );
    expect(operationCalls()).toEqual([['verifyLockWebhook', expect.any(Request), '{ "raw": 1']]);
  });

  test('stores each entry of the log with its kind, the lock and the time', async () => {
    const kinds = {
      code: [19, 20, 22],
      wrong_code: [16],
      master_code: [18],
      bluetooth: [11, 37],
      card: [43],
      fingerprint: [56],
      from_inside: [50, 51, 52],
      locked: [49],
      break_in: [53],
      other: [0, 21, 99],
    };
    const expected = Object.entries(kinds).flatMap(([kind, types]) => types.map((type) => [kind, type] as const));
    expect(await send(report(expected.map(([, logType]) => ({ ...entry, logType }))))).toEqual(ok({ received: true }));
    const at = new Date(entry.entryDate * 1000);
    expect(stored()).toEqual(
      expected.map(([kind]) => ['recordReport', { lockId: 'lock-1', kind, pin: entry.pin, at }]),
    );
  });

  test('stores an entry without digits', async () => {
    await send(
      report([
        { ...entry, pin: null },
        { logType: 20, entryDate: 1 },
      ]),
    );
    expect(stored().map(([, given]) => given)).toMatchObject([{ pin: null }, { pin: null }]);
  });

  test('checks the locks when the bridge has lost or found its connection', async () => {
    expect(
      await send({ payload: { product: { id: 'bridge' }, event: { type: 10, data: { isOnline: false } } } }),
    ).toEqual(ok({ received: true }));
    expect(stored()).toEqual([['recordBridge']]);
  });

  test.each([
    ['an event of another kind', report([entry], 4)],
    ['no entries', report([])],
    ['no list of entries', report(undefined)],
  ])('stores nothing for %s and answers 200', async (_what, body) => {
    expect(await send(body)).toEqual(ok({ received: true }));
    expect(stored()).toEqual([]);
  });

  test.each([
    ['no JSON', '{'],
    ['no payload', {}],
    ['no product', { payload: { event: { type: 5, data: {} } } }],
    ['a product without an id', report([entry], 5, null)],
    ['an id of 61 characters', report([entry], 5, 'x'.repeat(61))],
    ['no event', { payload: { product: { id: 'lock-1' } } }],
    ['a kind of event that is text', report([entry], '5')],
    ['a kind of event with a fraction', report([entry], 5.5)],
    ['no data', { payload: { product: { id: 'lock-1' }, event: { type: 5 } } }],
    ['a kind of entry that is text', report([{ ...entry, logType: '20' }])],
    ['an entry without a time', report([{ ...entry, entryDate: undefined }])],
    ['digits with a letter', report([{ ...entry, pin: '12a4' }])],
    ['a time before 1970', report([{ ...entry, entryDate: -1 }])],
    ['a time that no date can hold', report([{ ...entry, entryDate: 8.65e12 }])],
    ['three digits', report([{ ...entry, pin: '123' }])],
    ['eleven digits', report([{ ...entry, pin: '12345678901' }])],
    ['501 entries', report(Array.from({ length: 501 }, () => entry))],
    ['entries that are no list', report(entry)],
  ])('refuses %s and stores nothing', async (_what, body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    expect(stored()).toEqual([]);
  });

  test('accepts 500 entries', async () => {
    expect((await send(report(Array.from({ length: 500 }, () => entry)))).status).toBe(200);
    expect(stored()).toHaveLength(500);
  });

  test('does not answer 2xx when an entry could not be stored', async () => {
    app.answers['recordReport'] = () => {
      throw new Error('database gone');
    };
    expect((await send(report([entry]))).status).toBe(500);
  });
});
