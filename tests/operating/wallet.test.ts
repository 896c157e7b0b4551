import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { createLog } from '#server/http/log.ts';
import { createApplePasses } from '#server/providers/wallet/apple-passes.ts';
import { walletFindings } from '#server/start/doctor/wallet.ts';
import { createCircuits } from '#server/start/observe/circuits.ts';
import { createWallets, getKinds } from '#server/start/open-adapters.ts';
import {
  checkout,
  type Customer,
  readPayment,
  span,
  startTestServer,
  type TestServer,
} from '#tests/support/test-server.ts';
import { makeWalletKeys, PASS_TYPE, unzip } from './wallet-keys.ts';

const keys = makeWalletKeys();
const { file, readContent, openssl, folder } = keys;
const { settings } = keys;
let server: TestServer;
let customer: Customer;
beforeAll(async () => {
  server = await startTestServer({ env: { ...settings, AUTH_ACCESS_TOKEN_SECONDS: '86400' } });
  customer = await server.addCustomer();
}, 120_000);
afterAll(async () => {
  await server.close();
  keys.remove();
});

const { circuits } = createCircuits({
  clock: () => new Date(),
  log: createLog('silent'),
  spans: null,
  observe: () => undefined,
});

let hoursAhead = 48;
async function book({ paid = true, ahead = (hoursAhead += 4) } = {}): Promise<string> {
  const held = await server.call('create-payment', checkout(span(server.now(), ahead, 2)), customer.token);
  const id = String(held.body['bookingId']);
  if (!paid) return id;
  await server.sandbox(`/api/payments/${(await readPayment(server, id)).id}`, { outcome: 'paid' });
  await server.settle();
  return id;
}
const ask = (bookingId: string, kind: string, token = customer.token) =>
  server.call('wallet-pass', { bookingId, kind }, token);
const readReference = async (id: string): Promise<string> =>
  (
    await server.app.db.queryRow<{ reference: string }>('select reference from private.booking where id = $1::uuid', [
      id,
    ])
  )?.reference ?? '';

