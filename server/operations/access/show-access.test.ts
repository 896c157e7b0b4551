import { expect, test } from 'vitest';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { type CrewPage, readGuestAccess } from '../crew/guests.ts';
import { showAccess } from './show-access.ts';

const START = new Date('2031-03-08T00:00:00Z');
const MINUTE = 60_000;
const at = (minutes: number, ms = 0): Date => new Date(+START + minutes * MINUTE + ms);
const END = at(120);
const BOOKING = {
  id: 'b',
  status: 'confirmed',
  studioId: 's',
  startTime: START.toISOString(),
  endTime: END.toISOString(),
  createdAt: '2031-03-01T00:00:00Z',
  confirmedAt: '2031-03-01T00:00:00Z',
  termsStart: START.toISOString(),
  holdExpiresAt: null,
};
const CODE = {
  id: 'code',
  status: 'issued',
  encryptedPin: 'sealed 482913',
  startsAt: at(-5),
  endsAt: at(121),
  createdAt: at(-60),
  attempt: 1,
};
const GUEST_CODE = {
  ...CODE,
  id: 'guest',
  encryptedPin: 'sealed 111222',
  startsAt: at(-4),
  endsAt: at(122),
  usedAt: null,
};

type Given = {
  readonly now?: Date;
  readonly rows?: RowsByText;
  readonly singleUse?: boolean;
  /** Whether the lock stores codes of guests. */
  readonly bridge?: boolean;
};
function services({ now = START, rows = {}, singleUse = false, bridge = true }: Given) {
  const { db, statements } = createRowDatabase(rows, {
    booking_json: { facts: BOOKING },
    ' as free': { free: true },
    is_undo_begun: { held: false },
    'coalesce(max(c.attempt)': { count: 2, openedAt: at(10) },
    'from private.crew_code c': GUEST_CODE,
    'from public.booking_access_codes c': CODE,
  });
  const capabilities = {
    mode: bridge ? 'bridge' : 'hourly',
    choosesDigits: bridge,
    revocable: bridge,
    singleUse,
    granularityMinutes: 1,
    endEnforced: true,
    codesPerWindow: 20,
  };
  const given = servicesWith({
    db,
    clock: () => now,
    // Casts: the operations read only these.
    locks: { capabilities } as never,
    encryption: { decrypt: (sealed: string, id: string) => `${sealed.replace('sealed ', '')} of ${id}` } as never,
  });
  return { given, statements };
}
const show = (given: Given = {}) => showAccess(services(given).given, 'b');

test('the access of a session shows its code, its times and what else can be made', async () => {
  expect(await show()).toEqual({
    booking: expect.objectContaining({ id: 'b' }),
    pin: '482913 of code',
    pinId: 'code',
    held: false,
    releaseAt: at(-15),
    worksFrom: CODE.startsAt,
    worksUntil: CODE.endsAt,
    openedAt: null,
    nextCodeAt: null,
    codesLeft: 18,
    codesPerBooking: 20,
    mode: 'bridge',
    singleUse: false,
  });
});

const HELD = { 'private.code_hold': { disputeId: 'd', status: 'open' } };
test.each<[string, Given, boolean]>([
  ['a moment before its release', { now: at(-15, -1) }, false],
  ['at its release', { now: at(-15) }, true],
  ['a moment before the end', { now: at(120, -1) }, true],
  ['at the end', { now: END }, false],
  ['before the lock has issued it', { rows: { "c.status = 'issued'": null } }, false],
  ['while a dispute holds it', { rows: HELD }, false],
  ['while the account is being recovered', { rows: { is_undo_begun: { held: true } } }, false],
  ['for one use, after it opened the door', { singleUse: true }, false],
  [
    'for one use, before it opened the door',
    { singleUse: true, rows: { 'coalesce(max(c.attempt)': { count: 1, openedAt: null } } },
    true,
  ],
])('a code is shown %s: %s', async (_when, given, isShown) => {
  expect((await show(given)).pin !== null).toBe(isShown);
});

test('a held code and one that has not been issued keep the times of the booking, and an opening is shown with the code', async () => {
  const times = { worksFrom: at(-5), worksUntil: END };
  expect(await show({ rows: HELD })).toMatchObject({ ...times, pinId: null, held: true });
  expect(await show({ rows: { "c.status = 'issued'": null } })).toMatchObject({ ...times, pinId: null });
  expect(await show({ rows: { "c.status = 'issued'": null, ' as free': { free: false } } })).toMatchObject({
    worksFrom: START,
  });
  expect((await show({ singleUse: true })).openedAt).toEqual(at(10));
  expect((await show({ singleUse: true, now: at(-15, -1) })).openedAt).toBeNull();
});

// Cast: the operation reads only these fields.
const PAGE = { memberId: 'm', bookingId: 'b', endTime: END.toISOString() } as CrewPage;
const look = (given: Given = {}) => readGuestAccess(services(given).given, PAGE);

test('a guest has a code of their own with its own times and limits', async () => {
  const access = await look({ rows: { 'coalesce(max(c.attempt)': { count: 9, openedAt: null } } });
  expect(access).toMatchObject({
    own: true,
    pin: '111222 of guest',
    worksFrom: GUEST_CODE.startsAt,
    worksUntil: GUEST_CODE.endsAt,
    openedAt: null,
    codesLeft: 19,
    nextCodeAt: null,
  });
  expect(Object.keys(access)).not.toEqual(expect.arrayContaining(['booking']));
});

test.each<[string, Given, boolean]>([
  ['a moment before its release', { now: at(-15, -1) }, false],
  ['at its release', { now: at(-15) }, true],
  ['a moment before the end', { now: at(120, -1) }, true],
  ['at the end', { now: END }, false],
  [
    'after it was used',
    { rows: { 'from private.crew_code c': { ...GUEST_CODE, status: 'revoking', usedAt: at(1) } } },
    false,
  ],
  [
    'before the lock has issued it',
    { rows: { 'from private.crew_code c': { ...GUEST_CODE, status: 'requested' } } },
    false,
  ],
  ['before there is one', { rows: { 'from private.crew_code c': null } }, false],
  ['while a dispute holds it', { rows: HELD }, false],
  ['while the account is being recovered', { rows: { is_undo_begun: { held: true } } }, false],
])('the code of a guest is shown %s: %s', async (_when, given, isShown) => {
  const { pin, worksFrom, worksUntil } = await look(given);
  expect(pin !== null).toBe(isShown);
  const shown = isShown ? GUEST_CODE : { startsAt: CODE.startsAt, endsAt: CODE.endsAt };
  if (given.rows !== HELD) expect([worksFrom, worksUntil]).toEqual([shown.startsAt, shown.endsAt]);
});

test('a guest whose code was used sees when, and one without a code of their own shares that of the booking', async () => {
  const used = { ...GUEST_CODE, usedAt: at(1) };
  expect((await look({ rows: { 'from private.crew_code c': used } })).openedAt).toEqual(at(1));
  const saw = async (given: Given) => {
    const { given: all, statements } = services({ bridge: false, ...given });
    const access = await readGuestAccess(all, PAGE);
    return { access, saw: statements.filter(({ text }) => text.includes('saw_shared_at')).map(({ values }) => values) };
  };
  const shared = await saw({});
  expect(shared.access).toMatchObject({ own: false, pin: '482913 of code', nextCodeAt: null, codesLeft: 0 });
  expect(shared.saw).toEqual([['m', START]]);
  expect((await saw({ now: END })).saw).toEqual([]);
});
