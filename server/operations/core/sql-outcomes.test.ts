import { describe, expect, test } from 'vitest';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { type CrewPage, joinCrew, readCrewPage, requireJoined } from '../crew/guests.ts';
import { inviteCrew, renewCrewLink, revokeCrew } from '../crew/links.ts';
import { deleteAccount, exportAccount, removePhone } from '../customers/account.ts';
import { blockCustomer, unblockCustomer } from '../customers/block.ts';
import { holdEarly } from '../customers/hold-early.ts';
import { followWaitlist, joinWaitlist, leaveWaitlist } from '../customers/waitlist.ts';
import { writeCustomer } from '../customers/write.ts';
import { closeHours } from '../closures/close-hours.ts';
import { stopCampaign } from '../mails/campaigns.ts';
import { mailDocuments } from '../mails/document-mails.ts';
import { startLedgerCheck } from '../reconciliation/compare-ledger.ts';
import { setPermissions } from '../staff/set-permissions.ts';
import { setSecondFactorRules } from '../staff/set-second-factor.ts';
import type { Services } from './services.ts';

/** 11 am in Sydney. */
const NOW = new Date('2031-03-01T00:00:00Z');
const HOUR = 3_600_000;

/** Services whose database answers with these rows. */
const answering = (rows: RowsByText): Services =>
  servicesWith({
    db: createRowDatabase(rows).db,
    clock: () => NOW,
    siteUrl: 'https://studio.example',
    proveOwner: () => Promise.resolve(),
    forgetSessions: (sessionIds) => void forgotten.push(...sessionIds),
  });
/** The sessions that this process has been told to end. */
const forgotten: string[] = [];
const always = (row: unknown): Services => answering({ '': row });

const owner = { userId: 'u', sessionId: 's', proof: { currentPassword: null, nonce: null } };
const hours = { startTime: new Date(+NOW + 24 * HOUR), endTime: new Date(+NOW + 25 * HOUR) };
const invite = (services: Services) => inviteCrew(services, { bookingId: 'b', userId: 'u', requestId: null });
const join = (services: Services) => joinCrew(services, { token: 't', name: 'Sam', termsVersion: '1' });
const close = (services: Services) =>
  closeHours(services, { studioId: 's', ...hours, weeks: 1, reason: 'Paint', public: true }, 'staff');

/** Calls an operation whose SQL function has this outcome. */
const OPERATIONS = {
  'an invitation': (outcome) => invite(always({ answer: { outcome } })),
  'a new link': (outcome) => renewCrewLink(always({ outcome }), { inviteId: 'i', userId: 'u' }),
  'taking an invitation back': (outcome) => revokeCrew(always({ answer: { outcome } }), { inviteId: 'i', userId: 'u' }),
  'a page of a guest': (link) => readCrewPage(always({ page: { link } }), 't'),
  'a guest who joins': (outcome) => join(always({ outcome })),
  'deleting an account': (outcome) => deleteAccount(always({ value: { outcome, bookings: ['b'] } }), owner),
  'removing a phone': (outcome) => removePhone(always({ value: { outcome } }), owner),
  'an early hold': (outcome) => holdEarly(bookable({ value: { outcome } }), { ...customer, address: '' }),
  'the wait list': (outcome) => joinWaitlist(bookable({ value: { outcome } }), customer),
  'a message to a customer': (value) =>
    writeCustomer(always({ value }), { messageId: 'm', userId: 'u', subject: 'S', body: 'B' }, 'staff'),
  'mailing documents': (value) => mailDocuments(always({ value }), { bookingId: 'b', requestId: 'r' }, 'staff'),
  'a closure': (outcome) => close(always({ value: { outcome } })),
} as const satisfies Readonly<Record<string, (outcome: string) => Promise<unknown>>>;

const customer = { userId: 'u', studioId: 's', ...hours };
const FACTS = {
  rules: { horizonDays: 90, email: 'us@example.com' },
  hasStudio: true,
  blocked: false,
  mailConfirmed: true,
};
/** Services for a customer who could book the hours. */
const bookable = (row: unknown, facts: object = {}): Services =>
  answering({ 'booking_settings()': { ...FACTS, ...facts }, '': row });

