import { createPublicKey, randomBytes } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApplePush, type GoogleWallet, startApplePush, startGoogleWallet } from '#sandbox/main.ts';
import { readConfig } from '#server/config.ts';
import { passServiceFindings } from '#server/start/doctor/wallet.ts';
import type { NamedCall } from '#server/providers/call.ts';
import { createWallets } from '#server/start/open-adapters.ts';
import { engines } from '#tests/support/engines.ts';
import { checkout, type Customer, readPayment, span, STUDIO_A, type TestServer } from '#tests/support/test-server.ts';
import { ISSUER_ID, makeWalletKeys, PASS_TYPE, SERVICE_EMAIL, unzip } from './wallet-keys.ts';

const RACES = process.env['TEST_LONG'] ? 200 : 10;
const WEEK = 7 * 24;
const keys = makeWalletKeys();
const authorities = getCACertificates('default');
let google: GoogleWallet;
let apple: ApplePush;
let now = (): Date => new Date();
beforeAll(async () => {
  const publicKey = createPublicKey(keys.readContent('pass.key')).export({ type: 'spki', format: 'pem' }).toString();
  google = await startGoogleWallet({ issuerId: ISSUER_ID, email: SERVICE_EMAIL, publicKey, now: () => now() });
  apple = await startApplePush({
    key: keys.readContent('server.key'),
    certificate: keys.readContent('server.pem'),
    senders: keys.readContent('authority.pem') + keys.readContent('root.pem'),
  });
  keys.setTokenUrl(google.tokenUrl);
  // This affects only the current thread.
  setDefaultCACertificates([...authorities, keys.readContent('root.pem')]);
});
afterAll(async () => {
  setDefaultCACertificates(authorities);
  await google.close();
  await apple.close();
  keys.remove();
});

test('the doctor asks whether Apple and Google take changes', async () => {
  const direct = { run: <T>(_call: NamedCall, work: () => Promise<T>): Promise<T> => work() };
  const circuits = { applePush: direct, googleWallet: direct };
  const addresses = { WALLET_APPLE_PUSH_URL: apple.url, WALLET_GOOGLE_API_URL: google.url };
  const find = async (more: Record<string, string> = {}) => {
    const { wallet } = readConfig({ ...keys.settings, ...addresses, ...more });
    const found = await passServiceFindings(await createWallets(wallet, circuits), new Date());
    return found.map(({ state, text }) => `${state} ${text}`);
  };
  expect(await find()).toEqual([`ok Apple takes pushes for ${PASS_TYPE}`, 'ok Google takes changes of passes']);
  apple.failNext(1, 403, 'BadCertificate');
  google.failNext(1, 403);
  expect(await find()).toEqual([
    'fail Apple refuses pushes: BadCertificate',
    expect.stringMatching(/^fail Google takes no changes of passes: status 403/),
  ]);
  const nobody = 'http://127.0.0.1:9';
  expect(await find({ WALLET_APPLE_PUSH_URL: nobody, WALLET_GOOGLE_API_URL: nobody })).toEqual([
    expect.stringMatching(/^fail Apple takes no pushes: .*ECONNREFUSED/),
    expect.stringMatching(/^fail Google takes no changes of passes: no_response/),
  ]);
});

