import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndedCall, ProviderError, WebhookRefused } from './call.ts';
import { createCaptcha } from './captcha.ts';
import { createGithubSignIn } from './github-sign-in.ts';
import { createIgloohomeLocks } from './igloohome/locks.ts';
import { createIgloohomeVerifier } from './igloohome/webhook-signature.ts';
import { createOpenIdSignIn } from './openid-sign-in.ts';
import type { Payments, WalletPass } from './ports.ts';
import { createSamlSignIn } from './saml-sign-in.ts';
import { createShellyPower } from './shelly-power.ts';
import { createSmtpMail } from './smtp-mail.ts';
import { createStripeIdentity } from './stripe/identity.ts';
import { createStripePayments } from './stripe/payments.ts';
import { createTwilioTexts } from './twilio-texts.ts';
import { createVisionIdReader } from './vision-id-reader.ts';
import { createGooglePasses } from './wallet/google-passes.ts';

/** Replies with status 200 that match no schema of any call. */
const GARBAGE = [
  'null',
  '[]',
  '{}',
  '"text"',
  '7',
  'true',
  '<html>',
  '{"id":null}',
  '{"id":"","livemode":false}',
  '{"id":7,"data":null,"deleted":true}',
  '{"data":{}}',
  '{"object":"list","data":[null],"has_more":false}',
  '{"object":"list","data":[{}],"has_more":false}',
  '{"object":"list","data":[{"id":7,"card":{}}],"has_more":false}',
  '{"payload":[{}],"result":{},"jobId":5,"success":"yes","sid":null,"access_token":7,"error":7,"choices":[null]}',
];
/** Files that call a provider, and the reason why this test leaves them out. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  's3-store.ts': 'the library reads the envelope, and the content is bytes of any kind',
  'wallet/apple-push.ts': 'only the status and a word of the reply are read',
  'stripe/client.ts': 'makes the client that the calls of Stripe below use',
  'http-call.ts': 'makes the call of the adapters below',
};
const COVERED = [
  'captcha.ts',
  'github-sign-in.ts',
  'igloohome/client.ts',
  'igloohome/webhook-signature.ts',
  'openid-sign-in.ts',
  'saml-sign-in.ts',
  'smtp-mail.ts',
  'shelly-power.ts',
  'twilio-texts.ts',
  'vision-id-reader.ts',
  'wallet/google-api.ts',
];

let server: Server;
let smtp: TcpServer;
let url = '';
let smtpUrl = '';
/** The current garbage, and valid replies to the calls that precede the one under test, by the end of their path. */
let garbage = '';
let valid: Readonly<Record<string, unknown>> = {};
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const path = (request.url ?? '').split('?')[0] ?? '';
    const found = Object.entries(valid).find(([end]) => path.endsWith(end));
    response.setHeader('content-type', 'application/json').end(found ? JSON.stringify(found[1]) : garbage);
  });
  smtp = createTcpServer((socket) => {
    socket.on('error', () => undefined).on('data', () => socket.write(`${garbage}\r\n`));
    socket.write(`${garbage}\r\n`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${Object(server.address()).port}`;
  smtpUrl = `smtp://127.0.0.1:${Object(smtp.address()).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  smtp.close();
});

type Calls = Readonly<Record<string, () => Promise<unknown>>>;
/** Makes a call with each garbage reply and requires a `ProviderError` every time. `first`: the valid replies to earlier calls. */
async function requireProviderErrors(
  call: () => Promise<unknown>,
  first: typeof valid = {},
  replies: readonly string[] = GARBAGE,
): Promise<void> {
  valid = first;
  for (garbage of replies) {
    const outcome = await call().then(
      (value) => ({ value }),
      (error: unknown) => error,
    );
    expect(outcome, `${garbage} gave ${JSON.stringify(outcome)}`).toBeInstanceOf(ProviderError);
  }
}

const NOW = new Date();
const HOUR = 3_600_000;
const later = (hours: number): Date => new Date(Math.ceil(NOW.getTime() / HOUR) * HOUR + hours * HOUR);

describe('a reply of Stripe that does not match its schema is a ProviderError', () => {
  const payments = (): Payments =>
    createStripePayments({ secretKey: 'sk_test_x', webhookSecrets: ['whsec_x'], apiUrl: url, methods: ['card'] });
  const charge = {
    key: 'charge:1',
    bookingId: randomUUID(),
    amountCents: 4_900,
    description: 'Studio',
    customerId: 'cus_1',
    cardId: 'pm_1',
    metadata: {},
  };
  const session = {
    key: 'create:1',
    bookingId: randomUUID(),
    amountCents: 4_900,
    items: [{ description: 'Studio', amountCents: 4_900 }],
    customerId: null,
    customerEmail: 'alex@example.com',
    successUrl: 'http://localhost/ok',
    cancelUrl: 'http://localhost/no',
    expiresAt: later(1),
    allowDelayed: false,
    metadata: {},
  };
  const calls: Readonly<Record<Exclude<keyof Payments, 'readEvent' | 'provider'>, () => Promise<unknown>>> = {
    createSession: () => payments().createSession(session),
    getSession: () => payments().getSession('cs_1'),
    findSession: () => payments().findSession('x', NOW),
    findSessionOfIntent: () => payments().findSessionOfIntent('pi_1'),
    listSessions: () => payments().listSessions(NOW),
    expireSession: () => payments().expireSession('cs_1'),
    createCustomer: () => payments().createCustomer({ key: 'customer:1', userId: randomUUID() }),
    setCustomerEmail: () => payments().setCustomerEmail('cus_1', 'alex@example.com'),
    deleteCustomer: () => payments().deleteCustomer('cus_1'),
    listCards: () => payments().listCards('cus_1'),
    removeCard: () => payments().removeCard('cus_1', 'pm_1'),
    chargeCard: () => payments().chargeCard(charge),
    findCharge: () => payments().findCharge('charge:1', NOW),
    refund: () => payments().refund({ key: 'refund:1', paymentIntentId: 'pi_1' }),
    listRefunds: () => payments().listRefunds('pi_1'),
    listDisputes: () => payments().listDisputes('pi_1'),
    listEvents: () => payments().listEvents(NOW),
    listLedger: () => payments().listLedger(NOW),
  };
  test.each(Object.entries(calls))('%s', (_name, call) => requireProviderErrors(call));
  test('a payment by a saved card: read and cancelled', async () => {
    await requireProviderErrors(() => payments().getSession('pi_1'));
    await requireProviderErrors(() => payments().expireSession('pi_1'));
  });
  test('these are all calls of the port', () => {
    expect([...Object.keys(calls), 'provider', 'readEvent'].toSorted()).toEqual(Object.keys(payments()).toSorted());
  });

  const checks = () => createStripeIdentity({ restrictedKey: 'rk_test_x', apiUrl: url });
  const identity: Calls = {
    createSession: () =>
      checks().createSession({
        key: 'identity:1',
        userId: randomUUID(),
        email: 'a@example.com',
        returnUrl: 'http://x',
      }),
    getSession: () => checks().getSession('vs_1'),
  };
  test.each(Object.entries(identity))('%s of an identity check', (_name, call) => requireProviderErrors(call));
  test('these are all calls of the port of identity checks', () => {
    expect(Object.keys(identity).toSorted()).toEqual(Object.keys(checks()).toSorted());
  });

  const signed = (body: string, seconds = 0): string => {
    const time = Math.floor(Date.now() / 1000) + seconds;
    return `t=${time},v1=${createHmac('sha256', 'whsec_x').update(`${time}.${body}`).digest('hex')}`;
  };
  test.each([
    ...GARBAGE,
    '{"id":"evt_1","type":"charge.refunded","livemode":false,"data":{"object":null}}',
    '{"id":"evt_1","type":"charge.refunded","livemode":false,"data":null}',
    '{"id":null,"type":"charge.refunded","livemode":false,"data":{"object":{}}}',
    '{"id":"evt_1","type":7,"livemode":false,"data":{"object":{}}}',
  ])('a signed event %s is refused', (body) => {
    expect(() => payments().readEvent(body, signed(body))).toThrow(WebhookRefused);
  });
  const event = '{"id":"evt_1","type":"charge.refunded","livemode":false,"data":{"object":{"id":"ch_1"}}}';
  test.each([
    ['an hour ago', -3_600],
    ['in an hour', 3_600],
  ])('an event signed %s is refused, and one signed now is read', (_when, seconds) => {
    expect(() => payments().readEvent(event, signed(event, seconds))).toThrow(WebhookRefused);
    expect(payments().readEvent(event, signed(event))).toMatchObject({ id: 'evt_1', objectId: 'ch_1' });
  });
});

describe('a reply of another provider that does not match its schema is a ProviderError', () => {
  const TOKEN = { '/oauth2/token': { access_token: 'x', expires_in: 3_600 } };
  const locks = (mode: 'bridge' | 'hourly' | 'onetime') =>
    createIgloohomeLocks({
      authUrl: `${url}/oauth2/token`,
      apiUrl: url,
      clientId: 'x',
      clientSecret: 'x',
      bridgeId: 'B',
      mode,
    });
  const code = { lockId: 'L', pin: '123456', variant: 1, accessName: 'x', startsAt: later(1), endsAt: later(2) };
  const lockCalls: Calls = {
    check: () => locks('bridge').check(),
    issueCode: () => locks('bridge').issueCode(code),
    open: () => locks('bridge').open({ lockId: 'L' }),
    readStatus: () => locks('bridge').readStatus({ lockId: 'L' }),
    revokeCode: () => locks('bridge').revokeCode({ lockId: 'L', pin: '123456' }),
  };
  test.each(Object.entries(lockCalls))('locks: %s', async (_name, call) => {
    await requireProviderErrors(call);
    await requireProviderErrors(call, TOKEN);
    const states = [
      ...GARBAGE,
      '{}',
      '{"jobResponse":7}',
      '{"jobResponse":{"jobStatus":"0"}}',
      '{"completed":true}',
      '{"completed":true,"jobResponse":null}',
      '{"completed":false,"jobResponse":{"jobStatus":"0"}}',
    ];
    if (_name !== 'check') await requireProviderErrors(call, { ...TOKEN, '/bridges/B': { jobId: 'J' } }, states);
  });
  test('locks: codes that they compute, and the key of webhooks', async () => {
    await requireProviderErrors(() => locks('hourly').issueCode(code), TOKEN);
    await requireProviderErrors(() => locks('onetime').issueCode(code), TOKEN);
    const calls: EndedCall[] = [];
    const verify = createIgloohomeVerifier({
      publicKeys: [`${url}/key`],
      webhookUrl: 'https://studio.example/hook',
      observe: (ended) => void calls.push(ended),
    });
    const headers = { 'x-igloocompany-sha256': 'eA==', date: new Date().toUTCString() };
    await requireProviderErrors(() => verify(new Request('https://studio.example/hook', { headers }), '{}'));
    expect(calls.length).toBeGreaterThan(0);
    for (const ended of calls)
      expect(ended).toMatchObject({ provider: 'igloohome', operation: 'readWebhookKey', outcome: 'failed' });
  });
  test('locks: these are all calls of the port', () => {
    expect([...Object.keys(lockCalls), 'capabilities', 'provider', 'revocableModes'].toSorted()).toEqual(
      Object.keys(locks('bridge')).toSorted(),
    );
  });

  test('plugs', async () => {
    const plug = createShellyPower({ url: `${url}/rpc` });
    const calls: Calls = { set: () => plug.set(true), pulse: () => plug.pulse(3), isOn: () => plug.isOn() };
    expect(Object.keys(calls).toSorted()).toEqual(Object.keys(plug).toSorted());
    for (const call of Object.values(calls)) await requireProviderErrors(call);
  });
  test('captchas and text messages', async () => {
    await requireProviderErrors(() => createCaptcha({ provider: 'turnstile', secret: 'x', url }).check('t', '::1'));
    const texts = createTwilioTexts({ accountSid: 'AC', authToken: 'x', from: '+61400000000', apiUrl: url });
    await requireProviderErrors(() => texts.send({ to: '+61400000001', text: 'x', key: 'x' }));
  });
  test('mail', async () => {
    const mail = createSmtpMail({ url: smtpUrl, from: 'a@example.com' });
    await requireProviderErrors(() => mail.send({ to: 'b@example.com', subject: 'x', text: 'x', html: 'x', key: 'x' }));
  });
  test.each(['openai', 'anthropic'] as const)(
    'vision over %s',
    async (protocol) => {
      const reader = createVisionIdReader({ protocol, baseUrl: url, apiKey: 'x', model: 'm' });
      await requireProviderErrors(() => reader.read(new Uint8Array([1])));
    },
    60_000,
  );
  test('passes of Google', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const passes = () =>
      createGooglePasses(
        { issuerId: '1', email: 'x@example.com', privateKey: pem, tokenUrl: `${url}/oauth2/token`, apiUrl: url },
        { run: (_call, work) => work() },
      );
    const pass = { id: 'p', end: later(2), cancelled: false } as unknown as WalletPass;
    for (const first of [{}, TOKEN]) {
      await requireProviderErrors(() => passes().check(NOW), first);
      await requireProviderErrors(() => passes().update(pass, NOW), first);
    }
  });
});

