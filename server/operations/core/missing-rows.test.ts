import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { codeLimitReached, forStaff, furtherCodes, requireFurtherCode } from '../access/limits.ts';
import { requireNotHeld } from '../access/code-hold.ts';
import { planCode } from '../access/codes.ts';
import { revokeStaffCode } from '../access/staff-codes.ts';
import { readCodeWindow } from '../access/times.ts';
import { readCheckoutFacts } from '../bookings/checkout-facts.ts';
import { claimSlot } from '../bookings/claim-slot.ts';
import { freeCancelHours } from '../bookings/cancel.ts';
import { cancelSeriesForStaff } from '../bookings/cancel-for-staff.ts';
import { readOwnBooking } from '../bookings/read-own-booking.ts';
import { releaseExpiredHolds } from '../bookings/release-expired.ts';
import { storeBooking } from '../bookings/store-staff-booking.ts';
import { decideDispute } from '../customers/decide-dispute.ts';
import { requireOwnMove } from '../bookings/own-move.ts';
import { readDoorHelp } from '../incidents/door-help.ts';
import { storeIncident } from '../incidents/incidents.ts';
import { readCalendarFile } from '../mails/calendar-file.ts';
import { confirmFree } from '../payments/confirm.ts';
import { addPartialRefund } from '../payments/partial-refunds.ts';
import { recordRefunds } from '../payments/record-refunds.ts';
import { refundPayment } from '../payments/refund.ts';
import { settleIntent, settleSession } from '../payments/settle.ts';
import { lockShares } from '../payments/shares.ts';
import { readSession } from '../power/session-lights.ts';
import { switchPower } from '../power/switch-power.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import { setSettings } from '../settings/set-settings.ts';
import { storeUndo } from '../staff/undo-rows.ts';
import { linkToPass } from '../wallet/wallet-pass.ts';
import type { BookingFacts } from './booking-rows.ts';
import type { Services } from './services.ts';

/** Operations on rows that another row or the database promises, and the errors by which a broken promise is found. */

const NOW = new Date('2031-03-01T00:00:00Z');
/** Services whose database answers with these rows. */
const reading = (rows: RowsByText, more: Parameters<typeof servicesWith>[0] = {}): Services =>
  servicesWith({ db: createRowDatabase(rows).db, clock: () => NOW, ...more });
const NOTHING = reading({});
// Casts: the operations read only these fields.
const booking = { id: 'b', studioId: 's', studioName: 'Studio A', startTime: NOW, endTime: NOW } as BookingFacts;
const json = { ...booking, startTime: NOW.toISOString(), endTime: NOW.toISOString() };
const payment = { id: 'p', bookingId: 'b', kind: 'card', paymentIntentId: null, paidCents: 4_900, attempt: 1 };
const refund = (facts: object) => refundPayment(reading({ 'update private.payment x': { facts } }), 'p');

test.each<[string, () => Promise<unknown>]>([
  [
    'checkout_json returned no row',
    () => readCheckoutFacts(NOTHING, { ...customer(), slots: [], couponCode: null }, NOW),
  ],
  ['hold_booking returned nothing', () => claimSlot(NOTHING, { totalCents: 1 } as never, NOW, () => 50)],
  ['booking_settings returned nothing', () => readBookingRules(NOTHING.db)],
  ['set_business_settings returned nothing', () => setSettings(NOTHING, {}, 's')],
  [
    'there are no settings',
    () =>
      readCalendarFile(reading({ booking_json: { facts: { ...json, userId: 'u' } } }), { bookingId: 'b', userId: 'u' }),
  ],
  ['a partial refund cannot be read back', () => addPartialRefund(NOTHING.db, part(), NOW)],
  [
    'an undo cannot be read back',
    () => storeUndo(NOTHING.db, { kind: 'cancel', before: booking, actor: 's', now: NOW }),
  ],
  [
    'payment p cannot be read back',
    () => recordRefunds(NOTHING, NOTHING.db, { bookingId: 'b', paymentId: 'p', refunds: [] }),
  ],
  [
    'an incident cannot be read back',
    () =>
      storeIncident(
        reading({ 'count(distinct name)': { found: 0 } }).db,
        { studioId: null, description: 'x', photos: [], requestId: 'r' },
        { reporter: 's', now: NOW },
      ),
  ],
  [
    'a booking has at least one span',
    () => storeBooking(reading({ studioName: { studioName: 'Studio A', userId: null } }), { spans: [] } as never, NOW),
  ],
  [
    'no lock is configured for studio Studio A',
    () => readCodeWindow(reading({}, { studioLocks: new Map() }), NOTHING.db, booking),
  ],
  ['payment p has nothing to refund', () => refund({ ...payment, kind: 'free', paymentIntentId: 'pi' })],
  ['payment p has nothing to refund', () => refund(payment)],
  [
    'This was paid outside this site. Refund $49 by hand, then close this task and enter how you did it.',
    () => refund({ ...payment, kind: 'elsewhere' }),
  ],
  [
    'checkout_json returned no row',
    () => requireOwnMove(reading({ freeCancelHours: { hours: 24 } }).db, ahead(), later(), NOW),
  ],
])('“%s” is the error of a row that is missing', async (message, work) => {
  await expect(work()).rejects.toThrow(new Error(message));
});

