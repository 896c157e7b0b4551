import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import type { Services } from '#server/operations/core/services.ts';
import { addPhone, listChanged, passToken, readNewPass, removePhone } from '#server/operations/wallet/pass-phones.ts';
import { renewApplePassJob, renewGooglePassJob } from '#server/operations/wallet/renew-passes.ts';
import { linkToPass, readPassFile } from '#server/operations/wallet/wallet-pass.ts';
import type { ApplePasses, GooglePasses, PassPushes, WalletPass } from '#server/providers/ports.ts';
import { addPerson, embedded, HOUR, MINUTE, START } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

const TYPE = 'pass.example';
/** 6 pm to 2 am in Sydney, a week ahead. */
const SPAN = { startTime: new Date(START + 175 * HOUR), endTime: new Date(START + 183 * HOUR) };

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());

let services: Services;
let person: string;
let bookingId: string;
/** The passes, pushes and updates that the wallets received. */
let [passes, pushed, updated]: [unknown[], unknown[], WalletPass[]] = [[], [], []];
let pushes: PassPushes;
let works: boolean;
beforeEach(async () => {
  cases = await createPaymentCases(db);
  await db.query('delete from private.pass_device');
  await db.query('delete from private.wallet_pass');
  [passes, pushed, updated, pushes, works] = [[], [], [], { gone: [], failed: null }, true];
  const apple: ApplePasses = {
    typeId: TYPE,
    worksAt: () => works,
    make: async (pass, service) => {
      passes.push({ pass, service });
      return Buffer.from(`file of ${pass.reference}`);
    },
    push: async (tokens, until) => {
      pushed.push({ tokens: tokens.toSorted(), until });
      return pushes;
    },
  };
  const google: GooglePasses = {
    saveUrl: async (pass, origin) => `https://google.example/${pass.reference}?from=${origin}`,
    update: async (pass) => void updated.push(pass),
    check: () => Promise.resolve(),
  };
  services = { ...cases.system.services, wallets: { apple, google } };
  person = await addPerson(db);
  ({ id: bookingId } = await cases.system.book(person, SPAN));
});

const link = (kind: 'apple' | 'google', userId = person, by = services) => linkToPass(by, { userId, bookingId, kind });
const tokenIn = (url: string): string => new URL(url).searchParams.get('token') ?? '';
const readReference = async (): Promise<string> =>
  (
    await db.queryRow<{ text: string }>('select reference as text from private.booking where id = $1::uuid', [
      bookingId,
    ])
  )?.text ?? '';
const cancel = () => cancelBooking(services, bookingId, person);
const request = () => ({ typeId: TYPE, serial: bookingId, token: passToken(services, bookingId) });
const add = (device: string, more: object = {}) =>
  addPhone(services, { ...request(), device, pushToken: pushTo(device), ...more });
/** Returns the push token of a phone. */
const pushTo = (device: string): string => Buffer.from(device.padEnd(16, '-')).toString('hex');
const job = (tries = 1) => ({ id: randomUUID(), subjectId: bookingId, tries, payload: null }) as never;