test.each<[keyof typeof OPERATIONS, string, string, string]>([
  ['an invitation', 'cancelled', 'session_ended', 'This booking is cancelled.'],
  ['an invitation', 'ended', 'session_ended', 'This session is over.'],
  ['an invitation', 'pending', 'not_confirmed', 'This booking hasn’t been paid yet.'],
  ['an invitation', 'full', 'crew_full', 'You can bring up to 4 people. Take one back first.'],
  ['an invitation', 'too_many', 'crew_full', 'This booking has used up its invitations. Please contact us.'],
  ['an invitation', 'revoked', 'already_done', 'You’ve taken this invitation back. Invite again for a new link.'],
  ['a new link', 'joined', 'already_done', 'Your guest has opened this invitation and joined.'],
  ['a new link', 'not_found', 'not_found', 'Booking not found'],
  ['taking an invitation back', 'not_found', 'not_found', 'Booking not found'],
  ['a page of a guest', 'revoked', 'invitation_ended', 'This invitation was taken back.'],
  ['a page of a guest', 'cancelled', 'invitation_ended', 'This session was cancelled.'],
  ['a page of a guest', 'ended', 'invitation_ended', 'This session is over.'],
  ['a page of a guest', 'unknown', 'not_found', 'This link isn’t valid. Ask the person who sent it for a new one.'],
  ['a guest who joins', 'terms', 'terms_required', 'The terms have changed. Please read and accept the new ones.'],
  ['a guest who joins', 'revoked', 'invitation_ended', 'This invitation was taken back.'],
  [
    'deleting an account',
    'bookings',
    'bookings_ahead',
    'You still have bookings. Cancel them first, or delete your account when they’re over.',
  ],
  ['deleting an account', 'staff', 'staff_account', 'You’re on the team. Ask an owner to remove you from it first.'],
  ['deleting an account', 'not_found', 'not_found', 'Account not found'],
  [
    'removing a phone',
    'only_phone',
    'mail_unconfirmed',
    'You sign in with this number. Add an email to your account first, then you can remove it.',
  ],
  ['removing a phone', 'not_found', 'not_found', 'Account not found'],
  ['an early hold', 'verified', 'already_done', 'Your ID is verified: you can book these hours.'],
  ['an early hold', 'taken', 'slot_taken', 'Someone else just booked this time. Please choose another.'],
  [
    'an early hold',
    'limit',
    'too_many_holds',
    'We can’t hold these hours while you verify your ID. You can book them as soon as it’s done, if they’re still free.',
  ],
  ['the wait list', 'free', 'slot_free', 'These hours are free right now: you can book them.'],
  ['the wait list', 'own', 'already_done', 'You already have some of these hours.'],
  ['the wait list', 'too_many', 'waitlist_limit', 'You can wait for up to 5 times. Leave one of them first.'],
  [
    'a message to a customer',
    'changed',
    'already_done',
    'This email was already sent with a different text. Write a new one.',
  ],
  ['a message to a customer', 'unknown', 'not_found', 'Customer not found'],
  ['mailing documents', 'no_address', 'already_done', 'This booking has no email address to send to.'],
  ['mailing documents', 'none', 'not_found', 'There is no receipt for this booking.'],
  ['a closure', 'no_studio', 'not_found', 'Studio not found'],
])('%s with the outcome %s is refused: %s, %s', async (operation, outcome, code, message) => {
  await expect(OPERATIONS[operation](outcome)).rejects.toMatchObject({ name: 'Refusal', code, message });
});

test('the refusals have the details that pages use', async () => {
  await expect(OPERATIONS['deleting an account']('bookings')).rejects.toMatchObject({ details: { bookings: ['b'] } });
  await expect(OPERATIONS['mailing documents']('no_address')).rejects.toMatchObject({
    details: { reason: 'no_address' },
  });
  const booked = (bookings: unknown[]) => close(always({ value: { outcome: 'booked', bookings } }));
  await expect(booked([1])).rejects.toMatchObject({ message: 'A booking is in the way. Move or cancel it first.' });
  await expect(booked([1, 2])).rejects.toMatchObject({
    code: 'slot_taken',
    message: '2 bookings are in the way. Move or cancel them first.',
    details: { bookings: [1, 2] },
  });
  await expect(startLedgerCheck(always(null), '2031-04', 'staff')).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'This month has not started yet.',
    details: { field: 'month' },
  });
  await expect(startLedgerCheck(always(null), '2031-03', 'staff')).resolves.toBeUndefined();
});

test.each<[string, () => Promise<unknown>, string]>([
  ['the data of an account', () => exportAccount(always(null), 'u'), 'Account not found'],
  ['the data of an account that is gone', () => exportAccount(always({ data: null }), 'u'), 'Account not found'],
  ['an account to delete', () => deleteAccount(always(null), owner), 'Account not found'],
  ['an account with a phone', () => removePhone(always(null), owner), 'Account not found'],
  [
    'a customer to block',
    () => blockCustomer(always({ value: null }), { userId: 'u', reason: 'x', until: null }, 's'),
    'Customer not found',
  ],
  ['a customer to unblock', () => unblockCustomer(always({ value: false }), 'u', 's'), 'Customer not found'],
  [
    'an entry of the wait list',
    () => leaveWaitlist(always({ value: false }), { userId: 'u', entryId: 'e' }),
    'You aren’t on the wait list for these hours.',
  ],
  ['a campaign', () => stopCampaign(always({ value: null }), 'c', 's'), 'This email doesn’t exist.'],
  ['a link', () => readCrewPage(always(null), 't'), 'This link isn’t valid. Ask the person who sent it for a new one.'],
  ['a page', () => join(always(null)), 'This link isn’t valid. Ask the person who sent it for a new one.'],
])('%s that does not exist is not found', async (_what, work, message) => {
  await expect(work()).rejects.toMatchObject({ code: 'not_found', message });
});