const customer = () => ({ userId: 'u', studioId: 's', startTime: NOW, endTime: NOW });
const part = () => ({ paymentId: 'p', requestKey: 'k', cents: 1, reason: 'x', actor: 's' });
const HOUR = 3_600_000;
const ahead = (): BookingFacts => {
  const [startTime, endTime] = [new Date(+NOW + 48 * HOUR), new Date(+NOW + 49 * HOUR)];
  return { ...booking, startTime, endTime, termsStart: startTime };
};
const later = () => ({
  studioId: 's',
  startTime: ahead().startTime,
  endTime: new Date(+NOW + 50 * HOUR),
  customer: 'u',
});

test('a lock without a free PIN is tried twenty times, and a code that was stored must be there', async () => {
  const calls: string[] = [];
  const locks = { capabilities: { choosesDigits: true } };
  const lock = (taken: boolean) =>
    reading(
      { is_pin_taken: { taken } },
      {
        // Cast: the operation reads one capability.
        locks: locks as never,
        fingerprint: Object.assign((pin: string) => pin, { all: (pin: string) => (calls.push(pin), [pin]) }) as never,
        encryption: { encrypt: (text: string) => text, decrypt: (text: string) => text } as never,
      },
    );
  const stored: unknown[] = [];
  const holder = {
    select: 'select a_code from a',
    insert: async (_tx: unknown, code: unknown) => void stored.push(code),
  };
  const window = { lockId: 'l', worksFrom: NOW, worksUntil: new Date(+NOW + HOUR) };
  const plan = (services: Services) =>
    planCode(services, services.db, holder as never, { window, subject: null as never });
  await expect(plan(lock(true))).rejects.toThrow(new Error('lock l has no free PIN left'));
  expect(calls).toHaveLength(20);
  for (const pin of calls) expect(pin).toMatch(/^[1-9]\d{5}$/);
  expect(stored).toEqual([]);
  await expect(plan(lock(false))).rejects.toThrow(new Error('a planned code cannot be read back'));
  expect(stored).toMatchObject([
    { lock_id: 'l', starts_at: NOW, ends_at: window.worksUntil, created_at: NOW, variant: 0 },
  ]);
});

const cancelled = { ...json, status: 'cancelled', cancelReason: 'customer' };
const plugs = new Map();
const onlyStudio = { studioId: 's', on: true };
test.each<[string, string, () => Promise<unknown>]>([
  [
    'code_held',
    'The code for this booking is on hold. Please contact us before you come.',
    () => requireNotHeld(held().db, 'b'),
  ],
  ['not_found', 'Code not found', () => revokeStaffCode(NOTHING, 'c', 's')],
  ['not_found', 'Booking not found', () => cancelSeriesForStaff(NOTHING, { ...decision(), refund: 'full' })],
  [
    'already_done',
    'This series has no bookings left to cancel.',
    () => cancelSeriesForStaff(reading({ lock_order: { value: [cancelled] } }), { ...decision(), refund: 'full' }),
  ],
  [
    'not_found',
    'This booking has no payment dispute to decide.',
    () => decideDispute(NOTHING, { ...decision(), decision: 'keep' }, 's'),
  ],
  [
    'not_found',
    'This booking has no payment dispute to decide.',
    () => decideDispute(reading({ booking_json: { facts: json } }), { ...decision(), decision: 'cancel' }, 's'),
  ],
  [
    'already_done',
    'This booking is already cancelled.',
    () => decideDispute(held({ lock_booking: { value: cancelled } }), { ...decision(), decision: 'keep' }, 's'),
  ],
  [
    'invalid_request',
    'This booking has no account to block. Cancel the booking instead.',
    () =>
      decideDispute(
        held({ booking_json: { facts: { ...json, userId: null } } }),
        { ...decision(), decision: 'block' },
        's',
      ),
  ],
  [
    'provider_unavailable',
    'No plug is set up for this. Ask the operator to set one up.',
    () => switchPower(reading({}, { plugs }), { on: true, studioId: null }, 's'),
  ],
  [
    'provider_unavailable',
    'The plug “Green” is not set up. Ask the operator to set it up.',
    () => switchPower(reading({ 'select p.plug': { plug: 'Green' } }, { plugs }), onlyStudio, 's'),
  ],
  ['not_found', 'Studio not found', () => switchPower(reading({}, { plugs }), onlyStudio, 's')],
])('%s: %s', async (code, message, work) => {
  await expect(work()).rejects.toMatchObject({ name: 'Refusal', code, message });
});

