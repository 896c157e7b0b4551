import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { makeGuestCode, requestGuestCodeJob } from '../crew/guest-codes.ts';
import type { CrewPage } from '../crew/guests.ts';
import { type BookingCode, bookingCodes } from './booking-codes.ts';
import { issueCode, removeCode } from './codes.ts';
import { ensureCode, requestFirstCodeJob } from './issue-first-code.ts';
import { recordUse } from './record-use.ts';
import { recordView } from './record-view.ts';
import { renewCode, replaceSeenCode } from './renew-code.ts';
import type { BookingAccess } from './show-access.ts';
import { staffCodes } from './staff-codes.ts';

const START = new Date('2031-03-08T00:00:00Z');
const MINUTE = 60_000;
const at = (minutes: number, ms = 0): Date => new Date(+START + minutes * MINUTE + ms);
const END = at(120);
const NOW = at(-10);
const BOOKING = {
  id: 'b',
  reference: '7KQM-4TXR',
  status: 'confirmed',
  studioId: 's',
  studioName: 'Studio A',
  startTime: START.toISOString(),
  endTime: END.toISOString(),
  createdAt: '2031-03-01T00:00:00Z',
  confirmedAt: '2031-03-01T00:00:00Z',
  termsStart: START.toISOString(),
  holdExpiresAt: null,
};
// Cast: the digits are sealed by the fake encryption below.
const CODE = {
  id: 'c',
  bookingId: 'b',
  attempt: 2,
  mode: 'bridge',
  lockId: 'l',
  status: 'requested',
  variant: 0,
  startsAt: at(-5),
  endsAt: END,
  createdAt: at(-60),
  encryptedPin: 'sealed:482913',
} as BookingCode;

type Given = {
  readonly now?: Date;
  readonly rows?: RowsByText;
  readonly revocable?: boolean;
  readonly fails?: ProviderError;
};
/** Services with a lock that takes codes, unless it fails. `written`: what changed, in words. */
function lock({ now = NOW, rows = {}, revocable = true, fails }: Given = {}) {
  const { db, statements } = createRowDatabase(rows, {
    lock_booking: { value: BOOKING },
    booking_json: { facts: BOOKING },
    ' as free': { free: true },
    is_undo_begun: { held: false },
    is_pin_taken: { taken: false },
    show_secret: { value: true },
    'coalesce(max(c.attempt)': { count: 1, openedAt: null },
  });
  const calls: unknown[][] = [];
  const logged: unknown[] = [];
  const services = servicesWith({
    db,
    clock: () => now,
    studioLocks: new Map([['s', 'l']]),
    log: { warn: (...line) => void logged.push(line), error: (...line) => void logged.push(line) },
    // Casts: the operations read only these.
    locks: {
      capabilities: {
        mode: 'bridge',
        choosesDigits: true,
        revocable,
        singleUse: false,
        granularityMinutes: 1,
        endEnforced: true,
        codesPerWindow: 20,
        storedCodes: 199,
      },
      issueCode: async (input: { pin: string; accessName: string }) => {
        calls.push(['issue', input.accessName]);
        if (fails) throw fails;
        return { pin: input.pin, providerCodeId: 'at-lock' };
      },
      revokeCode: async (input: { lockId: string; pin: string }) =>
        void calls.push(['revoke', input.lockId, input.pin]),
    } as never,
    encryption: { encrypt: (pin: string) => `sealed:${pin}`, decrypt: (sealed: string) => sealed.slice(7) } as never,
    fingerprint: Object.assign((pin: string) => `print ${pin}`, { all: (pin: string) => [`print ${pin}`] }) as never,
  });
  const written = (): string[] => statements.flatMap(({ text, values }) => describe(text, values));
  return { services, statements, written, calls, logged, tx: db };
}
function describe(text: string, values: readonly unknown[]): string[] {
  const minutes = (due: unknown): string => `at ${(+(due as Date) - +START) / MINUTE}`;
  if (text.includes('insert into private.outbox'))
    return [`job ${String(values[1])} ${String(values[3])} ${minutes(values[6])}`];
  if (text.includes('private.audit('))
    return [`audit ${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ')}`];
  if (text.includes('set live = true')) return ['live'];
  if (text.includes('set live = false, variant')) return ['discarded'];
  if (text.includes('set live = false')) return ['not live'];
  if (text.includes("set status = 'revoke_pending'")) return ['previous revoked'];
  if (/insert into (public.booking_access_codes|private.crew_code)/.test(text)) return ['planned'];
  return [];
}
/** The status of the code each time that it is read. */
const reading = (...states: readonly string[]): RowsByText => {
  const remaining = [...states];
  return { 'where c.id = $1::uuid': () => ({ ...CODE, status: remaining.shift() }) };
};
const entry = 'audit null create access_code c {"bookingId":"b","attempt":2,"mode":"bridge"}';