describe('a sign-in provider whose reply does not match its schema is a ProviderError', () => {
  const attempt = { state: 's', nonce: 'n', verifier: 'v'.repeat(43), response: new URLSearchParams('state=s&code=c') };
  test('GitHub', async () => {
    const github = createGithubSignIn({
      clientId: 'x',
      clientSecret: 'x',
      redirectUri: 'http://x',
      siteUrl: url,
      apiUrl: url,
    });
    const TOKEN = { '/access_token': { access_token: 'x' } };
    const USER = { '/user': { id: 1, login: 'x' } };
    for (const first of [{}, TOKEN]) await requireProviderErrors(() => github.redeem(attempt), first);
    // An empty list is valid for an account without addresses.
    const addresses = GARBAGE.filter((reply) => reply !== '[]');
    await requireProviderErrors(() => github.redeem(attempt), { ...TOKEN, ...USER }, addresses);
  });
  test('OpenID Connect', async () => {
    const openid = () =>
      createOpenIdSignIn({
        name: 'company',
        issuer: url,
        clientIds: ['x'],
        clientSecret: 'x',
        redirectUri: 'http://localhost/callback',
        scopes: ['openid'],
        formPost: false,
      });
    const start = { ...attempt, scopes: null, extra: {} };
    const read = () => openid().readIdToken?.('a.b.c', null) ?? Promise.resolve();
    for (const call of [() => openid().startUrl(start), () => openid().redeem(attempt), read])
      await requireProviderErrors(call);
    const endings = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` };
    const DISCOVERY = { '/openid-configuration': { issuer: url, ...endings, jwks_uri: 'not a url' } };
    await requireProviderErrors(() => openid().redeem(attempt), DISCOVERY);
    await requireProviderErrors(read, DISCOVERY);
    await requireProviderErrors(() => openid().startUrl(start), { '/openid-configuration': { issuer: url } });
  });
  test('SAML', async () => {
    const provider = {
      id: 'x',
      domains: [],
      entity_id: 'idp',
      sso_url: url,
      certificate: `${url}/cert`,
      attributes: {},
    };
    const self = { entityId: 'us', acsUrl: 'http://localhost/acs' };
    await requireProviderErrors(() =>
      createSamlSignIn(provider, self).read(Buffer.from(garbage).toString('base64'), '_1'),
    );
  });
});

test('every file of an adapter that calls a provider is covered', () => {
  const folder = new URL('.', import.meta.url);
  const calling = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) =>
      /\bcallHttp\(|\bfetch\(|new Stripe\(|generateText\(|discovery\(|createTransport\(|new S3Client\(|\bconnect\(/.test(
        readFileSync(new URL(path, folder), 'utf8'),
      ),
    );
  const listed = [...COVERED, ...Object.keys(LEFT_OUT)];
  expect(calling.filter((path) => !listed.includes(path))).toEqual([]);
});
