import { expect, test } from 'vitest';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { describePass, notOffered, type PassRow } from './pass-rows.ts';
import { renewApplePassJob, renewGooglePassJob } from './renew-passes.ts';

const START = '2031-03-08T12:00:00Z';
const END = '2031-03-08T14:00:00Z';
const BOOKING = {
  id: 'b',
  reference: '7KQM-4TXR',
  status: 'confirmed',
  studioName: 'Studio A',
  startTime: START,
  endTime: END,
  createdAt: START,
  termsStart: START,
  holdExpiresAt: null,
  confirmedAt: START,
};
const BUSINESS = { name: 'Harbour', address: 'Sydney NSW' };
const pass = (more: object = {}) => ({
  booking: BOOKING,
  business: BUSINESS,
  version: 3,
  changedAt: new Date(START),
  ...more,
});

type Given = {
  readonly now?: string;
  readonly tries?: number;
  readonly rows?: RowsByText;
  readonly failed?: string;
  readonly off?: boolean;
};
async function run(kind: 'apple' | 'google', { now = START, tries = 1, rows = {}, failed, off = false }: Given = {}) {
  const calls: unknown[] = [];
  const { db, statements } = createRowDatabase(rows, {
    'private.wallet_pass': pass(),
    'push_token as token': [{ token: 'one' }, { token: 'two' }],
  });
  const services = servicesWith({
    db,
    clock: () => new Date(now),
    siteUrl: 'https://studio.example',
    // Casts: the jobs call no other function of the wallets.
    wallets: off
      ? { apple: null, google: null }
      : ({
          google: { update: async (...given: unknown[]) => void calls.push(given) },
          apple: {
            push: async (...given: unknown[]) => {
              calls.push(given);
              return { gone: ['two'], failed: failed ?? null };
            },
          },
        } as never),
  });
  const job = {
    id: 'job',
    kind: 'pass.apple',
    subjectId: 'b',
    recipient: null,
    payload: {},
    dueAt: new Date(now),
    deadlineAt: null,
    tries,
  };
  const definition = kind === 'apple' ? renewApplePassJob : renewGooglePassJob;
  const outcome = await definition.handle(services, job).catch((error: unknown) => error);
  const forgotten = statements.filter(({ text }) => text.includes('delete from')).map(({ values }) => values);
  return { outcome, calls, forgotten };
}
const over = { closed: 'The session ended before the pass could follow.' };

test.each(['apple', 'google'] as const)('a pass of %s follows until the session ends', async (kind) => {
  expect((await run(kind, { now: '2031-03-08T13:59:59.999Z', tries: 5 })).calls).toHaveLength(1);
  expect(await run(kind, { now: END })).toMatchObject({ outcome: 'done', calls: [] });
  expect(await run(kind, { now: END, tries: 2 })).toMatchObject({ outcome: over, calls: [] });
  expect(await run(kind, { rows: { 'private.wallet_pass': null }, tries: 2 })).toMatchObject({
    outcome: 'done',
    calls: [],
  });
});

test('a pass at Google gets the booking, and again if it changed meanwhile', async () => {
  const { outcome, calls } = await run('google');
  expect(outcome).toBe('done');
  expect(calls).toMatchObject([[{ id: 'b', reference: '7KQM-4TXR' }, new Date(START)]]);
  let version = 2;
  const changing = { 'private.wallet_pass': () => pass({ version: (version += 1) }) };
  expect((await run('google', { rows: changing })).outcome).toEqual({ retryAt: new Date(START) });
  let reads = 0;
  const deleted = { 'private.wallet_pass': () => ((reads += 1) === 1 ? pass() : null) };
  expect((await run('google', { rows: deleted })).outcome).toBe('done');
  expect((await run('google', { off: true })).outcome).toEqual({
    closed: 'Google Wallet passes are no longer set up.',
  });
});

test('phones are told that a pass of Apple’s changed, and those without it are forgotten', async () => {
  const { outcome, calls, forgotten } = await run('apple');
  expect([outcome, calls, forgotten]).toEqual(['done', [[['one', 'two'], new Date(END)]], [[['two']]]]);
  expect((await run('apple', { failed: 'http_503' })).outcome).toMatchObject({
    provider: 'apple-push',
    reason: 'http_503',
    retryable: true,
  });
  const none = { 'push_token as token': null };
  expect(await run('apple', { rows: none, off: true })).toMatchObject({ outcome: 'done', calls: [] });
  expect((await run('apple', { off: true })).outcome).toEqual({
    closed: 'Apple Wallet passes are no longer set up.',
  });
});

test('a pass describes the session, also over midnight and cancelled', () => {
  const describe = (booking: object) =>
    describePass(
      // Cast: the function reads only these fields.
      {
        ...pass(),
        booking: { ...BOOKING, startTime: new Date(START), endTime: new Date(END), ...booking },
      } as unknown as PassRow,
      'https://studio.example',
    );
  expect(describe({})).toEqual({
    id: 'b',
    cancelled: false,
    business: 'Harbour',
    room: 'Studio A',
    reference: '7KQM-4TXR',
    day: 'Sat 8 Mar 2031',
    hours: '11 pm to 1 am (Sun 9 Mar 2031)',
    start: new Date(START),
    end: new Date(END),
    address: 'Sydney NSW',
    note: 'It changes with your booking when your phone is online. Your access code is on your booking’s page only.',
    url: 'https://studio.example/bookings/7KQM-4TXR',
  });
  expect(
    describe({ startTime: new Date('2031-03-08T01:00:00Z'), endTime: new Date('2031-03-08T02:00:00Z') }).hours,
  ).toBe('12 pm to 1 pm');
  expect(describe({ status: 'cancelled' })).toMatchObject({
    cancelled: true,
    hours: 'Cancelled',
    day: 'Sat 8 Mar 2031',
  });
  expect(notOffered('Apple')).toMatchObject({
    code: 'not_configured',
    message: 'We can’t make passes for Apple Wallet at the moment.',
  });
});