describe('the pass of a booking', () => {
  test('is saved at Google, or a file whose link works for ten minutes', async () => {
    const reference = await readReference();
    expect(await link('google')).toBe(`https://google.example/${reference}?from=https://studio.example`);
    const url = await link('apple');
    expect(url).toMatch(/^https:\/\/studio\.example\/functions\/v1\/wallet-file\?token=./);
    expect(await readPassFile(services, tokenIn(url))).toEqual({
      file: Buffer.from(`file of ${reference}`),
      name: `${reference}.pkpass`,
    });
    expect(passes).toEqual([
      {
        pass: {
          id: bookingId,
          cancelled: false,
          business: '24/7 DJ Studios',
          room: 'Studio',
          reference,
          day: 'Sat 8 Mar 2031',
          hours: '6 pm to 2 am (Sun 9 Mar 2031)',
          start: SPAN.startTime,
          end: SPAN.endTime,
          address: 'Sydney NSW',
          note: expect.stringMatching(/^It changes with your booking/),
          url: `https://studio.example/bookings/${reference}`,
        },
        service: { url: 'https://studio.example/functions/v1/wallet-service', token: passToken(services, bookingId) },
      },
    ]);
    cases.system.state.now += 10 * MINUTE - 1_000;
    await readPassFile(services, tokenIn(url));
    cases.system.state.now += 1_000;
    const expired = { code: 'not_found', message: 'This link has expired. Open your booking and add the pass again.' };
    await expect(readPassFile(services, tokenIn(url))).rejects.toMatchObject(expired);
    await expect(readPassFile(services, 'forged')).rejects.toMatchObject(expired);
  });

  test('is refused where wallets are not set up, to others, and for a booking that is over or cancelled', async () => {
    const refused = (name: string) => ({
      code: 'not_configured',
      message: `We can’t make passes for ${name} Wallet at the moment.`,
    });
    const without = { ...services, wallets: { apple: null, google: null } };
    await expect(link('apple', person, without)).rejects.toMatchObject(refused('Apple'));
    await expect(link('google', person, without)).rejects.toMatchObject(refused('Google'));
    works = false;
    await expect(link('apple')).rejects.toMatchObject(refused('Apple'));
    works = true;
    await expect(link('google', randomUUID())).rejects.toMatchObject({
      code: 'not_found',
      message: 'Booking not found',
    });
    const url = await link('apple');
    cases.system.state.now = SPAN.endTime.getTime() - 1;
    const late = tokenIn(await link('apple'));
    cases.system.state.now += 1;
    const over = { code: 'session_ended', message: 'This session is over.' };
    await expect(link('google')).rejects.toMatchObject(over);
    await expect(readPassFile(services, late)).rejects.toMatchObject(over);
    cases.system.state.now = START;
    await cancel();
    const cancelled = { code: 'not_confirmed', message: 'Only a confirmed booking can be in your wallet.' };
    await expect(link('google')).rejects.toMatchObject(cancelled);
    await expect(readPassFile(services, tokenIn(url))).rejects.toMatchObject(cancelled);
  });
});