describe('a pass for Apple Wallet', () => {
  test('is a file whose signature and hashes a phone accepts, with room, Sydney time, address and reference, and no code [spec 10.12]', async () => {
    const id = await book();
    const { status, body } = await ask(id, 'apple');
    expect(status).toBe(200);
    expect(String(body['url'])).toMatch(/^http:\/\/localhost:\d+\/functions\/v1\/wallet-file\?token=/);
    const answer = await fetch(String(body['url']));
    expect(answer.headers.get('content-type')).toBe('application/vnd.apple.pkpass');
    const files = unzip(Buffer.from(await answer.arrayBuffer()));
    const manifest = files.get('manifest.json') ?? Buffer.alloc(0);
    const hashes = Object.entries(JSON.parse(manifest.toString()) as Record<string, string>);
    expect(hashes.map(([name]) => name)).toEqual([...files.keys()].slice(0, -2));
    for (const [name, hash] of hashes)
      expect(
        createHash('sha1')
          .update(files.get(name) ?? '')
          .digest('hex'),
        name,
      ).toBe(hash);
    expect((await sharp(files.get('icon@2x.png')).metadata()).width).toBe(58);

    writeFileSync(file('manifest.json'), manifest);
    writeFileSync(file('signature'), files.get('signature') ?? '');
    const message = ['cms', '-inform', 'DER', '-in', 'signature'];
    const verify = [
      ...message,
      '-verify',
      '-binary',
      '-content',
      'manifest.json',
      '-CAfile',
      'root.pem',
      '-purpose',
      'any',
    ];
    expect(openssl(...verify)).toBe(manifest.toString());
    expect(openssl(...message, '-cmsout', '-print', '-noout')).toMatch(/signingTime[\s\S]*UTCTIME/);
    writeFileSync(file('manifest.json'), manifest.toString().replace(/[0-9a-f]"/, 'x"'));
    expect(spawnSync('openssl', verify, { cwd: folder }).status).not.toBe(0);

    const pass = files.get('pass.json')?.toString() ?? '';
    const reference = await readReference(id);
    expect(JSON.parse(pass)).toMatchObject({
      formatVersion: 1,
      passTypeIdentifier: PASS_TYPE,
      teamIdentifier: 'TEAM123456',
      serialNumber: id,
      eventTicket: {
        headerFields: [{ value: reference }],
        primaryFields: [{ value: 'Studio A' }],
        secondaryFields: [
          { label: 'DAY', value: expect.stringMatching(/^\w{3} \d+ \w{3} \d{4}$/) },
          { label: 'SYDNEY TIME', value: expect.stringMatching(/^\d+ [ap]m to \d+ [ap]m/) },
        ],
        auxiliaryFields: [{ label: 'ADDRESS', value: expect.stringMatching(/./) }],
        backFields: [{}, { value: `${server.url}/bookings/${reference}` }],
      },
    });
    expect(pass).not.toMatch(/pin|barcode/i);
  }, 30_000);

  test('its link ends after ten minutes, cannot be forged, and leads nowhere once the booking is cancelled', async () => {
    const id = await book();
    const url = String((await ask(id, 'apple')).body['url']);
    const fetchCode = async (address: string): Promise<unknown> => {
      const { error } = (await (await fetch(address)).json()) as { error: { code: string } };
      return error.code;
    };
    expect(await fetchCode(url.replace(id, await book()))).toBe('not_found');
    await server.call('cancel-booking', { bookingId: id }, customer.token);
    expect(await fetchCode(url)).toBe('not_confirmed');
    server.advance(10 * 60_000);
    expect(await fetchCode(url)).toBe('not_found');
  });
});

test('a link to Google Wallet holds the pass, signed, in a length that browsers take [spec 10.12]', async () => {
  const id = await book();
  const url = String((await ask(id, 'google')).body['url']);
  expect(url).toMatch(/^https:\/\/pay\.google\.com\/gp\/v\/save\//);
  const token = url.split('/').at(-1) ?? '';
  expect(token.length).toBeLessThanOrEqual(1_750);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'JWT' });
  const { payload } = await jwtVerify(token, createPublicKey(readContent('pass.key')), {
    issuer: 'passes@example.iam.gserviceaccount.com',
    audience: 'google',
    currentDate: server.now(),
  });
  const prefix = '3388000000012345678';
  expect(payload).toMatchObject({
    typ: 'savetowallet',
    origins: [server.url],
    payload: {
      genericClasses: [{ id: `${prefix}.session` }],
      genericObjects: [
        {
          id: `${prefix}.${id}`,
          state: 'ACTIVE',
          classId: `${prefix}.session`,
          header: { defaultValue: { value: 'Studio A' } },
          textModulesData: [
            { header: `${await readReference(id)}, Sydney time` },
            { body: expect.stringMatching(/changes with your booking/) },
          ],
        },
      ],
    },
  });
});

test('passes are for the own confirmed booking that is not over, and for no other', async () => {
  const [id, other] = [await book({ ahead: 2 }), await server.addCustomer()];
  for (const kind of ['apple', 'google']) {
    expect(await ask(id, kind, other.token)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    expect((await server.call('wallet-pass', { bookingId: id, kind })).status).toBe(401);
  }
  expect(await ask(id, 'samsung')).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  expect((await ask(await book({ paid: false }), 'apple')).body).toMatchObject({ error: { code: 'not_confirmed' } });
  server.advance(5 * 3_600_000);
  expect(await ask(id, 'google')).toMatchObject({ status: 410, body: { error: { code: 'session_ended' } } });
});

test('the pages learn which passes are made', async () => {
  const kinds = async (more: Record<string, string>) =>
    getKinds(await createWallets(readConfig(more).wallet, circuits));
  expect(await kinds(settings)).toBe('apple google');
  expect(await kinds({})).toBe('');
});

describe('settings', () => {
  const catchFault = (more: Record<string, string | undefined>): string => {
    try {
      readConfig({ ...settings, ...more });
      return '';
    } catch (error) {
      return String(error);
    }
  };

  test('without keys there are no passes, and half of them are a fault', () => {
    expect(readConfig({}).wallet).toEqual({ apple: null, google: null });
    const lines = catchFault({ WALLET_APPLE_KEY_FILE: undefined, WALLET_GOOGLE_ISSUER_ID: undefined });
    expect(lines).toContain('WALLET_APPLE_KEY: is needed with WALLET_APPLE_CERTIFICATE');
    expect(lines).toContain('WALLET_GOOGLE_ISSUER_ID: is needed with WALLET_GOOGLE_SERVICE_KEY');
  });

  test('keys that are unreadable or do not belong together are faults; line breaks may be written as \\n', () => {
    expect(catchFault({ WALLET_APPLE_KEY_FILE: file('root.key') })).toContain(
      'WALLET_APPLE_KEY: is not a private RSA key',
    );
    expect(catchFault({ WALLET_APPLE_CERTIFICATE_FILE: file('authority.pem') })).toContain(
      'is not a certificate of a pass type',
    );
    expect(catchFault({ WALLET_APPLE_AUTHORITY_CERTIFICATE_FILE: file('root.pem') })).toContain('did not issue');
    expect(catchFault({ WALLET_APPLE_AUTHORITY_CERTIFICATE_FILE: file('pass.key') })).toContain(
      'is not a certificate in PEM',
    );
    expect(catchFault({ WALLET_GOOGLE_SERVICE_KEY_FILE: file('pass.pem') })).toContain(
      'is not a JSON key of a service account',
    );
    const flat = readContent('pass.key').replaceAll('\n', String.raw`\n`);
    const { apple } = readConfig({ ...settings, WALLET_APPLE_KEY_FILE: undefined, WALLET_APPLE_KEY: flat }).wallet;
    expect(apple).toMatchObject({ key: readContent('pass.key'), typeId: PASS_TYPE, teamId: 'TEAM123456' });
  });

  test('the doctor says until when passes are signed, a month before the end too', () => {
    const config = readConfig(settings);
    const inDays = (days: number) =>
      walletFindings(config, new Date(Date.now() + days * 86_400_000)).map(({ state, text }) => `${state} ${text}`);
    expect(walletFindings(readConfig({}), new Date())).toEqual([]);
    expect(inDays(1)).toEqual([
      expect.stringMatching(/^ok the certificate of pass\.com\.example\.booking is valid until \d{4}-/),
      expect.stringMatching(/^ok Apple's intermediate certificate is valid/),
      'ok passes@example.iam.gserviceaccount.com signs passes of the issuer 3388000000012345678',
    ]);
    expect(inDays(345)[0]).toMatch(/^warn .* ends in 19 days/);
    expect(inDays(366)[0]).toMatch(/^fail .* ended on .*: no passes are made/);
  });
});

test('a certificate that has ended makes no passes', () => {
  const { apple } = readConfig(settings).wallet;
  const passes = apple === null ? null : createApplePasses(apple, circuits.applePush);
  const works = (days: number): boolean | undefined => passes?.worksAt(new Date(Date.now() + days * 86_400_000));
  expect([-1, 1, 364, 366].map(works)).toEqual([false, true, true, false]);
});
