import * as contracts from '#contracts/calls.ts';
import type { Call } from '#contracts/core/define-call.ts';
import { createLinkSigner } from '#server/crypto/link-signer.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import type { Permission } from '#rules/permissions.ts';
import type { Limit } from '#server/http/limits.ts';
import { PIN_LINK } from '#server/operations/mails/booking-mail.ts';
import { access, BOOKING, booking, type FunctionsApp, payment, PERSON } from './test-app.ts';

type Contract = (typeof contracts)[keyof typeof contracts];

/**
 * The bodies that the tests send to each function and the results of the fake operations below it, with which a permitted call succeeds.
 */
type Sample = {
  readonly name: Contract['name'];
  readonly body?: unknown;
  readonly answers: FunctionsApp['answers'];
  readonly succeeds?: number;
  /** The content type of a successful answer that is not JSON. */
  readonly type?: string;
};

/** A sample together with the contract of its call: its permitted callers and the limit that counts the call. */
export type Row = Sample & {
  readonly callers: Contract['callers'];
  /** The permission that staff need; set for functions of staff and developers. */
  readonly permission: Permission | null;
  readonly limit: Limit | null;
};
const held = { bookingId: BOOKING, reference: 'HC-ABC123', url: 'https://pay.example/x', totalCents: 8250 };
const span = { studio_id: booking.studioId, start_time: booking.startTime, end_time: booking.endTime };
const linked = {
  bookingId: BOOKING,
  token: createLinkSigner(Buffer.alloc(32, 7)).sign(PIN_LINK, BOOKING, new Date('2031-06-01')),
};
const guestPage = {
  memberId: PERSON,
  bookingId: BOOKING,
  state: 'joined',
  name: 'Sam',
  host: 'Alex',
  studioName: 'Studio A',
  startTime: booking.startTime.toISOString(),
  endTime: booking.endTime.toISOString(),
  arrivalNotes: 'Bring headphones.',
  termsVersion: '1',
};
const { booking: _booking, pinId: _pinId, ...guestCode } = access;
const guestAccess = { ...guestCode, own: true };
const atDoor = { online: true, hasCode: true, wrongAt: null, openedAt: null, held: false, asked: false };
const { studioId, startTime, endTime } = booking;
const ownRoom = { studioId, startTime, endTime, lights: true, followed: false };
const testPin = {
  pin: '123456',
  pinId: null,
  deviceId: 'lock-1',
  startTime,
  endTime,
};
const own = { readOwnBooking: () => booking };
const opened = { ...own, ensureCode: () => access, renewCode: () => access, recordView: () => undefined };