test.each<[string, Given, boolean, string[]]>([
  ['is new', { rows: reading('requested', 'issued') }, false, [entry, 'job access.revoke end:c at 120']],
  ['is requested again', { rows: reading('issued', 'issued') }, false, ['job access.revoke end:c at 120']],
  [
    'ended during the call',
    { rows: reading('requested', 'revoking') },
    true,
    ['live', entry, `job access.revoke late:${NOW.toISOString()}:c at -10`],
  ],
  [
    'belongs to a booking that was cancelled during the call',
    { rows: { ...reading('issued', 'issued'), lock_booking: { value: { ...BOOKING, status: 'cancelled' } } } },
    true,
    ['live', entry, `job access.revoke late:${NOW.toISOString()}:c at -10`],
  ],
  [
    'is gone',
    { rows: { 'where c.id = $1::uuid': null } },
    true,
    ['live', entry, `job access.revoke late:${NOW.toISOString()}:c at -10`],
  ],
])('a code that %s is accepted with the job that removes it', async (_what, given, isLate, expected) => {
  const { services, written } = lock(given);
  expect(await issueCode(services, bookingCodes, CODE, { name: 'Name' })).toEqual({
    pin: '482913',
    providerCodeId: 'at-lock',
    late: isLate,
  });
  expect(written().filter((change) => change !== 'previous revoked')).toEqual(expected);
});

test('the entry of a code of staff has its states, and its actor', async () => {
  const { services, written } = lock({ rows: reading('requested', 'requested', 'issued') });
  await issueCode(services, staffCodes, CODE as never, { name: 'Name', actor: 'staff' });
  expect(written()[0]).toBe(
    'audit staff update staff_code c {"before":{"status":"requested"},"after":{"status":"issued"}}',
  );
});

test('a new code replaces the previous ones of a lock that can remove them', async () => {
  const previous = { "set status = 'revoke_pending' from": [{ id: 'old' }] };
  const { services, written } = lock({ rows: { ...previous, ...reading('requested', 'issued') } });
  await issueCode(services, bookingCodes, CODE, { name: 'Name' });
  expect(written()).toEqual([
    'previous revoked',
    'job access.revoke renew:old at -10',
    entry,
    'job access.revoke end:c at 120',
  ]);
  const kept = lock({ rows: { ...previous, ...reading('requested', 'issued') }, revocable: false });
  await issueCode(kept.services, bookingCodes, CODE, { name: 'Name' });
  expect(kept.written()).not.toContain('previous revoked');
});

const alert = 'audit null alert access_code c {"reason":"the lock cannot remove this code before it ends"}';
test.each<[string, Given, Partial<BookingCode>, unknown[], string[]]>([
  ['a lock that removes it', {}, {}, [['revoke', 'l', '482913']], ['not live']],
  ['a lock that cannot remove it', { revocable: false }, {}, [], [alert, 'not live']],
  [
    'a lock that cannot remove it, a moment before its end',
    { revocable: false, now: at(120, -1) },
    {},
    [],
    [alert, 'not live'],
  ],
  ['a lock that cannot remove it, at its end', { revocable: false, now: END }, {}, [], ['not live']],
  ['a lock that has not computed its digits', {}, { encryptedPin: null }, [], [alert, 'not live']],
])('a code is removed from %s', async (_what, given, code, calls, expected) => {
  const { services, written, calls: performed } = lock(given);
  await removeCode(services, bookingCodes, { ...CODE, ...code });
  expect(performed).toEqual(calls);
  expect(written()).toEqual(expected);
});

