import { describe, expect, test } from 'vitest';
import { createLinkSigner } from '#server/crypto/link-signer.ts';
import { PIN_LINK } from '#server/operations/mails/booking-mail.ts';
import { type Permission, PERMISSIONS } from '#rules/permissions.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { access, BOOKING, booking, createFunctionsApp, IP, payment, PERSON, STAFF, readResponse } from './test-app.ts';
import type { FunctionsApp, Sender } from './test-app.ts';

/** For each function: who may call it, which limit counts the call, and that refused calls reach no operation. */
type Row = {
  readonly name: string;
  /** What staff need for it; set for functions of staff and developers. */
  readonly permission?: Permission;
  readonly callers: 'everyone' | 'signed-in' | 'staff' | 'developers' | 'provider';
  /** Name, maximum and seconds of its limit; null: no limit. */
  readonly limit: readonly [string, number, number] | null;
  readonly body?: unknown;
  /** Answers of the fakes that let a permitted call succeed. */
  readonly answers: FunctionsApp['answers'];
  readonly succeeds?: number;
  /** Content type of a successful answer that is not JSON. */
  readonly type?: string;
};
const held = { bookingId: BOOKING, reference: 'HC-ABC123', url: 'https://pay.example/x', totalCents: 8250 };
const span = { studio_id: booking.studioId, start_time: booking.startTime, end_time: booking.endTime };
const linked = {
  bookingId: BOOKING,
  token: createLinkSigner(Buffer.alloc(32, 7)).sign(PIN_LINK, BOOKING, new Date('2031-06-01')),
};
const own = { readOwnBooking: () => booking };
const opened = { ...own, ensureCode: () => access, renewCode: () => access, recordView: () => undefined };