describe.each(engines)('passes that were saved, on $name', ({ open }) => {
  let server: TestServer;
  let customer: Customer;
  let hoursAhead = 48;
  beforeAll(async () => {
    server = await open({
      ...keys.settings,
      WALLET_APPLE_PUSH_URL: apple.url,
      WALLET_GOOGLE_API_URL: google.url,
      AUTH_ACCESS_TOKEN_SECONDS: '86400',
    });
    now = server.now;
    customer = await server.addCustomer();
  }, 180_000);
  afterAll(() => server.close());

  type Booked = { readonly id: string; readonly ahead: number };
  async function book(): Promise<Booked> {
    const ahead = (hoursAhead += 3);
    const held = await server.call('create-payment', checkout(span(server.now(), ahead, 2)), customer.token);
    expect(held).toMatchObject({ status: 200 });
    const id = String(held.body['bookingId']);
    const { id: sessionId } = await readPayment(server, id);
    await server.sandbox(`/api/payments/${sessionId}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId }, customer.token);
    return { id, ahead };
  }
  /** Moves a booking to the same hours a number of weeks later, which cost the same. */
  async function move({ id, ahead }: Booked, weeks: number): Promise<void> {
    const place = { studioId: STUDIO_A, ...span(server.now(), ahead + weeks * WEEK, 2) };
    const moved = await server.call('reschedule-booking', { bookingId: id, ...place }, customer.token);
    expect(moved).toMatchObject({ status: 200, body: { differenceCents: 0 } });
  }
  const cancel = ({ id }: Booked) => server.call('cancel-booking', { bookingId: id }, customer.token);
  async function link({ id }: Booked, kind: 'apple' | 'google'): Promise<string> {
    const answer = await server.call('wallet-pass', { bookingId: id, kind }, customer.token);
    expect(answer).toMatchObject({ status: 200 });
    return String(answer.body['url']);
  }
  const queryRow = <R extends Record<string, unknown>>(text: string, values: readonly unknown[]) =>
    server.app.db.queryRow<R>(text, values);
  /** Returns the current day of a booking. */
  async function readDay({ id }: Booked): Promise<string> {
    const row = await queryRow<{ at: Date }>('select start_time as at from private.booking where id = $1::uuid', [id]);
    const parts = { timeZone: 'Australia/Sydney', day: 'numeric', month: 'short', year: 'numeric' } as const;
    return new Intl.DateTimeFormat('en-AU', parts).format(row?.at);
  }

  describe('in Google Wallet', () => {
    const shown = ({ id }: Booked) => google.objects.get(`${ISSUER_ID}.${id}`);
    const text = (value: unknown): string => JSON.stringify(value ?? null);

    test('a saved pass follows a move and is put away when the booking is cancelled [spec 10.13]', async () => {
      const booked = await book();
      expect(text(await google.save(await link(booked, 'google')))).toContain(await readDay(booked));
      await move(booked, 1);
      google.failNext(1, 503);
      await server.settle();
      server.advance(61_000);
      await server.settle();
      expect(text(shown(booked))).toContain(await readDay(booked));
      expect(shown(booked)).toMatchObject({ state: 'ACTIVE' });
      await cancel(booked);
      await server.settle();
      expect(shown(booked)).toMatchObject({
        state: 'INACTIVE',
        subheader: { defaultValue: { value: expect.stringMatching(/, Cancelled$/) } },
      });
    });

    test('a link from before a move shows the new hours, when it is opened after it', async () => {
      const booked = await book();
      const address = await link(booked, 'google');
      await move(booked, 1);
      await server.settle();
      expect(text(await google.save(address))).toContain(await readDay(booked));
    });

    test('a job that read the booking before another change calls again', async () => {
      const booked = await book();
      await google.save(await link(booked, 'google'));
      await move(booked, 1);
      google.onCall = async () => {
        google.onCall = () => Promise.resolve();
        await move(booked, 2);
        // Simulates another server that has already renewed the pass for this change.
        await server.app.db.query(
          `update private.outbox set done_at = now() where kind = 'pass.google' and subject_id = $1::uuid and tries = 0`,
          [booked.id],
        );
      };
      await server.settle();
      await server.settle();
      expect(text(shown(booked))).toContain(await readDay(booked));
    });

    test(`${RACES} links that are asked for during a move lead to the new hours`, { timeout: 600_000 }, async () => {
      const booked = await book();
      const start = hoursAhead;
      for (let round = 0; round < RACES; round += 1) {
        await server.app.db.query('delete from private.wallet_pass where booking_id = $1::uuid', [booked.id]);
        google.empty();
        const [address] = await Promise.all([link(booked, 'google'), move(booked, 1 + (round % 2))]);
        await server.settle();
        expect(text(await google.save(address)), `round ${round}`).toContain(await readDay(booked));
      }
      hoursAhead = start;
    });

    test('bookings without a pass make no jobs', async () => {
      const booked = await book();
      await move(booked, 1);
      const jobs = await queryRow<{ count: string }>(
        `select count(*)::text from private.outbox where kind like 'pass.%' and subject_id = $1::uuid`,
        [booked.id],
      );
      expect(jobs).toEqual({ count: '0' });
    });
  });

  describe('in Apple Wallet', () => {
    type Pass = Readonly<Record<string, unknown>> & { readonly authenticationToken: string };
    const passIn = async (answer: Response): Promise<Pass> => {
      expect(answer.headers.get('content-type')).toBe('application/vnd.apple.pkpass');
      return JSON.parse(String(unzip(Buffer.from(await answer.arrayBuffer())).get('pass.json')));
    };
    const ask = (method: string, path: string, token?: string, more: { body?: unknown; since?: string } = {}) =>
      fetch(`${server.url}/functions/v1/wallet-service/v1/${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `ApplePass ${token}` }),
          ...(more.since === undefined ? {} : { 'if-modified-since': more.since }),
        },
        ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      });
    const newPhone = () => ({ device: randomBytes(16).toString('hex'), pushToken: randomBytes(32).toString('hex') });
    type Phone = ReturnType<typeof newPhone>;
    const getPath = ({ id }: Booked, { device }: Phone) => `devices/${device}/registrations/${PASS_TYPE}/${id}`;
    const register = (booked: Booked, phone: Phone, token: string) =>
      ask('POST', getPath(booked, phone), token, { body: { pushToken: phone.pushToken } });
    const changed = ({ device }: Phone, since?: string) =>
      ask('GET', `devices/${device}/registrations/${PASS_TYPE}${since ? `?passesUpdatedSince=${since}` : ''}`);
    const get = ({ id }: Booked, token: string, since?: string) =>
      ask('GET', `passes/${PASS_TYPE}/${id}`, token, since === undefined ? {} : { since });

    /** Returns a booking whose pass is on a phone. */
    async function saved() {
      const booked = await book();
      const pass = await passIn(await fetch(await link(booked, 'apple')));
      const phone = newPhone();
      expect((await register(booked, phone, pass.authenticationToken)).status).toBe(201);
      return { booked, pass, phone, token: pass.authenticationToken };
    }

    test('a phone registers, is told of a move, and fetches the pass with the new hours once [spec 10.13]', async () => {
      const { booked, pass, phone, token } = await saved();
      expect(pass).toMatchObject({
        webServiceURL: `${server.url}/functions/v1/wallet-service`,
        serialNumber: booked.id,
      });
      expect(token.length).toBeGreaterThanOrEqual(16);
      expect((await register(booked, phone, token)).status).toBe(200);
      const { serialNumbers, lastUpdated } = (await (await changed(phone)).json()) as Record<string, unknown>;
      expect(serialNumbers).toEqual([booked.id]);
      const first = await get(booked, token);
      expect((await passIn(first)).authenticationToken).toBe(token);
      const version = first.headers.get('last-modified') ?? '';
      const unchanged = await get(booked, token, version);
      expect([unchanged.status, unchanged.headers.get('last-modified')]).toEqual([304, version]);

      await move(booked, 1);
      apple.failNext(1, 503, 'ServiceUnavailable');
      await server.settle();
      expect(apple.pushed).not.toContain(phone.pushToken);
      server.advance(61_000);
      await server.settle();
      expect(apple.pushed.filter((pushed) => pushed === phone.pushToken)).toHaveLength(1);
      expect(await (await changed(phone, String(lastUpdated))).json()).toMatchObject({ serialNumbers: [booked.id] });
      const second = await get(booked, token, version);
      const moved = await passIn(second);
      expect(JSON.stringify(moved)).toContain(await readDay(booked));
      expect(moved).not.toHaveProperty('voided');
      expect(moved.authenticationToken).toBe(token);
      expect((await get(booked, token, second.headers.get('last-modified') ?? '')).status).toBe(304);
      const later = String(Number(lastUpdated) + 3_600);
      expect((await changed(phone, later)).status).toBe(204);
    });

    test('two changes within a second are two versions', async () => {
      const { booked, token } = await saved();
      const versions = new Set<string>();
      for (const weeks of [1, 2, 1]) {
        await move(booked, weeks);
        versions.add((await get(booked, token)).headers.get('last-modified') ?? '');
      }
      expect(versions.size).toBe(3);
    });

    test('a cancelled booking has a void pass, which no locked screen offers [spec 10.13]', async () => {
      const { booked, phone, token } = await saved();
      await cancel(booked);
      await server.settle();
      expect(apple.pushed).toContain(phone.pushToken);
      const pass = await passIn(await get(booked, token));
      expect(pass).toMatchObject({
        voided: true,
        eventTicket: { secondaryFields: [{ key: 'day' }, { key: 'hours', value: 'Cancelled' }] },
      });
      expect(pass).not.toHaveProperty('relevantDates');
    });

    test('a phone that comes after a change is told of it', async () => {
      const { booked, token } = await saved();
      await move(booked, 1);
      await server.settle();
      const late = newPhone();
      await register(booked, late, token);
      await server.settle();
      expect(apple.pushed).toContain(late.pushToken);
    });

    test('a phone without the pass is forgotten: one that says so, and one that Apple calls gone', async () => {
      const { booked, phone, token } = await saved();
      const [lost, removed] = [newPhone(), newPhone()];
      await register(booked, lost, token);
      await register(booked, removed, token);
      expect((await ask('DELETE', getPath(booked, removed), token)).status).toBe(200);
      apple.gone.add(lost.pushToken);
      await move(booked, 1);
      await server.settle();
      const { rows } = await server.app.db.query<{ token: string }>(
        'select push_token as token from private.pass_device where booking_id = $1::uuid',
        [booked.id],
      );
      expect(rows).toEqual([{ token: phone.pushToken }]);
      expect(apple.pushed).toContain(phone.pushToken);
      expect(apple.pushed).not.toContain(removed.pushToken);
    });

    test('the token of the pass is needed, and what is unknown or no request of a phone is refused [spec 10.13]', async () => {
      const { booked, phone, token } = await saved();
      const { token: other } = await saved();
      for (const wrong of [undefined, 'x', other, `${token}x`]) {
        expect((await get(booked, wrong ?? '')).status).toBe(401);
        expect((await register(booked, newPhone(), wrong ?? '')).status).toBe(401);
        expect((await ask('DELETE', getPath(booked, phone), wrong)).status).toBe(401);
      }
      expect((await ask('GET', `passes/pass.com.example.other/${booked.id}`, token)).status).toBe(404);
      expect((await ask('GET', `passes/${PASS_TYPE}/unknown`, token)).status).toBe(404);
      expect((await ask('GET', `devices/${phone.device}/registrations/pass.com.example.other`)).status).toBe(404);
      expect((await changed(newPhone())).status).toBe(204);
      expect((await changed(phone, 'yesterday')).status).toBe(400);
      const place = getPath(booked, newPhone());
      for (const body of [{}, { pushToken: 'not hexadecimal' }, []])
        expect((await ask('POST', place, token, { body })).status).toBe(400);
      expect((await ask('POST', 'log', undefined, { body: { logs: ['fault'] } })).status).toBe(200);
      expect((await ask('POST', 'log', undefined, { body: 'x'.repeat(20_000) })).status).toBe(413);
      expect((await ask('GET', 'anything')).status).toBe(404);
    });

    test('a pass is on twenty phones at most', async () => {
      const { booked, phone, token } = await saved();
      for (let more = 1; more < 20; more += 1) await register(booked, newPhone(), token);
      expect((await register(booked, newPhone(), token)).status).toBe(429);
      expect((await register(booked, phone, token)).status).toBe(200);
    });

    test('what is stored ends with the account, and a month after the session', async () => {
      const [gone, over] = [await saved(), await saved()];
      const stored = async ({ booked }: { booked: Booked }) =>
        queryRow('select from private.pass_device where booking_id = $1::uuid', [booked.id]);
      expect([await stored(gone), await stored(over)]).not.toContain(null);
      await server.app.db.query('update private.booking set user_id = null where id = $1::uuid', [gone.booked.id]);
      expect(await stored(gone)).toBe(null);
      expect((await get(gone.booked, gone.token)).status).toBe(404);
      server.advance((hoursAhead + 30 * 24) * 3_600_000);
      await server.settle();
      expect(await stored(over)).not.toBe(null);
      server.advance(6 * 3_600_000);
      await server.settle();
      expect(await stored(over)).toBe(null);
    });
  });
});