const job = (subjectId: string, payload: object = {}) => ({
  id: 'job',
  kind: 'access.request',
  subjectId,
  recipient: null,
  payload: { ...payload },
  dueAt: NOW,
  deadlineAt: null,
  tries: 2,
});
const newest = (status: string | null): RowsByText => ({
  'c.attempt > coalesce': status === null ? null : { ...CODE, status },
  'true order by c.attempt': status === null ? null : { ...CODE, status },
  "c.status = 'issued' order by": status === 'issued' ? { ...CODE, status } : null,
  'where c.id = $1::uuid': { ...CODE, status: 'requested' },
});
const HELD = { 'private.code_hold': { disputeId: 'd', status: 'open' } };
const ended = { closed: 'The session ended before the lock issued an access code.' };
test.each<[string, Given, unknown, number]>([
  ['has none', { rows: newest(null) }, 'done', 1],
  ['waits for the lock', { rows: newest('requested') }, 'done', 1],
  ['has one', { rows: newest('issued') }, 'done', 0],
  ['had one that is being removed', { rows: newest('revoking') }, 'done', 1],
  ['had one that was removed', { rows: newest('revoked') }, 'done', 1],
  ['is held', { rows: { ...newest(null), ...HELD } }, 'done', 0],
  [
    'is cancelled',
    { rows: { ...newest(null), lock_booking: { value: { ...BOOKING, status: 'cancelled' } } } },
    'done',
    0,
  ],
  ['is gone', { rows: { ...newest(null), lock_booking: { value: null } } }, 'done', 0],
  ['is being recovered', { rows: { ...newest(null), is_undo_begun: { held: true } } }, { retryAt: at(-9) }, 0],
  ['ends in a moment', { rows: newest(null), now: at(120, -1) }, 'done', 1],
  ['has ended without one', { rows: newest(null), now: END }, ended, 0],
  ['has ended before the lock answered', { rows: newest('requested'), now: END }, ended, 0],
  ['has ended with one', { rows: newest('issued'), now: END }, 'done', 0],
])('the job of the first code of a booking that %s', async (_what, given, outcome, requests) => {
  const { services, calls } = lock(given);
  expect(await requestFirstCodeJob.handle(services, job('b'))).toEqual(outcome);
  expect(calls).toEqual(Array(requests).fill(['issue', '7KQM-4TXR']));
});

test('codes that were removed before their lock confirmed them are removed again, once for each try', async () => {
  const lost = { 'c.issued_at is null': [{ ...CODE, id: 'lost' }], ...newest('issued') };
  const { services, written } = lock({ rows: lost });
  await requestFirstCodeJob.handle(services, job('b'));
  expect(written()).toEqual(['live', 'job access.revoke lost:job:2:lost at -10']);
  const kept = lock({ rows: lost, revocable: false });
  await requestFirstCodeJob.handle(kept.services, job('b'));
  expect(kept.written()).toEqual([]);
});

const silent = new ProviderError('igloohome', 'no_response', { retryable: true, ambiguous: true });
const refused = new ProviderError('igloohome', 'http_400', { retryable: false });
test('the code page shows a booking whose code cannot be issued yet, and does not ask too early or while it is recovered', async () => {
  const failing = lock({ rows: newest(null), fails: silent });
  expect(await ensureCode(failing.services, 'b')).toMatchObject({ pin: null });
  expect(failing.logged).toEqual([
    [{ booking: 'b', reason: expect.stringContaining('no_response') }, expect.stringMatching(/\w/)],
  ]);
  const early = lock({ rows: newest(null), now: at(-60, -1) });
  await ensureCode(early.services, 'b');
  const recovered = lock({ rows: { ...newest(null), is_undo_begun: { held: true } } });
  await ensureCode(recovered.services, 'b');
  const due = lock({ rows: newest(null), now: at(-60) });
  await ensureCode(due.services, 'b');
  expect([early.calls.length, recovered.calls.length, due.calls.length]).toEqual([0, 0, 1]);
});

test.each<[string, Given, string, string[]]>([
  [
    'is requested',
    { rows: newest('issued') },
    'done',
    ['planned', 'audit staff update access_code c {"bookingId":"b","attempt":2}'],
  ],
  ['was requested before', { rows: newest('requested') }, 'done', []],
  [
    'is refused by the lock',
    { rows: newest('issued'), fails: refused },
    'provider_unavailable',
    ['planned', 'audit staff update access_code c {"bookingId":"b","attempt":2}', 'discarded'],
  ],
  [
    'has no answer',
    { rows: newest('issued'), fails: silent },
    'provider_unavailable',
    ['planned', 'audit staff update access_code c {"bookingId":"b","attempt":2}'],
  ],
  [
    'is made of a cancelled booking',
    { rows: { ...newest('issued'), lock_booking: { value: { ...BOOKING, status: 'cancelled' } } } },
    'not_found',
    [],
  ],
  ['is held', { rows: { ...newest('issued'), ...HELD } }, 'code_held', []],
])('another code that %s', async (_what, given, outcome, expected) => {
  const { services, written } = lock(given);
  const answer = await renewCode(services, 'b', 'staff').then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
  expect(answer).toBe(outcome);
  expect(written().filter((change) => !/^(previous|job|live|audit null)/.test(change))).toEqual(expected);
});