const unknown = { id: 'cs', bookingId: null, paymentIntentId: null, metadata: {} } as never;
const strangerTo = { bookingId: 'b', userId: 'u' };
test.each<[string, () => Promise<unknown>]>([
  ['the terms', () => freeCancelHours(NOTHING.db, 'b')],
  ['a free booking', () => confirmFree(NOTHING, NOTHING.db, 'b')],
  ['the shares of a session', () => lockShares(NOTHING.db, [], unknown)],
  ['the booking of a share', () => lockShares(reading({ 'for update': { facts: payment } }).db, [], unknown)],
  ['a session without a booking', () => settleSession(NOTHING, unknown, 'hold_expired')],
  [
    'a session of another program',
    () => settleSession(NOTHING, { ...(unknown as object), bookingId: 'order-1' } as never, 'hold_expired'),
  ],
  ['a payment intent', () => settleIntent(reading({}, { payments: { findSessionOfIntent: async () => null } }), 'pi')],
  ['an own booking', () => readOwnBooking(NOTHING, 'u', null)],
  ['a calendar file', () => readCalendarFile(NOTHING, strangerTo)],
  [
    'a wallet',
    () => linkToPass(reading({}, { wallets: { google: {} as never }, links: {} }), { ...strangerTo, kind: 'google' }),
  ],
  ['a session', () => readSession(NOTHING, 'b')],
  ['a door', () => readDoorHelp(NOTHING, 'b')],
])('%s of a booking that does not exist is not found', async (_what, work) => {
  await expect(work()).rejects.toMatchObject({ name: 'Refusal', code: 'not_found', message: 'Booking not found' });
});

const held = (rows: RowsByText = {}): Services => reading({ code_hold: { disputeId: 'd', status: 'open' }, ...rows });
const decision = () => ({ bookingId: 'b', reason: 'x', actor: 's' });

test('a code of staff that its lock cannot remove is not revoked, and one that is being removed is left alone', async () => {
  const locks = { capabilities: { revocable: false } } as never;
  const code = (status: string) => reading({ 'from private.staff_code': { id: 'c', status } }, { locks });
  for (const status of ['requested', 'issued'])
    await expect(revokeStaffCode(code(status), 'c', 's')).rejects.toMatchObject({
      code: 'not_configured',
      message: 'This lock can’t remove a code. The code stops working when it ends.',
    });
  for (const status of ['revoking', 'revoked']) await revokeStaffCode(code(status), 'c', 's');
});

test('a holder makes another code half a minute after the last one, while the lock has any', () => {
  const limits = (ms: number, count = 1) => {
    // Cast: the limits read one capability.
    const locks = { capabilities: { codesPerWindow: 3 } } as never;
    const services = servicesWith({ locks, clock: () => new Date(+NOW + ms) });
    return { services, past: { count, newest: { createdAt: NOW } } };
  };
  const further = ({ services, past }: ReturnType<typeof limits>) => furtherCodes(services, past);
  expect(further(limits(29_999))).toEqual({ nextCodeAt: new Date(+NOW + 30_000), codesLeft: 2, codesPerBooking: 3 });
  expect(further(limits(30_000))).toEqual({ nextCodeAt: null, codesLeft: 2, codesPerBooking: 3 });
  expect(further(limits(0, 4))).toMatchObject({ codesLeft: 0 });
  expect(furtherCodes(limits(0).services, { count: 0, newest: null })).toMatchObject({
    nextCodeAt: null,
    codesLeft: 3,
  });
  const ask =
    ({ services, past }: ReturnType<typeof limits>) =>
    () =>
      requireFurtherCode(services, past);
  expect(ask(limits(30_000))).not.toThrow();
  expect(ask(limits(29_999))).toThrow(
    expect.objectContaining({
      code: 'code_wait',
      message: 'Please wait 1 seconds before making another code.',
      details: { seconds: 1 },
    }),
  );
  expect(ask(limits(60_000, 3))).toThrow(
    expect.objectContaining({
      code: 'code_limit',
      message: 'No more codes can be made for this session. Please contact us.',
    }),
  );
});

test('staff read of a full lock in their own words, and of any other error as it is', () => {
  expect(forStaff(codeLimitReached())).toMatchObject({
    code: 'code_limit',
    message:
      'The lock has no codes left for these hours. Existing codes still work, and you can open the door on the Doors tab.',
  });
  const error = new Error('code_limit');
  expect(forStaff(error)).toBe(error);
});

test('a hold whose release fails is logged with its reason, and counts as not released', async () => {
  const logged: unknown[] = [];
  const silent = new ProviderError('stripe', 'no_response', { retryable: true });
  const services = reading(
    { 'hold_expires_at <=': { id: 'b' } },
    { log: { error: (fields, message) => void logged.push(fields, message) } },
  );
  const db = { ...services.db, queryRow: () => Promise.reject(silent) };
  expect(await releaseExpiredHolds({ ...services, db })).toBe(0);
  expect(logged).toEqual([{ booking: 'b', reason: 'stripe no_response' }, expect.stringMatching(/\w/)]);
});