test.each<[string, () => Promise<unknown>, string]>([
  ['an unknown invitation', () => OPERATIONS['an invitation']('odd'), 'an invitation to a crew ended as odd'],
  [
    'an invitation without an id',
    () => OPERATIONS['an invitation']('invited'),
    'an invitation to a crew ended as invited',
  ],
  ['an early hold', () => holdEarly(bookable(null), { ...customer, address: '' }), 'hold_early returned nothing'],
  ['the wait list', () => joinWaitlist(bookable(null), customer), 'join_waitlist returned nothing'],
  ['a closure', () => close(always(null)), 'closing hours returned nothing'],
  ['a customer', () => joinWaitlist(always(null), customer), 'booking_settings returned no row'],
  [
    'permissions',
    () => setPermissions(always({ value: 'odd' }), { userId: 'u', permissions: [] }, 's'),
    'set_permissions returned odd',
  ],
  [
    'rules of the second factor',
    () =>
      setSecondFactorRules(
        always({ value: 'odd', permission: 'money' }),
        { permissions: [], graceDays: 1 },
        { actor: 'a', sessionId: null },
      ),
    'set_second_factor_rules returned odd',
  ],
])('an answer that %s does not know is an error with its name', async (_what, work, message) => {
  await expect(work()).rejects.toThrow(new Error(message));
});

test('what SQL functions have done is returned', async () => {
  const deleted = { outcome: 'deleted', sessions: ['one', 'two'], kept: 3, keptUntil: '2036-06-30' };
  expect(await deleteAccount(always({ value: deleted }), owner)).toEqual({ kept: 3, keptUntil: '2036-06-30' });
  expect(forgotten).toEqual(['one', 'two']);
  for (const removed of [true, false])
    expect(await removePhone(always({ value: { outcome: 'removed', removed } }), owner)).toBe(removed);
  expect(await exportAccount(always({ data: { crew: [] } }), 'u')).toEqual({ crew: [] });
  for (const sawShared of [true, undefined])
    expect(
      await revokeCrew(always({ answer: { outcome: 'revoked', sawShared } }), { inviteId: 'i', userId: 'u' }),
    ).toEqual({ sawShared: sawShared === true });
  const until = '2031-03-01T00:10:00+00:00';
  const held = bookable({ value: { outcome: 'held', until } });
  expect(await holdEarly(held, { ...customer, address: '' })).toEqual(new Date(until));
  await expect(leaveWaitlist(always({ value: true }), { userId: 'u', entryId: 'e' })).resolves.toBeUndefined();
  await expect(unblockCustomer(always({ value: true }), 'u', 's')).resolves.toBeUndefined();
  await expect(followWaitlist(always({ value: null }))).resolves.toBeUndefined();
});

test('a guest who has not joined is asked for the terms', async () => {
  const page = { link: 'open', state: 'invited', name: null } as const;
  await expect(requireJoined(always({ page }), 't')).rejects.toMatchObject({
    code: 'terms_required',
    message: 'Please accept the terms first.',
  });
  const joined: Partial<CrewPage> = { state: 'joined', name: 'Sam' };
  expect(await requireJoined(always({ page: { ...joined, link: 'open' } }), 't')).toEqual(joined);
});

describe('hours that a customer waits for or holds early', () => {
  const refused = (facts: object, span = hours) =>
    joinWaitlist(bookable({ value: { outcome: 'joined', entryId: 'e', ahead: 0 } }, facts), { ...customer, ...span });

  test.each([
    [{ hasStudio: false, blocked: true }, 'invalid_request', 'Selected studio not found.'],
    [
      { blocked: true, mailConfirmed: false },
      'blocked',
      'You can’t book with this account at the moment. Please email us@example.com.',
    ],
    [{ mailConfirmed: false }, 'mail_unconfirmed', 'Please confirm your email address first.'],
  ])('are refused with %j', async (facts, code, message) => {
    await expect(refused(facts)).rejects.toMatchObject({ code, message });
  });

  test('begin after now, and within the days that can be booked', async () => {
    const at = (ms: number) => ({ startTime: new Date(+NOW + ms), endTime: new Date(+NOW + ms + HOUR) });
    const begun = { code: 'too_late', message: 'These hours have already begun.' };
    await expect(refused({}, at(0))).rejects.toMatchObject(begun);
    expect(await refused({}, at(HOUR))).toEqual({ entryId: 'e', ahead: 0 });
    await expect(refused({}, at(92 * 24 * HOUR))).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'These hours can’t be booked.',
    });
  });
});

test('a block ends after now, if it ends', async () => {
  const block = (until: Date | null) =>
    blockCustomer(always({ value: ['b'] }), { userId: 'u', reason: 'x', until }, 's');
  await expect(block(NOW)).rejects.toMatchObject({ code: 'invalid_request', message: 'until must be in the future.' });
  expect(await block(new Date(+NOW + 1))).toEqual(['b']);
  expect(await block(null)).toEqual(['b']);
});