const SAMPLES: readonly Sample[] = [
  {
    name: 'create-payment',
    body: { bookingData: span },
    answers: { holdBooking: () => held },
  },
  {
    name: 'quote-series',
    body: { studioId: booking.studioId, startTime: booking.startTime, endTime: booking.endTime, weeks: 2 },
    answers: { quoteSeries: () => [] },
  },
  {
    name: 'release-hold',
    body: { bookingId: BOOKING },
    answers: { releaseOwnHold: () => ({ booking, couponCode: null }) },
  },
  {
    name: 'verify-payment',
    body: { sessionId: 'cs_test_1' },
    answers: { readPaymentStatus: () => ({ booking, payment, paid: true, waiting: false, order: [], changed: null }) },
  },
  {
    name: 'door-help',
    body: linked,
    answers: { readDoorHelp: () => atDoor },
  },
  {
    name: 'report-problem',
    body: { bookingId: BOOKING, kind: 'problem', category: 'sound', description: 'No bass' },
    answers: { reportProblem: () => BOOKING },
  },
  {
    name: 'rate-session',
    body: { bookingId: BOOKING, score: 5 },
    answers: { rateSession: () => undefined },
  },
  {
    name: 'session-room',
    body: linked,
    answers: { readSession: () => ownRoom },
  },
  {
    name: 'session-lights',
    body: { ...linked, on: true },
    answers: { switchSessionLights: () => ({ on: true, allowed: { on: true, off: true } }) },
  },
  {
    name: 'cancel-booking',
    body: { bookingId: BOOKING },
    answers: { cancelBooking: () => ({ refund: 'full', amountCents: 8250, byHand: false }) },
  },
  {
    name: 'booking-document',
    body: { bookingId: BOOKING },
    answers: { readDocuments: () => ({ reference: 'HC-ABC123', documents: [] }) },
    type: 'text/html; charset=utf-8',
  },
  {
    name: 'wallet-pass',
    body: { bookingId: BOOKING, kind: 'apple' },
    answers: { linkToPass: () => 'https://site.example/pass' },
  },
  {
    name: 'saved-cards',
    body: {},
    answers: { listSavedCards: () => [] },
  },
  {
    name: 'remove-card',
    body: { cardId: 'pm_1' },
    answers: { removeSavedCard: () => undefined },
  },
  {
    name: 'remove-phone',
    body: {},
    answers: { removePhone: () => true },
  },
  ...(['reschedule-booking', 'extend-booking'] as const).map((name): Sample => ({
    name,
    body: {
      bookingId: BOOKING,
      studioId: booking.studioId,
      startTime: booking.startTime,
      endTime: booking.endTime,
      hours: 1,
    },
    answers: {
      ...own,
      readExtendingMove: () => span,
      moveBooking: () => ({ differenceCents: -1_000, refundCents: 1_000, byHand: false, waiting: null, undo: null }),
    },
  })),
  {
    name: 'next-free',
    answers: {
      readNextFree: () => ({
        name: 'Studio A',
        start: new Date('2031-03-01T00:00:00Z'),
        cents: 4_900,
        query: '?room=a',
      }),
    },
  },
  {
    name: 'hold-hours',
    body: { studioId: booking.studioId, startTime: booking.startTime, endTime: booking.endTime },
    answers: { holdEarly: () => new Date('2031-03-01T00:10:00Z') },
  },
  {
    name: 'join-waitlist',
    body: { studioId: booking.studioId, startTime: booking.startTime, endTime: booking.endTime },
    answers: { joinWaitlist: () => ({ entryId: BOOKING, ahead: 1 }) },
  },
  {
    name: 'leave-waitlist',
    body: { entryId: BOOKING },
    answers: { leaveWaitlist: () => undefined },
  },
  {
    name: 'crew-invite',
    body: { bookingId: BOOKING },
    answers: { inviteCrew: () => ({ inviteId: BOOKING, url: 'https://site.example/crew#t' }) },
  },
  {
    name: 'crew-revoke',
    body: { inviteId: BOOKING },
    answers: { revokeCrew: () => ({ sawShared: false }) },
  },
  ...(['crew-page', 'crew-join', 'crew-code'] as const).map((name): Sample => ({
    name,
    body: { token: 't', name: 'Sam', termsVersion: '1' },
    answers: {
      readCrewPage: () => guestPage,
      requireJoined: () => guestPage,
      joinCrew: () => guestPage,
      readGuestAccess: () => guestAccess,
      makeGuestCode: () => undefined,
    },
  })),
  {
    name: 'delete-account',
    body: { confirm: 'DELETE' },
    answers: { deleteAccount: () => ({ kept: 1, keptUntil: '2036-06-30' }) },
  },
  {
    name: 'export-my-data',
    body: {},
    answers: { exportAccount: () => ({}) },
  },
  {
    name: 'staff-create-booking',
    body: {
      studioId: booking.studioId,
      startTime: booking.startTime,
      endTime: booking.endTime,
      customerEmail: 'guest@example.com',
      customerName: 'Sam Guest',
      payment: 'link',
    },
    answers: { bookForStaff: () => ({ ...held, status: 'pending', pending: false }) },
  },
  {
    name: 'staff-move-booking',
    body: {
      bookingId: BOOKING,
      studioId: booking.studioId,
      startTime: booking.startTime,
      endTime: booking.endTime,
    },
    answers: {
      moveBooking: () => ({ differenceCents: -1_000, refundCents: 1_000, byHand: false, waiting: null, undo: null }),
    },
  },
  {
    name: 'staff-cancel-booking',
    body: { bookingId: BOOKING, refund: 'full', reason: 'Broken mixer' },
    answers: { cancelForStaff: () => ({ refundCents: 8250, byHand: false, undo: null }) },
  },
  {
    name: 'staff-undo',
    body: { undoId: BOOKING },
    answers: { undoForStaff: () => ({ bookingId: BOOKING, reference: 'ABCD-2345', kind: 'cancel' }) },
  },
  {
    name: 'staff-refund',
    body: { bookingId: BOOKING, cents: 2000, reason: 'Broken mixer' },
    answers: { refundForStaff: () => ({ refundId: BOOKING, byHand: false }) },
  },
  {
    name: 'staff-mark-paid',
    body: { bookingId: BOOKING },
    answers: { markPaid: () => ({ id: BOOKING, reference: 'ABCD-2345' }) },
  },
  {
    name: 'staff-access-code',
    body: { studioId: BOOKING, startTime: booking.startTime, endTime: booking.endTime, name: 'Electrician' },
    answers: { makeStaffCode: () => ({ codeId: BOOKING, pin: '123456' }) },
  },
  {
    name: 'staff-access-codes',
    body: {},
    answers: { readStaffCodes: () => [] },
  },
  {
    name: 'staff-revoke-code',
    body: { codeId: BOOKING },
    answers: { revokeStaffCode: () => undefined },
  },
  {
    name: 'staff-incidents',
    body: {},
    answers: { readIncidents: () => [] },
  },
  {
    name: 'staff-report-incident',
    body: { studioId: null, description: 'Broken mixer' },
    answers: { reportIncident: () => BOOKING },
  },
  {
    name: 'staff-change-incident',
    body: { incidentId: BOOKING, state: 'done' },
    answers: { changeIncident: () => undefined },
  },
  {
    name: 'staff-answer-incident',
    body: { incidentId: BOOKING, answer: 'We fixed it.', state: 'done' },
    answers: { answerIncident: () => undefined },
  },
  {
    name: 'staff-disputes',
    body: { bookingId: BOOKING },
    answers: { readDisputesAndHold: () => ({ disputes: [], held: false }) },
  },
  {
    name: 'staff-decide-dispute',
    body: { bookingId: BOOKING, decision: 'keep', reason: 'I called them' },
    answers: { decideDispute: () => undefined },
  },
  {
    name: 'staff-dispute-evidence',
    body: { bookingId: BOOKING },
    answers: { gatherEvidence: () => ({ name: 'a.html', html: '1' }) },
    type: 'text/html; charset=utf-8',
  },
  {
    name: 'staff-doors',
    body: {},
    answers: { readDoors: () => ({ doors: [], canOpen: true, lights: [], lightsOn: null }) },
  },
  {
    name: 'staff-door-log',
    body: { studioId: BOOKING },
    answers: { readDoorLog: () => [] },
  },
  {
    name: 'staff-open-door',
    body: { studioId: BOOKING, reason: 'Locked out' },
    answers: { openDoor: () => undefined },
  },
  {
    name: 'staff-close',
    body: { studioId: null, startTime: booking.startTime, endTime: booking.endTime, reason: 'Cleaning' },
    answers: { closeHours: () => BOOKING },
  },
  {
    name: 'staff-reopen',
    body: { closureId: BOOKING },
    answers: { reopenHours: () => undefined },
  },
  {
    name: 'staff-calendar-feed',
    body: { studioId: BOOKING, action: 'create' },
    answers: { openFeed: () => 'https://site.example/feed' },
  },
  {
    name: 'staff-set-permissions',
    body: { userId: PERSON, permissions: ['bookings'] },
    answers: { setPermissions: () => undefined },
  },
  {
    name: 'staff-reconcile',
    body: { month: '2031-03' },
    answers: { startLedgerCheck: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-set-second-factor',
    body: { permissions: ['money'] },
    answers: { setSecondFactorRules: () => undefined },
  },
  {
    name: 'staff-remove',
    body: { userId: PERSON },
    answers: { setPermissions: () => undefined },
  },
  {
    name: 'staff-invite',
    body: { email: 'sam@example.com', permissions: ['bookings'] },
    answers: { inviteStaff: () => ({ invitationId: BOOKING, expiresAt: new Date(0) }) },
  },
  {
    name: 'staff-resend-invitation',
    body: { invitationId: BOOKING },
    answers: { renewInvitation: () => ({ invitationId: BOOKING, expiresAt: new Date(0) }) },
  },
  {
    name: 'staff-revoke-invitation',
    body: { invitationId: BOOKING },
    answers: { revokeInvitation: () => undefined },
  },
  {
    name: 'accept-staff-invitation',
    body: { token: 'a.1.b' },
    answers: { acceptInvitation: () => ['bookings'] },
  },
  {
    name: 'staff-set-prices',
    body: { studioId: null, validFrom: '2031-03-01', prices: null },
    answers: { setPriceList: () => undefined },
  },
  {
    name: 'staff-set-room',
    body: { studioId: BOOKING, room: { title: 'The vinyl room' } },
    answers: { setRoom: () => BOOKING },
  },
  {
    name: 'staff-locks',
    body: {},
    answers: { listLocks: () => [{ id: 'SP4', name: 'Spare lock', batteryPercent: 91, room: null }] },
  },
  {
    name: 'staff-set-settings',
    body: { notice: 'Closed on Monday' },
    answers: { setSettings: () => ({ ...firstSettings, notice: 'Closed on Monday', terms: [], privacy: [] }) },
  },
  {
    name: 'staff-review-id',
    body: { verificationId: BOOKING, decision: 'approve' },
    answers: { reviewId: () => ({ status: 'verified' }) },
  },
  {
    name: 'staff-withdraw-id',
    body: { userId: BOOKING, reason: 'Not your photo' },
    answers: { withdrawId: () => undefined },
  },
  {
    name: 'staff-keep-without-id',
    body: { bookingId: BOOKING, reason: 'I know them' },
    answers: { keepWithoutId: () => undefined },
  },
  {
    name: 'staff-id-picture',
    body: { verificationId: BOOKING },
    answers: { viewPicture: () => Buffer.from('1') },
    type: 'application/octet-stream',
  },
  {
    name: 'staff-block-customer',
    body: { userId: PERSON, reason: 'Damage' },
    answers: { blockCustomer: () => [], decideBlockedBookings: () => [] },
  },
  {
    name: 'staff-unblock-customer',
    body: { userId: PERSON },
    answers: { unblockCustomer: () => undefined },
  },
  {
    name: 'staff-export',
    body: { kind: 'xero', from: '2031-05-01', to: '2031-05-31' },
    answers: { exportCsv: () => '1' },
    type: 'text/csv; charset=utf-8',
  },
  {
    name: 'staff-export-list',
    body: { list: 'mailing-list' },
    answers: { exportList: () => '1' },
    type: 'text/csv; charset=utf-8',
  },
  {
    name: 'staff-send-campaign',
    body: { campaignId: BOOKING, subject: 'We open', body: 'Come.' },
    answers: { startCampaign: () => 3 },
  },
  {
    name: 'staff-test-campaign',
    body: { subject: 'We open', body: 'Come.' },
    answers: { testCampaign: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-stop-campaign',
    body: { campaignId: BOOKING },
    answers: { stopCampaign: () => undefined },
  },
  {
    name: 'staff-send-mail',
    body: { bookingId: BOOKING, mailId: BOOKING, requestId: BOOKING },
    answers: { sendMailAgain: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-booking-document',
    body: { bookingId: BOOKING },
    answers: { readDocuments: () => ({ reference: 'HC-ABC123', documents: [] }) },
    type: 'application/pdf',
  },
  {
    name: 'staff-mail-document',
    body: { bookingId: BOOKING, requestId: BOOKING },
    answers: { mailDocuments: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-write-customer',
    body: { messageId: BOOKING, userId: PERSON, subject: 'Your bag', body: 'We found it.' },
    answers: { writeCustomer: () => undefined },
    succeeds: 202,
  },
  { name: 'stripe-webhook', body: '{}', answers: takesEvents() },
  ...(['send-booking-confirmation', 'send-access-code-email'] as const).map((name): Sample => ({
    name,
    body: {},
    answers: own,
    succeeds: 202,
  })),
  {
    name: 'process-scheduled-emails',
    answers: { drain: () => 3 },
  },
  {
    name: 'generate-access-code',
    body: { bookingId: BOOKING },
    answers: opened,
  },
  {
    name: 'verify-id',
    body: { idImage: `data:image/png;base64,${'A'.repeat(40)}` },
    answers: { checkPhoto: () => verification() },
  },
  {
    name: 'create-verification-session',
    answers: { startHostedCheck: () => ({ id: 'vs_1', url: 'https://verify.example/1' }) },
  },
  {
    name: 'check-verification-and-checkout',
    body: { verificationSessionId: 'vs_1' },
    answers: { readHostedCheck: () => ({ verified: true, status: 'verified', error: null }) },
  },
  {
    name: 'manual-power-control',
    body: { action: 'turn_on' },
    answers: { switchPower: () => undefined },
  },
  {
    name: 'test-smart-plug',
    answers: { testPower: () => undefined },
  },
  ...(['test-igloohome-config', 'test-igloohome-oauth', 'test-igloohome-pin'] as const).map((name): Sample => ({
    name,
    answers: { 'locks.check': () => ({ devices: [] }), issueTestPin: () => testPin },
  })),
  {
    name: 'igloohome-webhook',
    body: JSON.stringify({ payload: { product: { id: 'lock-1' }, event: { type: 5, data: {} } } }),
    answers: { verifyLockWebhook: () => true },
  },
];

function takesEvents(): Row['answers'] {
  return { 'payments.readEvent': () => ({ id: 'evt_1' }), acceptEvent: () => undefined };
}
function verification(): unknown {
  const date = { iso: '1990-01-01', printed: null };
  return {
    id: BOOKING,
    reading: { givenNames: 'Ada', familyName: 'Lovelace', dateOfBirth: date, expiry: date, confidence: 90 },
    judgement: {
      decision: 'verified',
      isFinal: false,
      isOver18: true,
      age: 41,
      isExpired: false,
      isNsw: true,
      nameMatch: { status: 'match', details: 'The names are the same.' },
      dobMatches: true,
    },
    reasons: [],
    profileBirthDate: null,
  };
}

const BY_NAME: ReadonlyMap<string, Call> = new Map(Object.values(contracts).map((call) => [call.name, call]));

/** The calls that use POST and a key, or that a provider signs. The others have their own tests. */
export const ROWS: readonly Row[] = SAMPLES.map((sample) => {
  const call = BY_NAME.get(sample.name);
  if (call === undefined) throw new Error(`there is no call ${sample.name}`);
  const { callers, limit } = call;
  if (limit !== null && !('max' in limit)) throw new Error(`${sample.name} has a limit for each method`);
  return {
    ...sample,
    callers,
    permission: callers === 'staff' ? call.permission : callers === 'developers' ? 'settings' : null,
    limit: limit === null ? null : { name: sample.name, ...limit },
  };
});