const ROWS: readonly Row[] = [
  {
    name: 'create-payment',
    callers: 'signed-in',
    limit: ['create-payment', 20, 60],
    body: { bookingData: span },
    answers: { holdBooking: () => held },
  },
  {
    name: 'quote-series',
    callers: 'everyone',
    limit: ['quote-series', 60, 60],
    body: { studioId: booking.studioId, startTime: booking.startTime, endTime: booking.endTime, weeks: 2 },
    answers: { quoteSeries: () => [] },
  },
  {
    name: 'release-hold',
    callers: 'signed-in',
    limit: ['release-hold', 60, 60],
    body: { bookingId: BOOKING },
    answers: { releaseOwnHold: () => ({ booking, couponCode: null }) },
  },
  {
    name: 'verify-payment',
    callers: 'everyone',
    limit: ['verify-payment', 60, 60],
    body: { sessionId: 'cs_test_1' },
    answers: { readPaymentStatus: () => ({ booking, payment, paid: true, waiting: false, order: [], changed: null }) },
  },
  {
    name: 'door-help',
    callers: 'everyone',
    limit: ['door-help', 30, 60],
    body: linked,
    answers: { readDoorHelp: () => ({ asked: false }) },
  },
  {
    name: 'report-problem',
    callers: 'signed-in',
    limit: ['report-problem', 20, 3600],
    body: { bookingId: BOOKING, kind: 'problem', category: 'sound', description: 'No bass' },
    answers: { reportProblem: () => BOOKING },
  },
  {
    name: 'rate-session',
    callers: 'signed-in',
    limit: ['rate-session', 20, 60],
    body: { bookingId: BOOKING, score: 5 },
    answers: { rateSession: () => undefined },
  },
  {
    name: 'session-room',
    callers: 'everyone',
    limit: ['session-room', 60, 60],
    body: linked,
    answers: { readSession: () => ({ followed: false }) },
  },
  {
    name: 'session-lights',
    callers: 'everyone',
    limit: ['session-lights', 20, 60],
    body: { ...linked, on: true },
    answers: { switchSessionLights: () => ({ on: true }) },
  },
  {
    name: 'cancel-booking',
    callers: 'signed-in',
    limit: ['cancel-booking', 30, 60],
    body: { bookingId: BOOKING },
    answers: { cancelBooking: () => ({ refund: 'full', amountCents: 8250, byHand: false }) },
  },
  {
    name: 'booking-document',
    callers: 'signed-in',
    limit: ['booking-document', 30, 60],
    body: { bookingId: BOOKING },
    answers: { readDocuments: () => ({ reference: 'HC-ABC123', documents: [] }) },
    type: 'text/html; charset=utf-8',
  },
  {
    name: 'wallet-pass',
    callers: 'signed-in',
    limit: ['wallet-pass', 20, 60],
    body: { bookingId: BOOKING, kind: 'apple' },
    answers: { linkToPass: () => 'https://site.example/pass' },
  },
  {
    name: 'saved-cards',
    callers: 'signed-in',
    limit: ['saved-cards', 30, 60],
    body: {},
    answers: { listSavedCards: () => [] },
  },
  {
    name: 'remove-card',
    callers: 'signed-in',
    limit: ['remove-card', 10, 60],
    body: { cardId: 'pm_1' },
    answers: { removeSavedCard: () => undefined },
  },
  {
    name: 'remove-phone',
    callers: 'signed-in',
    limit: ['remove-phone', 10, 60],
    body: {},
    answers: { removePhone: () => true },
  },
  ...(['reschedule-booking', 'extend-booking'] as const).map((name): Row => ({
    name,
    callers: 'signed-in',
    limit: [name, 30, 60],
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
    name: 'join-waitlist',
    callers: 'signed-in',
    limit: ['join-waitlist', 30, 60],
    body: { studioId: booking.studioId, startTime: booking.startTime, endTime: booking.endTime },
    answers: { joinWaitlist: () => ({ entryId: BOOKING, ahead: 1 }) },
  },
  {
    name: 'leave-waitlist',
    callers: 'signed-in',
    limit: ['leave-waitlist', 30, 60],
    body: { entryId: BOOKING },
    answers: { leaveWaitlist: () => undefined },
  },
  {
    name: 'crew-invite',
    callers: 'signed-in',
    limit: ['crew-invite', 20, 60],
    body: { bookingId: BOOKING },
    answers: { inviteCrew: () => ({ inviteId: BOOKING, url: 'https://site.example/crew#t' }) },
  },
  {
    name: 'crew-revoke',
    callers: 'signed-in',
    limit: ['crew-revoke', 30, 60],
    body: { inviteId: BOOKING },
    answers: { revokeCrew: () => ({ sawShared: false }) },
  },
  ...(
    [
      ['crew-page', 120],
      ['crew-join', 20],
      ['crew-code', 20],
    ] as const
  ).map(([name, most]): Row => ({
    name,
    callers: 'everyone',
    limit: [name, most, 60],
    body: { token: 't', name: 'Sam', termsVersion: '1' },
    answers: {
      readCrewPage: () => ({ state: 'joined' }),
      requireJoined: () => ({ state: 'joined' }),
      joinCrew: () => ({ state: 'joined' }),
      readGuestAccess: () => ({ pin: null }),
      makeGuestCode: () => undefined,
    },
  })),
  {
    name: 'delete-account',
    callers: 'signed-in',
    limit: ['delete-account', 10, 60],
    body: { confirm: 'DELETE' },
    answers: { deleteAccount: () => ({ kept: 1, keptUntil: '2036-06-30' }) },
  },
  {
    name: 'export-my-data',
    callers: 'signed-in',
    limit: ['export-my-data', 10, 60],
    body: {},
    answers: { exportAccount: () => ({}) },
  },
  {
    name: 'staff-create-booking',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-create-booking', 60, 60],
    body: {
      studioId: booking.studioId,
      startTime: booking.startTime,
      endTime: booking.endTime,
      customerEmail: 'guest@example.com',
      customerName: 'Sam Guest',
      payment: 'link',
    },
    answers: { bookForStaff: () => ({ ...held, pending: false }) },
  },
  {
    name: 'staff-move-booking',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-move-booking', 60, 60],
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
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-cancel-booking', 60, 60],
    body: { bookingId: BOOKING, refund: 'full', reason: 'Broken mixer' },
    answers: { cancelForStaff: () => ({ refundCents: 8250, byHand: false, undo: null }) },
  },
  {
    name: 'staff-undo',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-undo', 60, 60],
    body: { undoId: BOOKING },
    answers: { undoForStaff: () => ({ bookingId: BOOKING, reference: 'ABCD-2345', kind: 'cancel' }) },
  },
  {
    name: 'staff-refund',
    callers: 'staff',
    permission: 'money',
    limit: ['staff-refund', 60, 60],
    body: { bookingId: BOOKING, cents: 2000, reason: 'Broken mixer' },
    answers: { refundForStaff: () => ({ refundId: BOOKING, byHand: false }) },
  },
  {
    name: 'staff-mark-paid',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-mark-paid', 60, 60],
    body: { bookingId: BOOKING },
    answers: { markPaid: () => ({ id: BOOKING, reference: 'ABCD-2345' }) },
  },
  {
    name: 'staff-access-code',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-access-code', 10, 60],
    body: { studioId: BOOKING, startTime: booking.startTime, endTime: booking.endTime, name: 'Electrician' },
    answers: { makeStaffCode: () => ({ codeId: BOOKING, pin: '123456' }) },
  },
  {
    name: 'staff-access-codes',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-access-codes', 120, 60],
    body: {},
    answers: { readStaffCodes: () => [] },
  },
  {
    name: 'staff-revoke-code',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-revoke-code', 60, 60],
    body: { codeId: BOOKING },
    answers: { revokeStaffCode: () => undefined },
  },
  {
    name: 'staff-incidents',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-incidents', 120, 60],
    body: {},
    answers: { readIncidents: () => [] },
  },
  {
    name: 'staff-report-incident',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-report-incident', 60, 60],
    body: { studioId: null, description: 'Broken mixer' },
    answers: { reportIncident: () => BOOKING },
  },
  {
    name: 'staff-change-incident',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-change-incident', 60, 60],
    body: { incidentId: BOOKING, state: 'done' },
    answers: { changeIncident: () => undefined },
  },
  {
    name: 'staff-answer-incident',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-answer-incident', 60, 60],
    body: { incidentId: BOOKING, answer: 'We fixed it.', state: 'done' },
    answers: { answerIncident: () => undefined },
  },
  {
    name: 'staff-disputes',
    callers: 'staff',
    permission: 'money',
    limit: ['staff-disputes', 120, 60],
    body: { bookingId: BOOKING },
    answers: { readDisputesAndHold: () => ({ disputes: [], held: false }) },
  },
  {
    name: 'staff-decide-dispute',
    callers: 'staff',
    permission: 'money',
    limit: ['staff-decide-dispute', 60, 60],
    body: { bookingId: BOOKING, decision: 'keep', reason: 'I called them' },
    answers: { decideDispute: () => undefined },
  },
  {
    name: 'staff-dispute-evidence',
    callers: 'staff',
    permission: 'money',
    limit: ['staff-dispute-evidence', 20, 60],
    body: { bookingId: BOOKING },
    answers: { gatherEvidence: () => ({ name: 'a.html', html: '1' }) },
    type: 'text/html; charset=utf-8',
  },
  {
    name: 'staff-doors',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-doors', 60, 60],
    body: {},
    answers: { readDoors: () => ({ doors: [], canOpen: true, lightsOn: null }) },
  },
  {
    name: 'staff-door-log',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-door-log', 120, 60],
    body: { studioId: BOOKING },
    answers: { readDoorLog: () => [] },
  },
  {
    name: 'staff-open-door',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-open-door', 10, 60],
    body: { studioId: BOOKING, reason: 'Locked out' },
    answers: { openDoor: () => undefined },
  },
  {
    name: 'staff-close',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-close', 60, 60],
    body: { studioId: null, startTime: booking.startTime, endTime: booking.endTime, reason: 'Cleaning' },
    answers: { closeHours: () => BOOKING },
  },
  {
    name: 'staff-reopen',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-reopen', 60, 60],
    body: { closureId: BOOKING },
    answers: { reopenHours: () => undefined },
  },
  {
    name: 'staff-calendar-feed',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-calendar-feed', 30, 60],
    body: { studioId: BOOKING, action: 'create' },
    answers: { openFeed: () => 'https://site.example/feed' },
  },
  {
    name: 'staff-set-permissions',
    callers: 'staff',
    permission: 'owner',
    limit: ['staff-set-permissions', 60, 60],
    body: { userId: PERSON, permissions: ['bookings'] },
    answers: { setPermissions: () => undefined },
  },
  {
    name: 'staff-reconcile',
    callers: 'staff',
    permission: 'money',
    limit: ['staff-reconcile', 20, 3600],
    body: { month: '2031-03' },
    answers: { startLedgerCheck: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-set-second-factor',
    callers: 'staff',
    permission: 'owner',
    limit: ['staff-set-second-factor', 60, 60],
    body: { permissions: ['money'] },
    answers: { setSecondFactorRules: () => undefined },
  },
  {
    name: 'staff-remove',
    callers: 'staff',
    permission: 'owner',
    limit: ['staff-remove', 60, 60],
    body: { userId: PERSON },
    answers: { setPermissions: () => undefined },
  },
  {
    name: 'staff-invite',
    callers: 'staff',
    permission: 'owner',
    limit: ['staff-invite', 20, 3600],
    body: { email: 'sam@example.com', permissions: ['bookings'] },
    answers: { inviteStaff: () => ({ invitationId: BOOKING, expiresAt: new Date(0) }) },
  },
  {
    name: 'staff-resend-invitation',
    callers: 'staff',
    permission: 'owner',
    limit: ['staff-resend-invitation', 20, 3600],
    body: { invitationId: BOOKING },
    answers: { renewInvitation: () => ({ invitationId: BOOKING, expiresAt: new Date(0) }) },
  },
  {
    name: 'staff-revoke-invitation',
    callers: 'staff',
    permission: 'owner',
    limit: ['staff-revoke-invitation', 60, 60],
    body: { invitationId: BOOKING },
    answers: { revokeInvitation: () => undefined },
  },
  {
    name: 'accept-staff-invitation',
    callers: 'signed-in',
    limit: ['accept-staff-invitation', 20, 3600],
    body: { token: 'a.1.b' },
    answers: { acceptInvitation: () => ['bookings'] },
  },
  {
    name: 'staff-set-prices',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-set-prices', 60, 60],
    body: { studioId: null, validFrom: '2031-03-01', prices: null },
    answers: { setPriceList: () => undefined },
  },
  {
    name: 'staff-set-room',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-set-room', 60, 60],
    body: { studioId: BOOKING, room: { title: 'The vinyl room' } },
    answers: { setRoom: () => BOOKING },
  },
  {
    name: 'staff-locks',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-locks', 60, 60],
    body: {},
    answers: { listLocks: () => [{ id: 'SP4', name: 'Spare lock', batteryPercent: 91, room: null }] },
  },
  {
    name: 'staff-set-settings',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-set-settings', 60, 60],
    body: { notice: 'Closed on Monday' },
    answers: { setSettings: () => ({}) },
  },
  {
    name: 'staff-review-id',
    callers: 'staff',
    permission: 'identity',
    limit: ['staff-review-id', 60, 60],
    body: { verificationId: BOOKING, decision: 'approve' },
    answers: { reviewId: () => ({ status: 'verified' }) },
  },
  {
    name: 'staff-withdraw-id',
    callers: 'staff',
    permission: 'identity',
    limit: ['staff-withdraw-id', 60, 60],
    body: { userId: BOOKING, reason: 'Not your photo' },
    answers: { withdrawId: () => undefined },
  },
  {
    name: 'staff-keep-without-id',
    callers: 'staff',
    permission: 'identity',
    limit: ['staff-keep-without-id', 60, 60],
    body: { bookingId: BOOKING, reason: 'I know them' },
    answers: { keepWithoutId: () => undefined },
  },
  {
    name: 'staff-id-picture',
    callers: 'staff',
    permission: 'identity',
    limit: ['staff-id-picture', 60, 60],
    body: { verificationId: BOOKING },
    answers: { viewPicture: () => Buffer.from('1') },
    type: 'application/octet-stream',
  },
  {
    name: 'staff-block-customer',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-block-customer', 60, 60],
    body: { userId: PERSON, reason: 'Damage' },
    answers: { blockCustomer: () => [], decideBlockedBookings: () => [] },
  },
  {
    name: 'staff-unblock-customer',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-unblock-customer', 60, 60],
    body: { userId: PERSON },
    answers: { unblockCustomer: () => undefined },
  },
  {
    name: 'staff-export',
    callers: 'staff',
    permission: 'money',
    limit: ['staff-export', 30, 60],
    body: { kind: 'xero', from: '2031-05-01', to: '2031-05-31' },
    answers: { exportCsv: () => '1' },
    type: 'text/csv; charset=utf-8',
  },
  {
    name: 'staff-export-list',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-export-list', 30, 60],
    body: { list: 'mailing-list' },
    answers: { exportList: () => '1' },
    type: 'text/csv; charset=utf-8',
  },
  {
    name: 'staff-send-campaign',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-send-campaign', 20, 60],
    body: { campaignId: BOOKING, subject: 'We open', body: 'Come.' },
    answers: { startCampaign: () => 3 },
  },
  {
    name: 'staff-test-campaign',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-test-campaign', 10, 60],
    body: { subject: 'We open', body: 'Come.' },
    answers: { testCampaign: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-stop-campaign',
    callers: 'staff',
    permission: 'settings',
    limit: ['staff-stop-campaign', 60, 60],
    body: { campaignId: BOOKING },
    answers: { stopCampaign: () => undefined },
  },
  {
    name: 'staff-send-mail',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-send-mail', 60, 60],
    body: { bookingId: BOOKING, mailId: BOOKING, requestId: BOOKING },
    answers: { sendMailAgain: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-booking-document',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-booking-document', 60, 60],
    body: { bookingId: BOOKING },
    answers: { readDocuments: () => ({ reference: 'HC-ABC123', documents: [] }) },
    type: 'application/pdf',
  },
  {
    name: 'staff-mail-document',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-mail-document', 30, 60],
    body: { bookingId: BOOKING, requestId: BOOKING },
    answers: { mailDocuments: () => undefined },
    succeeds: 202,
  },
  {
    name: 'staff-write-customer',
    callers: 'staff',
    permission: 'bookings',
    limit: ['staff-write-customer', 60, 60],
    body: { messageId: BOOKING, userId: PERSON, subject: 'Your bag', body: 'We found it.' },
    answers: { writeCustomer: () => undefined },
    succeeds: 202,
  },
  { name: 'stripe-webhook', callers: 'provider', limit: null, body: '{}', answers: takesEvents() },
  ...['send-booking-confirmation', 'send-access-code-email'].map((name): Row => ({
    name,
    callers: 'signed-in',
    limit: ['queued-mail', 60, 60],
    body: {},
    answers: own,
    succeeds: 202,
  })),
  {
    name: 'process-scheduled-emails',
    callers: 'staff',
    permission: 'bookings',
    limit: ['process-scheduled-emails', 60, 60],
    answers: { drain: () => 3 },
  },
  {
    name: 'generate-access-code',
    callers: 'signed-in',
    limit: ['generate-access-code', 30, 60],
    body: { bookingId: BOOKING },
    answers: opened,
  },
  {
    name: 'verify-id',
    callers: 'signed-in',
    limit: ['verify-id', 10, 3600],
    body: { idImage: `data:image/png;base64,${'A'.repeat(40)}` },
    answers: { checkPhoto: () => verification() },
  },
  {
    name: 'create-verification-session',
    callers: 'signed-in',
    limit: ['create-verification-session', 5, 3600],
    answers: { startHostedCheck: () => ({ id: 'vs_1', url: 'https://verify.example/1' }) },
  },
  {
    name: 'check-verification-and-checkout',
    callers: 'signed-in',
    limit: ['check-verification', 120, 60],
    body: { verificationSessionId: 'vs_1' },
    answers: { readHostedCheck: () => ({ verified: true, status: 'verified', error: null }) },
  },
  {
    name: 'manual-power-control',
    callers: 'staff',
    permission: 'bookings',
    limit: ['manual-power-control', 60, 60],
    body: { action: 'turn_on' },
    answers: { switchPower: () => undefined },
  },
  {
    name: 'test-smart-plug',
    callers: 'developers',
    permission: 'settings',
    limit: ['test-smart-plug', 60, 60],
    answers: { testPower: () => undefined },
  },
  ...['test-igloohome-config', 'test-igloohome-oauth', 'test-igloohome-pin'].map((name): Row => ({
    name,
    callers: 'developers',
    permission: 'settings',
    limit: ['test-igloohome', 60, 60],
    answers: { 'locks.check': () => ({ devices: [] }), issueTestPin: () => ({ pin: '123456' }) },
  })),
  {
    name: 'igloohome-webhook',
    callers: 'provider',
    limit: null,
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
    id: 'v1',
    reading: { givenNames: 'Ada', familyName: 'Lovelace', dateOfBirth: date, expiry: date, confidence: 90 },
    judgement: { decision: 'verified', nameMatch: {}, reasons: [] },
    profileBirthDate: null,
  };
}

/** The refusal that each kind of function gives each sender; null: the call succeeds. */
const REFUSED: Readonly<
  Record<Row['callers'], Readonly<Record<Exclude<Sender, 'colleague'>, readonly [number, string] | null>>>
> = {
  everyone: {
    none: [401, 'no_api_key'],
    guest: null,
    person: null,
    staff: null,
    low: null,
    service: null,
    suspended: [429, 'too_many_requests'],
  },
  'signed-in': {
    none: [401, 'no_api_key'],
    guest: [401, 'not_signed_in'],
    person: null,
    staff: null,
    low: null,
    service: [401, 'not_signed_in'],
    suspended: [429, 'too_many_requests'],
  },
  staff: {
    none: [401, 'no_api_key'],
    guest: [401, 'not_signed_in'],
    person: [403, 'not_yours'],
    staff: null,
    low: [403, 'second_factor_required'],
    service: null,
    suspended: [429, 'too_many_requests'],
  },
  developers: {
    none: [401, 'no_api_key'],
    guest: [401, 'not_signed_in'],
    person: [403, 'not_yours'],
    staff: null,
    low: [403, 'second_factor_required'],
    service: null,
    suspended: [429, 'too_many_requests'],
  },
  provider: { none: null, guest: null, person: null, staff: null, low: null, service: null, suspended: null },
};
const SENDERS = ['none', 'guest', 'person', 'staff', 'low', 'service', 'suspended'] as const;
const KEYS = { guest: 'anon', person: PERSON, staff: STAFF, service: 'service_role' } as const;
const JSON_TYPE = 'application/json; charset=utf-8';
const answered = (app: FunctionsApp): string[] => app.calls.map(([name]) => name).filter((one) => one !== 'readCaller');

describe.each(ROWS)('$name', ({ name, callers, limit, body, answers, succeeds = 200, type = JSON_TYPE }) => {
  test.each(SENDERS)('admits or refuses the right callers: %s', async (by) => {
    const app = createFunctionsApp();
    Object.assign(app.answers, answers);
    const refused = REFUSED[callers][by];
    const response = await app.send(name, by, { body });
    expect(response.headers.get('x-relay-error')).toBe(by === 'none' && refused ? 'true' : null);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe(refused ? JSON_TYPE : type);
    const { status, body: answer, retryAfter } = await readResponse(response);
    expect(status).toBe(refused?.[0] ?? succeeds);
    expect(retryAfter).toBe(by === 'suspended' && refused ? '7' : null);
    if (refused === null) return;
    expect(answer).toMatchObject({ error: { code: refused[1], message: expect.stringMatching(/\w/) } });
    expect(app.taken).toEqual([]);
    expect(answered(app)).toEqual([]);
  });

  test('counts one call, for the account or the IP address', async () => {
    const app = createFunctionsApp();
    Object.assign(app.answers, answers);
    const by = callers === 'signed-in' ? 'person' : callers === 'everyone' ? 'guest' : 'staff';
    await app.send(name, by, { body });
    if (limit === null) return expect(app.taken).toEqual([]);
    const [limitName, max, seconds] = limit;
    const key = callers === 'everyone' ? `ip:${IP}` : `user:${KEYS[by]}`;
    expect(app.taken).toEqual([[{ name: limitName, max, seconds }, key]]);
    return undefined;
  });

  test('answers 429 with the seconds to wait once its limit is used up, and calls no operation', async () => {
    const app = createFunctionsApp({ wait: 17 });
    Object.assign(app.answers, answers);
    const by = callers === 'signed-in' ? 'person' : 'staff';
    const response = await readResponse(await app.send(name, by, { body }));
    if (limit === null) return expect(response.status).toBe(succeeds);
    expect(response).toEqual({
      status: 429,
      body: {
        error: {
          code: 'too_many_requests',
          message: 'Too many requests. Please try again in a moment.',
          retryAfter: 17,
        },
      },
      retryAfter: '17',
    });
    expect(answered(app)).toEqual([]);
    expect(app.reserved()).toEqual({ small: 0, large: 0 });
    return undefined;
  });

  test('allows only POST, and says so', async () => {
    const app = createFunctionsApp();
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const response = await app.send(name, 'staff', { method });
      expect(response.headers.get('allow')).toBe('POST');
      expect(await readResponse(response)).toEqual({
        status: 405,
        body: { error: { code: 'method_not_allowed', message: 'Use POST.' } },
        retryAfter: null,
      });
    }
    expect(app.calls).toEqual([]);
  });
});

test.each(ROWS.filter(({ permission }) => permission !== undefined))(
  '$name needs the permission $permission and no other',
  async ({ name, permission, body, answers, succeeds = 200 }) => {
    const send = async (permissions: readonly Permission[]) => {
      const app = createFunctionsApp({ permissions });
      Object.assign(app.answers, answers);
      return { app, answer: await readResponse(await app.send(name, 'colleague', { body })) };
    };
    const refused = await send(PERMISSIONS.filter((one) => one !== permission));
    expect(refused.answer).toMatchObject({ status: 403, body: { error: { code: 'not_yours', permission } } });
    expect(refused.app.taken).toEqual([]);
    expect(answered(refused.app)).toEqual([]);
    expect((await send(PERMISSIONS.filter((one) => one === permission))).answer.status).toBe(succeeds);
  },
);

test.each(ROWS.filter(({ callers }) => callers === 'developers'))(
  '$name is not there while the developer pages are off',
  async ({ name, answers }) => {
    const app = createFunctionsApp({ developerPages: false });
    Object.assign(app.answers, answers);
    for (const by of ['staff', 'service'] as const)
      expect(await readResponse(await app.send(name, by))).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    expect(await readResponse(await app.send(name, 'person'))).toMatchObject({ status: 403 });
    expect(answered(app)).toEqual([]);
  },
);

test('unsubscribe needs no key: a POST of a mail program ends the subscription, and a person who opens it gets the page', async () => {
  const app = createFunctionsApp();
  app.answers['leaveMailingList'] = () => undefined;
  const opened = await app.send(`unsubscribe?id=${BOOKING}`, 'none', { method: 'GET' });
  expect([opened.status, opened.headers.get('location')]).toEqual([303, `/unsubscribe?id=${BOOKING}`]);
  expect(answered(app)).toEqual([]);
  expect((await app.send('unsubscribe?id=x', 'none', { body: 'List-Unsubscribe=One-Click' })).status).toBe(400);
  expect(answered(app)).toEqual([]);
  const left = await readResponse(
    await app.send(`unsubscribe?id=${BOOKING}`, 'none', { body: 'List-Unsubscribe=One-Click' }),
  );
  expect(left).toEqual({ status: 200, body: { unsubscribed: true }, retryAfter: null });
  expect(app.calls.at(-1)).toEqual(['leaveMailingList', BOOKING]);
});

test('wallet-file needs no key, is counted for the IP address, and answers the file of its link', async () => {
  const app = createFunctionsApp();
  app.answers['readPassFile'] = (token: string) => ({ file: Buffer.from(token), name: 'HC-ABC123.pkpass' });
  const answer = await app.send('wallet-file', 'none', { method: 'GET', query: '?token=t1' });
  expect([answer.status, await answer.text()]).toEqual([200, 't1']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/vnd.apple.pkpass',
    'content-disposition': 'attachment; filename="HC-ABC123.pkpass"',
    'cache-control': 'no-store',
  });
  expect(app.taken).toEqual([[{ name: 'wallet-file', max: 30, seconds: 60 }, `ip:${IP}`]]);
  expect((await app.send('wallet-file', 'none', { method: 'POST', body: {} })).status).toBe(405);
});

test('wallet-service counts phones for the IP address, passes on what they show, and logs nothing that names one', async () => {
  const app = createFunctionsApp();
  const [device, pushToken] = ['d0'.repeat(16), 'AB'.repeat(32)];
  const place = `devices/${device}/registrations/pass.example/${BOOKING}`;
  const headers = { authorization: 'ApplePass token-1' };
  const send = (method: string, path: string, body?: unknown) =>
    app.send(`wallet-service/v1/${path}`, 'none', { method, headers, ...(body === undefined ? {} : { body }) });
  const request = { typeId: 'pass.example', serial: BOOKING, token: 'token-1' };
  app.answers['addPhone'] = () => true;
  expect((await send('POST', place, { pushToken })).status).toBe(201);
  expect(app.calls.at(-1)).toEqual(['addPhone', { ...request, device, pushToken: pushToken.toLowerCase() }]);
  app.answers['readNewPass'] = () => {
    throw new Refusal('not_configured', 'The certificate has ended');
  };
  const later = await send('GET', `passes/pass.example/${BOOKING}`);
  expect([later.status, later.headers.get('retry-after')]).toEqual([503, '3600']);
  app.answers['removePhone'] = () => {
    throw new Error('broken');
  };
  expect((await send('DELETE', place)).status).toBe(500);
  expect((await send('POST', 'log', { logs: [`device ${device}: fault`] })).status).toBe(200);
  expect(app.logged).toEqual(['error: the service of passes failed', 'warn: a phone reports faults of a pass']);
  expect(JSON.stringify(app.logFields)).not.toContain(device);
  expect(app.taken.map(([limit, key]) => [limit.name, key])).toEqual(
    ['wallet-service', 'wallet-service', 'wallet-service', 'wallet-log'].map((name) => [name, `ip:${IP}`]),
  );
});

test('calendar-feed needs no key, is counted for the IP address, and answers 304 to who has the file', async () => {
  const app = createFunctionsApp();
  const files: string[] = [];
  app.answers['readFeed'] = (token: string) => {
    files.push(token);
    return 'BEGIN:VCALENDAR';
  };
  const read = (headers: Record<string, string> = {}) =>
    app.send('calendar-feed', 'none', { method: 'GET', query: '?token=t1', headers });
  const first = await read();
  expect([first.status, await first.text()]).toEqual([200, 'BEGIN:VCALENDAR']);
  expect(first.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  expect(app.taken).toEqual([[{ name: 'calendar-feed', max: 60, seconds: 60 }, `ip:${IP}`]]);
  const tag = first.headers.get('etag') ?? '';
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
    const again = await read({ 'if-none-match': known });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
  }
  expect((await read({ 'if-none-match': '"other"' })).status).toBe(200);
  expect(new Set(files)).toEqual(new Set(['t1']));
  expect((await app.send('calendar-feed', 'none', { method: 'POST', body: {} })).status).toBe(405);
});