describe('the phones of a pass', () => {
  test('are stored once, and one that comes after a change is told of it', async () => {
    await link('apple');
    await db.query('delete from private.outbox');
    const queued = async () =>
      (await db.query(`select subject_id as subject from private.outbox where kind = 'pass.apple'`)).rows;
    expect(await add('a')).toBe(true);
    expect(await add('a', { pushToken: pushTo('new') })).toBe(false);
    expect(await queued()).toEqual([]);
    expect((await db.query('select push_token as token from private.pass_device')).rows).toEqual([
      { token: pushTo('new') },
    ]);
    await db.query('update private.wallet_pass set version = 2');
    expect(await add('b')).toBe(true);
    expect(await queued()).toEqual([{ subject: bookingId }]);
    await removePhone(services, { ...request(), device: 'a' });
    expect((await db.query('select push_token as token from private.pass_device')).rows).toEqual([
      { token: pushTo('b') },
    ]);
  });

  test('are at most twenty', async () => {
    await link('apple');
    for (let count = 0; count < 20; count += 1) await add(`phone ${count}`);
    await expect(add('one more')).rejects.toMatchObject({
      code: 'too_many_requests',
      message: 'This pass is on too many phones.',
    });
    expect(await add('phone 3')).toBe(false);
  });

  test('need the token of the pass, and a pass of Apple’s', async () => {
    const unknown = { code: 'not_found', message: 'There is no such pass.' };
    await expect(add('a')).rejects.toMatchObject(unknown);
    await link('google');
    await expect(add('a')).rejects.toMatchObject(unknown);
    await link('apple');
    await expect(add('a', { typeId: 'other' })).rejects.toMatchObject(unknown);
    await expect(add('a', { serial: 'no id' })).rejects.toMatchObject(unknown);
    await expect(add('a', { serial: `${bookingId}0` })).rejects.toMatchObject(unknown);
    const forged = { code: 'not_signed_in', message: 'This is not the token of the pass.' };
    await expect(add('a', { token: 'forged' })).rejects.toMatchObject(forged);
    await expect(add('a', { token: passToken(services, randomUUID()) })).rejects.toMatchObject(forged);
    await expect(removePhone(services, { ...request(), token: 'forged', device: 'a' })).rejects.toMatchObject(forged);
    await expect(readNewPass(services, { ...request(), token: 'forged', since: null })).rejects.toMatchObject(forged);
  });

  test('ask which passes changed since they last asked', async () => {
    await link('apple');
    await add('a');
    const ask = (since: number | null, device = 'a') => listChanged(services, { typeId: TYPE, device, since });
    const first = await ask(null);
    expect(first).toEqual({ serials: [bookingId], tag: expect.stringMatching(/^\d+$/) });
    expect(Math.abs(Number(first?.tag) - Date.now() / 1000)).toBeLessThan(60);
    expect(await ask(null, 'other')).toBeNull();
    const row = await db.queryRow<{ at: number }>(
      'select extract(epoch from changed_at)::float8 as at from private.wallet_pass',
    );
    const changed = row?.at ?? 0;
    // A change that was not yet committed at the last call is reported again.
    expect(await ask(changed + 59)).toMatchObject({ serials: [bookingId] });
    expect(await ask(changed + 61)).toBeNull();
    await expect(listChanged(services, { typeId: 'other', device: 'a', since: null })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('get the pass only when it changed, with the token that they have, also of a cancelled booking', async () => {
    await link('apple');
    const read = (since: Date | null) => readNewPass(services, { ...request(), since });
    const { file, changedAt } = await read(null);
    expect(file?.toString()).toBe(`file of ${await readReference()}`);
    expect(await read(changedAt)).toEqual({ file: null, changedAt });
    expect((await read(new Date(changedAt.getTime() - 1))).file).not.toBeNull();
    await cancel();
    await read(null);
    expect(passes.at(-1)).toMatchObject({
      pass: { cancelled: true, hours: 'Cancelled', day: 'Sat 8 Mar 2031' },
      service: { token: request().token },
    });
    await db.query('delete from private.wallet_pass');
    await expect(read(null)).rejects.toMatchObject({ code: 'not_found', message: 'There is no such pass.' });
  });
});

describe('a changed booking', () => {
  const renew = (kind: 'apple' | 'google', tries = 1, by = services) =>
    (kind === 'apple' ? renewApplePassJob : renewGooglePassJob).handle(by, job(tries));

  test('is shown by its pass at Google, and again if it changes meanwhile', async () => {
    await link('google');
    expect(await renew('google')).toBe('done');
    expect(updated).toMatchObject([{ id: bookingId, hours: '6 pm to 2 am (Sun 9 Mar 2031)' }]);
    const google: GooglePasses = {
      ...services.wallets.google!,
      update: async () => void (await db.query('update private.wallet_pass set version = version + 1')),
    };
    const changing = { ...services, wallets: { apple: null, google } };
    expect(await renew('google', 1, changing)).toEqual({ retryAt: services.clock() });
    expect(await renew('google', 1, { ...services, wallets: { apple: null, google: null } })).toEqual({
      closed: 'Google Wallet passes are no longer set up.',
    });
  });

  test('makes each phone ask once, and phones without passes are forgotten', async () => {
    await link('apple');
    expect(await renew('apple')).toBe('done');
    expect(pushed).toEqual([]);
    await add('a');
    await add('b');
    await add('c', { pushToken: pushTo('a') });
    pushes = { gone: [pushTo('a')], failed: null };
    expect(await renew('apple')).toBe('done');
    expect(pushed).toEqual([{ tokens: [pushTo('a'), pushTo('b')], until: SPAN.endTime }]);
    pushes = { gone: [], failed: 'TooManyRequests' };
    await expect(renew('apple')).rejects.toMatchObject({
      provider: 'apple-push',
      reason: 'TooManyRequests',
      retryable: true,
    });
    expect(pushed[1]).toEqual({ tokens: [pushTo('b')], until: SPAN.endTime });
    expect(await renew('apple', 1, { ...services, wallets: { apple: null, google: null } })).toEqual({
      closed: 'Apple Wallet passes are no longer set up.',
    });
  });

  test.each(['apple', 'google'] as const)('needs no pass of %s without one, or after the session', async (kind) => {
    expect(await renew(kind)).toBe('done');
    await link(kind);
    if (kind === 'apple') await add('a');
    cases.system.state.now = SPAN.endTime.getTime();
    expect(await renew(kind)).toBe('done');
    expect(await renew(kind, 2)).toEqual({ closed: 'The session ended before the pass could follow.' });
    expect([...pushed, ...updated]).toEqual([]);
  });
});