test.each<[string, Given, string, number]>([
  ['that works', { rows: newest('issued') }, 'c', 1],
  ['that was replaced', { rows: newest('issued') }, 'older', 0],
  ['of a job that waits for the lock', { rows: newest('requested') }, 'older', 1],
  ['of a held booking', { rows: { ...newest('issued'), ...HELD } }, 'c', 0],
  [
    'of a cancelled booking',
    { rows: { ...newest('issued'), lock_booking: { value: { ...BOOKING, status: 'cancelled' } } } },
    'c',
    0,
  ],
  ['of a booking that ends in a moment', { rows: newest('issued'), now: at(120, -1) }, 'c', 1],
  ['of a booking that has ended', { rows: newest('issued'), now: END }, 'c', 0],
])('a code %s that former staff have seen is replaced', async (_what, given, codeId, requests) => {
  const { services, calls } = lock(given);
  await replaceSeenCode(services, 'b', codeId);
  expect(calls).toHaveLength(requests);
});

test('a used code is removed from a lock that can, first of a booking, then of a guest', async () => {
  const used = async (given: Given) => {
    const { services, written } = lock(given);
    await recordUse(services, { lockId: 'l', pin: '1', at: NOW });
    return written();
  };
  const own = { 'update public.booking_access_codes c set used_at': { id: 'c', bookingId: 'b' } };
  const guest = { 'update private.crew_code c set used_at': { id: 'g', bookingId: 'b' } };
  expect(await used({ rows: { ...own, ...guest } })).toEqual(['job access.revoke used:c at -10']);
  expect(await used({ rows: guest })).toEqual(['job access.revoke-crew used:g at -10']);
  expect(await used({ rows: {} })).toEqual([]);
  expect(await used({ rows: { ...own, ...guest }, revocable: false })).toEqual([]);
});

test('a view is recorded of shown digits only: the first of the customer, and each of staff', async () => {
  const access = { booking: { id: 'b', studioId: 's' }, pin: '1', pinId: 'c', worksUntil: END } as BookingAccess;
  const view = async (more: Partial<BookingAccess>, staff: string | null, rows: RowsByText = {}) => {
    const { services, statements } = lock({ rows });
    await recordView(services, { ...access, ...more }, staff);
    return statements.map(({ text, values }) => [/seen_at|show_secret|audit/.exec(text)?.[0], values]);
  };
  expect(await view({ pin: null }, null)).toEqual([]);
  expect(await view({ pinId: null }, 'staff')).toEqual([]);
  expect(await view({}, null)).toEqual([['seen_at', ['c', NOW]]]);
  expect(await view({}, 'staff')).toEqual([
    ['show_secret', ['booking-code', 'c', 's', END, 'staff', 'bookings', NOW]],
    ['audit', ['c', 'staff', { bookingId: 'b', at: NOW.toISOString() }, NOW]],
  ]);
  await expect(view({}, 'staff', { show_secret: { value: false } })).rejects.toMatchObject({ code: 'not_yours' });
});

const GUEST = { ...CODE, id: 'g', memberId: 'm', usedAt: null };
const member = (joined: boolean | null = true): RowsByText => ({
  'from private.crew_member where id': joined === null ? null : { id: 'm', bookingId: 'b', joined },
  codes_in_lock: { codes: 159 },
});
/** The newest code of a guest, and the one that is read back. */
const guestCode = (code: object | null): RowsByText => ({
  'order by c.created_at desc': code,
  'where c.id = $1::uuid': { ...GUEST, status: 'requested' },
});
test.each<[string, Given, unknown, number]>([
  ['has none', { rows: guestCode(null) }, 'done', 1],
  ['waits for the lock', { rows: guestCode({ ...GUEST, status: 'requested' }) }, 'done', 1],
  ['has one', { rows: guestCode({ ...GUEST, status: 'issued' }) }, 'done', 0],
  ['has used one', { rows: guestCode({ ...GUEST, status: 'revoked', usedAt: NOW }) }, 'done', 0],
  [
    'has used one of other hours',
    { rows: guestCode({ ...GUEST, status: 'revoked', usedAt: NOW, endsAt: at(60) }) },
    'done',
    1,
  ],
  [
    'has used one of another lock',
    { rows: guestCode({ ...GUEST, status: 'revoked', usedAt: NOW, lockId: 'x' }) },
    'done',
    1,
  ],
  ['had one that was removed', { rows: guestCode({ ...GUEST, status: 'revoked' }) }, 'done', 1],
  ['has not joined', { rows: { ...guestCode(null), ...member(false) } }, 'done', 0],
  ['is gone', { rows: { ...guestCode(null), ...member(null) } }, 'done', 0],
  [
    'belongs to a cancelled booking',
    { rows: { ...guestCode(null), lock_booking: { value: { ...BOOKING, status: 'cancelled' } } } },
    'done',
    0,
  ],
  ['is held', { rows: { ...guestCode(null), ...HELD } }, 'done', 0],
  ['is being recovered', { rows: { ...guestCode(null), is_undo_begun: { held: true } } }, { retryAt: at(-9) }, 0],
  ['comes a moment before the end', { rows: guestCode(null), now: at(120, -1) }, 'done', 1],
  ['comes at the end', { rows: guestCode(null), now: END }, 'done', 0],
  ['has a lock that cannot remove codes', { rows: guestCode(null), revocable: false }, 'done', 0],
])('the job of the first code of a guest who %s', async (_what, given, outcome, requests) => {
  const { services, calls } = lock({ ...given, rows: { ...member(), ...given.rows } });
  const definition = { ...job('b'), payload: { memberId: '5a000000-0000-4000-8000-000000000001' } };
  expect(await requestGuestCodeJob.handle(services, definition)).toEqual(outcome);
  expect(calls).toEqual(Array(requests).fill(['issue', '7KQM-4TXR crew']));
});

// Cast: the operation reads only these fields.
const PAGE = { memberId: 'm', bookingId: 'b' } as CrewPage;
test.each<[string, Given, string, string[]]>([
  [
    'has used one',
    { rows: guestCode({ ...GUEST, status: 'revoked', usedAt: NOW }) },
    'done',
    ['planned', 'job access.request-crew m:g at -9.5'],
  ],
  ['has one that works', { rows: guestCode({ ...GUEST, status: 'issued' }) }, 'done', []],
  ['waits for the lock', { rows: guestCode({ ...GUEST, status: 'requested' }) }, 'done', []],
  [
    'made one a moment ago',
    { rows: guestCode({ ...GUEST, status: 'revoked', createdAt: at(-10, -29_999) }) },
    'code_wait',
    [],
  ],
  ['has not joined', { rows: { ...guestCode(null), ...member(false) } }, 'session_ended', []],
  ['is too early', { rows: guestCode(null), now: at(-15, -1) }, 'code_not_released', []],
  ['has a full lock', { rows: { ...guestCode(null), codes_in_lock: { codes: 160 } } }, 'code_limit', ['planned']],
  [
    'has a lock with room for one more',
    { rows: guestCode(null) },
    'done',
    ['planned', 'job access.request-crew m:g at -9.5'],
  ],
])('another code of a guest who %s', async (_what, given, outcome, expected) => {
  const { services, written } = lock({ ...given, rows: { ...member(), ...given.rows } });
  const answer = await makeGuestCode(services, PAGE).then(
    () => 'done',
    (error: { code: string; message: string }) => {
      if (error.code === 'code_limit') expect(error.message).toBe('The lock has no room for another code right now.');
      if (error.code === 'session_ended') expect(error.message).toBe('Session has ended');
      return error.code;
    },
  );
  expect([answer, written().filter((change) => /^(planned|job access.request)/.test(change))]).toEqual([
    outcome,
    expected,
  ]);
});

test('another code of a guest that the lock does not take is left to the job', async () => {
  const { services, logged } = lock({ rows: { ...member(), ...guestCode(null) }, fails: silent });
  await makeGuestCode(services, PAGE);
  expect(logged).toEqual([
    [{ booking: 'b', reason: expect.stringContaining('no_response') }, expect.stringMatching(/\w/)],
  ]);
});
