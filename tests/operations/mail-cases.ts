import { firstSettings } from '#rules/business/first-settings.ts';
import { UNDER_AGE } from '#rules/identity.ts';
import { createEncryption } from '#server/crypto/encryption.ts';
import type { BookingJson, PaymentJson } from '#server/operations/core/booking-rows.ts';
import type { JobDefinition } from '#server/operations/core/jobs.ts';
import type { DocumentFacts } from '#server/operations/exports/document-sheets.ts';
import { sendJobAlertJob } from '#server/operations/jobs/job-alerts.ts';
import { sendIncidentAnswerJob, sendThanksJob } from '#server/operations/mails/after-session.ts';
import * as booking from '#server/operations/mails/booking-mails.ts';
import { sendDocumentsJob } from '#server/operations/mails/document-mails.ts';
import { sendDoorHelpJob } from '#server/operations/mails/door-help-mail.ts';
import { sendLinkExpiredJob, sendLinkExpiredToStaffJob } from '#server/operations/mails/expired-links.ts';
import { sendIdDecisionJob, sendReviewWaitingJob } from '#server/operations/mails/identity-mails.ts';
import { sendIdMissingJob, sendIdNeededJob, sendIdWithdrawnJob } from '#server/operations/mails/missing-id-mails.ts';
import { sendReminderJob, sendTextReminderJob } from '#server/operations/mails/reminders.ts';
import * as access from '#server/operations/mails/send-access-code.ts';
import { sendCampaignMailJob, sendCampaignTestJob } from '#server/operations/mails/send-campaign-mail.ts';
import { sendCustomerMessageJob } from '#server/operations/mails/send-customer-message.ts';
import { sendPaymentLinkJob } from '#server/operations/mails/send-payment-link.ts';
import { sendSecondFactorDueJob, sendStaffInvitationJob } from '#server/operations/mails/staff-mails.ts';
import { sendWaitlistMailJob } from '#server/operations/mails/waitlist-mail.ts';

/** The rows and jobs of recorded-mails.test.ts: each mail and text message, for each branch of its conditions. */

const uuid = (number: number): string => `5a000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const [OTHER, PERSON, STUDIO] = [uuid(2), uuid(3), uuid(4)] as const;
export const [BOOKING, JOB] = [uuid(1), uuid(5)] as const;
/** 11 am in Sydney, a week before the session. */
export const NOW = '2031-03-01T00:00:00Z';
const START = '2031-03-08T00:00:00Z';
const END = '2031-03-08T02:00:00Z';

const BASE: BookingJson = {
  id: BOOKING,
  reference: '7KQM-4TXR',
  userId: PERSON,
  studioId: STUDIO,
  studioName: 'Studio A',
  startTime: START,
  endTime: END,
  status: 'confirmed',
  cancelReason: null,
  holdExpiresAt: '2031-03-01T00:15:00Z',
  totalHours: 2,
  slots: [
    { date: '2031-03-08', hour: 11, label: '11 AM', priceCents: 5_900 },
    { date: '2031-03-08', hour: 12, label: '12 PM', priceCents: 6_900 },
  ],
  baseCostCents: 12_800,
  discountCents: 640,
  couponDiscountCents: 1_000,
  waivedCents: 160,
  finalCostCents: 11_000,
  moves: 0,
  guestEmail: null,
  guestName: null,
  madeBy: null,
  createdAt: NOW,
  confirmedAt: NOW,
  movesBooking: null,
  moveNumber: null,
  orderId: null,
  orderPlace: null,
  orderSize: null,
  termsStart: START,
  owedCents: 0,
};
const GUEST = { userId: null, guestEmail: 'guest@example.com', guestName: 'Robin Guest' };
const PENDING = { status: 'pending', confirmedAt: null } as const;
/** The hold of new hours of the booking. */
const HOLD: BookingJson = {
  ...BASE,
  ...PENDING,
  id: OTHER,
  reference: 'HXLD-HXLD',
  studioName: 'Studio B',
  startTime: '2031-03-09T00:00:00Z',
  endTime: '2031-03-09T03:00:00Z',
  finalCostCents: 1_500,
  movesBooking: BOOKING,
  moveNumber: 1,
};
const PAYMENT: PaymentJson = {
  id: uuid(6),
  bookingId: BOOKING,
  attempt: 1,
  kind: 'card',
  state: 'open',
  key: 'create',
  sessionId: 'cs_1',
  url: 'https://pay.example/x',
  sessionExpiresAt: null,
  amountCents: 11_000,
  paidCents: 11_000,
  refundedCents: 0,
  disputeId: null,
  disputeStatus: null,
  paymentIntentId: 'pi_1',
  refundId: null,
  createdAt: NOW,
  moveNumber: null,
  card: null,
  cardAt: null,
  replacedUntil: null,
  shareOf: null,
};
const CONTENT: DocumentFacts['documents'][number]['content'] = {
  seller: { name: 'Harbour', abn: '', address: 'Sydney', email: 'us@example.com', phone: null },
  buyer: { name: 'Alex Citizen', email: 'alex@example.com' },
  online: true,
  change: false,
  studioName: 'Studio A',
  startTime: START,
  endTime: END,
  hours: 2,
  slots: BASE.slots,
  baseCents: 12_800,
  discountCents: 640,
  couponCode: 'TEN',
  couponCents: 1_000,
  waivedCents: 160,
};
const invoice = { number: 7, kind: 'invoice', paymentId: 'p', cents: 11_000, content: CONTENT, issuedAt: NOW } as const;
const note = { ...invoice, number: 9, kind: 'adjustment', cents: 2_000 } as const;
const documents = (...all: DocumentFacts['documents']) => ({ facts: { reference: BASE.reference, documents: all } });

type Values = readonly unknown[];
/** The rows of a case, by a part of the statement that reads them: a row, or a function of the parameters. */
export type Rows = Readonly<Record<string, object | null | ((values: Values) => object | null)>>;
export type Case = {
  readonly rows?: Rows;
  readonly subject?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly now?: string;
  readonly singleUse?: boolean;
};

/** The bookings of a case, by id and by series. */
const bookings = (...all: readonly BookingJson[]): Rows => ({
  'booking_json(b) as facts from private.booking b where b.id': ([id]) => {
    const facts = all.find((booked) => booked.id === id);
    return facts === undefined ? null : { facts };
  },
  'where b.order_id = $1::uuid': () => all.map((facts) => ({ facts })),
});
export const booked = (more: Partial<BookingJson> = {}): Rows => bookings({ ...BASE, ...more });
const moving = (more: Partial<BookingJson> = {}, hold: Partial<BookingJson> = {}): Rows =>
  bookings({ ...BASE, ...more }, { ...HOLD, ...hold });
const SERIES = { orderId: BOOKING, orderSize: 2 };
const later = { startTime: '2031-03-15T00:00:00Z', endTime: '2031-03-15T02:00:00Z' };
const series = (more: Partial<BookingJson> = {}): Rows =>
  bookings(
    { ...BASE, ...SERIES, orderPlace: 1, ...more },
    { ...BASE, ...SERIES, ...later, id: OTHER, reference: '9ABC-DEFG', orderPlace: 2, ...more },
  );
const held = { 'private.code_hold': { disputeId: 'd', status: 'open' } };
const payment = (more: Partial<PaymentJson>): Rows => ({ 'x.move_number is null': { facts: { ...PAYMENT, ...more } } });
const staff = { 'select u.email from auth.users u': { email: 'staff@example.com' } };
const unpaid = { 'left join private.booking o on o.id = b.moves_booking': {} };
const customer = { 'p.full_name as name from auth.users u': { email: 'alex@example.com', name: 'Alex Citizen' } };
export const encryption = createEncryption(Buffer.alloc(32, 2));
const CODE = {
  id: uuid(7),
  bookingId: BOOKING,
  attempt: 1,
  mode: 'bridge',
  status: 'issued',
  startsAt: new Date('2031-03-07T23:55:00Z'),
  endsAt: new Date(END),
  createdAt: new Date(NOW),
  lockId: 'l',
  variant: 0,
  encryptedPin: encryption.encrypt('482913', uuid(7)),
};

/** The rows that most cases have. Those of a case come first, and the first part that a statement contains counts. */
export const COMMON: Rows = {
  ...customer,
  's.photos[1]': { photo: null },
  'private.code_hold': null,
  'private.is_undo_begun': { held: false },
  ' as free': { free: true },
  'as hours': { hours: 24 },
  'coalesce(max(c.attempt)': { count: 1, openedAt: null },
  'from public.booking_access_codes c': CODE,
  'document_content(x)': documents(invoice),
  'update public.scheduled_emails': null,
};

const money = (paid: boolean, cardCents: number, handCents: number, decidedCents: number | null): Rows => ({
  'as "decidedCents"': { paid, cardCents, handCents, decidedCents },
});
const returned = (cents: number): Rows => ({ 'where share_of = $1::uuid and id <>': { cents } });
const before = { studioName: 'Studio B', startTime: NOW, endTime: '2031-03-01T02:00:00Z' };
const pass = {
  'private.wallet_pass': { booking: BASE, business: firstSettings, version: 1, changedAt: new Date(NOW) },
};
const incident = {
  kind: 'problem',
  studioName: 'Studio A',
  reference: BASE.reference,
  description: 'The monitor hums.',
};
const answered = (more: object): Rows => ({
  'from private.incident i join private.booking b': {
    ...incident,
    answer: 'We changed the cable.',
    state: 'done',
    outcome: null,
    email: 'alex@example.com',
    name: 'Alex Citizen',
    ...more,
  },
});
const atDoor = (more: object = {}): Rows => ({
  ...staff,
  "i.kind = 'door'": {
    description: 'The door does not open.',
    reference: BASE.reference,
    studioName: 'Studio A',
    start: new Date(START),
    end: new Date(END),
    name: 'Alex Citizen',
    phone: '+61400000000',
    ...more,
  },
});
const decided = (more: object): Rows => ({
  'r.decision, v.failure_reasons': {
    email: 'alex@example.com',
    name: 'Alex Citizen',
    reasons: ['We couldn’t read your ID.'],
    expiresAt: null,
    born: null,
    ...more,
  },
});
const raised = (more: object = {}): Rows => ({
  'from private.missing_id m': {
    id: BOOKING,
    reference: BASE.reference,
    studioName: 'Studio A',
    start: new Date(START),
    end: new Date(END),
    raisedAt: new Date('2031-03-07T22:00:00Z'),
    email: 'alex@example.com',
    name: 'Alex Citizen',
    ...more,
  },
});
const waiting = (count: number, start: string | null): Rows => ({
  ...staff,
  'count(distinct v.id)': {
    count,
    oldest: new Date(NOW),
    start: start === null ? null : new Date(start),
    end: start === null ? null : new Date(END),
  },
});
const invitation = (more: object = {}): Rows => ({
  'from private.staff_invitation i': {
    email: 'new@example.com',
    permissions: ['money', 'bookings'],
    expiresAt: new Date(START),
    inviter: 'Kim Owner',
    ...more,
  },
});
const factor = (more: object): Rows => ({
  'private.second_factor_due': { email: 'staff@example.com', due: new Date(START), required: false, ...more },
});
const letter = { subject: 'News', body: 'Two new rooms.' };
const step = (value: object): Rows => ({ next_campaign_mail: { value } });
const entry = (until: string | null, name: string | null = 'Alex Citizen'): Rows => ({
  'from public.waitlist_entries e': {
    email: 'alex@example.com',
    name,
    studioId: STUDIO,
    studioName: 'Studio A',
    start: new Date(START),
    end: new Date(END),
    until: until === null ? null : new Date(until),
  },
});
const alerted = (more: object = {}): Rows => ({
  'from private.outbox o': {
    id: JOB,
    kind: 'mail.booking-confirmed',
    tries: 3,
    since: new Date(NOW),
    problem: 'smtp: no_response',
    closed: false,
    booking_id: BOOKING,
    reference: BASE.reference,
    studio_id: STUDIO,
    studio_name: 'Studio A',
    start_time: new Date(START),
    ...more,
  },
});
const reminder = { payload: { startTime: START }, now: '2031-03-07T00:00:00Z' };
const wants = (on: boolean): Rows => ({ 'from public.profiles where user_id': { on } });
const phone = { 'phone_confirmed_at is not null': { phone: '61400000000' } };
const codeDue = { now: '2031-03-07T23:45:00Z' };

export const CASES: readonly (readonly [title: string, job: JobDefinition, given: Case])[] = [
  ['confirmation', booking.sendConfirmationJob, {}],
  ['confirmation, of a series', booking.sendConfirmationJob, { rows: series() }],
  [
    'confirmation, of a series of which one is left',
    booking.sendConfirmationJob,
    {
      rows: bookings(
        { ...BASE, ...SERIES, status: 'cancelled' },
        { ...BASE, ...SERIES, ...later, id: OTHER, reference: '9ABC-DEFG' },
      ),
    },
  ],
  ['confirmation, of a guest', booking.sendConfirmationJob, { rows: booked(GUEST) }],
  ['confirmation, within the hour', booking.sendConfirmationJob, { now: '2031-03-07T23:00:00Z' }],
  [
    'confirmation, moved later by staff',
    booking.sendConfirmationJob,
    { rows: booked({ termsStart: '2031-03-07T00:00:00Z', moves: 1 }) },
  ],
  [
    'confirmation, without a document and name, with a picture',
    booking.sendConfirmationJob,
    {
      rows: {
        ...booked(),
        'document_content(x)': documents(),
        'p.full_name as name from auth.users u': { email: 'alex@example.com', name: null },
        's.photos[1]': { photo: 'room.jpg' },
      },
    },
  ],
  ['confirmation, code held', booking.sendConfirmationJob, { rows: { ...booked(), ...held } }],
  ['confirmation, cancelled since', booking.sendConfirmationJob, { rows: booked({ status: 'cancelled' }) }],
  [
    'cancellation, paid by card',
    booking.sendCancellationJob,
    { rows: { ...booked({ status: 'cancelled' }), ...money(true, 11_000, 0, null) } },
  ],
  [
    'cancellation, staff decided on a part',
    booking.sendCancellationJob,
    { rows: { ...booked({ status: 'cancelled' }), ...money(true, 11_000, 0, 1_500) } },
  ],
  [
    'cancellation, by hand',
    booking.sendCancellationJob,
    { rows: { ...booked({ status: 'cancelled' }), ...money(true, 0, 3_000, 3_000) } },
  ],
  [
    'cancellation, nothing back',
    booking.sendCancellationJob,
    { rows: { ...booked({ status: 'cancelled' }), ...money(true, 0, 0, 0) } },
  ],
  [
    'cancellation, of a guest, nothing paid',
    booking.sendCancellationJob,
    { rows: { ...booked({ ...GUEST, status: 'cancelled' }), ...money(false, 0, 0, null) } },
  ],
  ['cancellation, without rows of payments', booking.sendCancellationJob, { rows: booked({ status: 'cancelled' }) }],
  [
    'cancellation, ID missing',
    booking.sendCancellationJob,
    {
      rows: { ...booked({ status: 'cancelled' }), ...money(true, 11_000, 0, 11_000) },
      payload: { because: 'id_missing' },
    },
  ],
  [
    'cancellation, of an unpaid series',
    booking.sendCancellationJob,
    { rows: { ...series({ ...PENDING, status: 'cancelled' }), ...money(false, 0, 0, null) } },
  ],
  [
    'cancellation, of one of a paid series',
    booking.sendCancellationJob,
    { rows: { ...series({ status: 'cancelled' }), ...money(true, 11_000, 0, null) } },
  ],
  ['cancellation, of new hours', booking.sendCancellationJob, { rows: moving(), subject: OTHER }],
  ['move, free', booking.sendMoveJob, { payload: { ...before, refundCents: 0 } }],
  [
    'move, refund by card and hand, with a pass',
    booking.sendMoveJob,
    { rows: { ...booked({ moves: 1 }), ...pass }, payload: { ...before, refundCents: 3_000, byHandCents: 1_000 } },
  ],
  [
    'move, paid, code held',
    booking.sendMoveJob,
    { rows: { ...booked({ moves: 2 }), ...held }, payload: { ...before, refundCents: 0, paidCents: 1_500 } },
  ],
  [
    'move, cancelled since',
    booking.sendMoveJob,
    { rows: booked({ status: 'cancelled' }), payload: { ...before, refundCents: 0 } },
  ],
  ['refund, by card', booking.sendRefundJob, { payload: { cents: 2_000 } }],
  ['refund, by hand', booking.sendRefundJob, { payload: { cents: 2_000, byHandCents: 2_000 } }],
  ['refund, by card and hand', booking.sendRefundJob, { payload: { cents: 2_000, byHandCents: 500 } }],
  [
    'returned payment',
    booking.sendPaymentReturnedJob,
    { rows: { ...booked({ status: 'cancelled' }), ...payment({ state: 'refund_pending' }), ...returned(0) } },
  ],
  [
    'returned payment, of a series',
    booking.sendPaymentReturnedJob,
    { rows: { ...series({ status: 'cancelled' }), ...payment({ state: 'refunded' }), ...returned(11_000) } },
  ],
  [
    'returned payment, of new hours that stay',
    booking.sendPaymentReturnedJob,
    { rows: { ...moving(), ...payment({ state: 'refund_failed', paidCents: 1_500 }), ...returned(0) }, subject: OTHER },
  ],
  [
    'returned payment, of new hours of a cancelled booking',
    booking.sendPaymentReturnedJob,
    {
      rows: {
        ...moving({ status: 'cancelled' }),
        ...payment({ state: 'refund_manual', paidCents: null, amountCents: 1_500 }),
        ...returned(0),
      },
      subject: OTHER,
    },
  ],
  ['processing payment', booking.sendPaymentProcessingJob, { rows: booked(PENDING) }],
  ['processing payment, of a series', booking.sendPaymentProcessingJob, { rows: series(PENDING) }],
  ['processing payment, of new hours', booking.sendPaymentProcessingJob, { rows: moving(), subject: OTHER }],
  ['processing payment, completed since', booking.sendPaymentProcessingJob, {}],
  ['failed payment', booking.sendPaymentFailedJob, { rows: { ...booked(PENDING), ...payment({ state: 'failed' }) } }],
  [
    'failed payment, of a series',
    booking.sendPaymentFailedJob,
    { rows: { ...series(PENDING), ...payment({ state: 'failed' }) } },
  ],
  [
    'failed payment, too late',
    booking.sendPaymentFailedJob,
    { rows: { ...booked(PENDING), ...payment({ state: 'processing' }) } },
  ],
  ['failed payment, of new hours', booking.sendPaymentFailedJob, { rows: moving(), subject: OTHER }],
  ['payment link', sendPaymentLinkJob, { rows: { ...booked({ ...PENDING, ...GUEST }), ...payment({}) } }],
  ['payment link, of a series', sendPaymentLinkJob, { rows: { ...series({ ...PENDING, ...GUEST }), ...payment({}) } }],
  ['payment link, of new hours', sendPaymentLinkJob, { rows: { ...moving(), ...payment({}) }, subject: OTHER }],
  ['payment link, paid since', sendPaymentLinkJob, { rows: { ...booked(), ...payment({ state: 'paid' }) } }],
  [
    'payment link, without a hold',
    sendPaymentLinkJob,
    { rows: { ...booked({ holdExpiresAt: null }), ...payment({}) } },
  ],
  ['expired link', sendLinkExpiredJob, { rows: { ...booked({ ...GUEST, cancelReason: 'hold_expired' }), ...unpaid } }],
  [
    'expired link, of a series',
    sendLinkExpiredJob,
    { rows: { ...series({ ...GUEST, ...PENDING, cancelReason: 'hold_expired' }), ...unpaid } },
  ],
  [
    'expired link, of new hours',
    sendLinkExpiredJob,
    { rows: { ...moving({}, { cancelReason: 'hold_expired' }), ...unpaid }, subject: OTHER },
  ],
  [
    'expired link, cancelled by staff',
    sendLinkExpiredJob,
    { rows: { ...booked({ cancelReason: 'staff' }), ...unpaid } },
  ],
  ['expired link, decided since', sendLinkExpiredJob, { rows: booked({ cancelReason: 'hold_expired' }) }],
  [
    'expired link, to staff',
    sendLinkExpiredToStaffJob,
    {
      rows: { ...booked({ ...GUEST, cancelReason: 'hold_expired' }), ...unpaid, ...staff },
      payload: { staffId: PERSON },
    },
  ],
  [
    'expired link, of a series, to staff',
    sendLinkExpiredToStaffJob,
    { rows: { ...series({ cancelReason: 'hold_expired' }), ...unpaid, ...staff }, payload: { staffId: PERSON } },
  ],
  [
    'expired link, of new hours, to staff',
    sendLinkExpiredToStaffJob,
    {
      rows: { ...moving({}, { cancelReason: 'hold_expired' }), ...unpaid, ...staff },
      subject: OTHER,
      payload: { staffId: PERSON },
    },
  ],
  [
    'expired link, to former staff',
    sendLinkExpiredToStaffJob,
    { rows: { ...booked({ cancelReason: 'hold_expired' }), ...unpaid }, payload: { staffId: PERSON } },
  ],
  [
    'expired link, decided since, to staff',
    sendLinkExpiredToStaffJob,
    { rows: { ...booked({ cancelReason: 'hold_expired' }), ...staff }, payload: { staffId: PERSON } },
  ],
  ['documents, sent by staff', sendDocumentsJob, {}],
  [
    'documents, of a refund',
    sendDocumentsJob,
    { rows: { ...booked(), 'document_content(x)': documents(invoice, note) }, payload: { number: 9 } },
  ],
  [
    'documents, of the refund of a cancellation',
    sendDocumentsJob,
    {
      rows: {
        ...booked(),
        'document_content(x)': documents(invoice, note),
        'private.cancellation c on': { yes: true },
      },
      payload: { number: 9 },
    },
  ],
  [
    'documents, of the refund of a cancellation, of a guest',
    sendDocumentsJob,
    {
      rows: {
        ...booked(GUEST),
        'document_content(x)': documents(invoice, note),
        'private.cancellation c on': { yes: true },
      },
      payload: { number: 9 },
    },
  ],
  [
    'documents, with an ABN',
    sendDocumentsJob,
    {
      rows: {
        ...booked(),
        'document_content(x)': documents({
          ...invoice,
          content: { ...CONTENT, seller: { ...CONTENT.seller, abn: '51824753556' } },
        }),
      },
    },
  ],
  ['documents, of a note that is void', sendDocumentsJob, { payload: { number: 9 } }],
  ['access code', access.sendAccessCodeJob, codeDue],
  [
    'access code, for one use, of a guest',
    access.sendAccessCodeJob,
    { ...codeDue, rows: booked(GUEST), singleUse: true },
  ],
  [
    'access code, not yet issued',
    access.sendAccessCodeJob,
    { ...codeDue, rows: { ...booked(), 'from public.booking_access_codes c': null } },
  ],
  [
    'access code, account being recovered',
    access.sendAccessCodeJob,
    { ...codeDue, rows: { ...booked(), 'private.is_undo_begun': { held: true } } },
  ],
  ['access code, held', access.sendAccessCodeJob, { ...codeDue, rows: { ...booked(), ...held } }],
  ['access code, cancelled since', access.sendAccessCodeJob, { ...codeDue, rows: booked({ status: 'cancelled' }) }],
  ['access code, a moment before the end', access.sendAccessCodeJob, { now: '2031-03-08T01:59:59.999Z' }],
  ['access code, at the end', access.sendAccessCodeJob, { now: END }],
  ['held code', access.sendCodeHeldJob, { ...codeDue, rows: { ...booked(), ...held } }],
  [
    'held code, a moment before the end',
    access.sendCodeHeldJob,
    { now: '2031-03-08T01:59:59.999Z', rows: { ...booked(), ...held } },
  ],
  ['held code, at the end', access.sendCodeHeldJob, { now: END, rows: { ...booked(), ...held } }],
  [
    'held code, cancelled since',
    access.sendCodeHeldJob,
    { ...codeDue, rows: { ...booked({ status: 'cancelled' }), ...held } },
  ],
  ['held code, released since', access.sendCodeHeldJob, codeDue],
  [
    'held code, to staff',
    access.sendCodeHeldToStaffJob,
    { ...codeDue, rows: { ...booked(), ...held, ...staff }, payload: { staff: PERSON } },
  ],
  [
    'held code, to staff, a moment before the end',
    access.sendCodeHeldToStaffJob,
    { now: '2031-03-08T01:59:59.999Z', rows: { ...booked(), ...held, ...staff }, payload: { staff: PERSON } },
  ],
  [
    'held code, to staff, at the end',
    access.sendCodeHeldToStaffJob,
    { now: END, rows: { ...booked(), ...held, ...staff }, payload: { staff: PERSON } },
  ],
  [
    'held code, to former staff',
    access.sendCodeHeldToStaffJob,
    { ...codeDue, rows: { ...booked(), ...held }, payload: { staff: PERSON } },
  ],
  [
    'held code, released since, to staff',
    access.sendCodeHeldToStaffJob,
    { ...codeDue, rows: { ...booked(), ...staff }, payload: { staff: PERSON } },
  ],
  ['reminder', sendReminderJob, { ...reminder, rows: { ...booked(), ...wants(true) } }],
  ['reminder, of a guest', sendReminderJob, { ...reminder, rows: booked(GUEST) }],
  ['reminder, code held', sendReminderJob, { ...reminder, rows: { ...booked(), ...wants(true), ...held } }],
  ['reminder, switched off', sendReminderJob, { ...reminder, rows: { ...booked(), ...wants(false) } }],
  ['reminder, of an account without a profile', sendReminderJob, reminder],
  [
    'reminder, moved since',
    sendReminderJob,
    { ...reminder, rows: { ...booked({ startTime: later.startTime }), ...wants(true) } },
  ],
  [
    'reminder, cancelled since',
    sendReminderJob,
    { ...reminder, rows: { ...booked({ status: 'cancelled' }), ...wants(true) } },
  ],
  [
    'reminder, a moment before the start',
    sendReminderJob,
    { ...reminder, now: '2031-03-07T23:59:59.999Z', rows: { ...booked(), ...wants(true) } },
  ],
  ['reminder, at the start', sendReminderJob, { ...reminder, now: START, rows: { ...booked(), ...wants(true) } }],
  ['text reminder', sendTextReminderJob, { ...reminder, rows: { ...booked(), ...wants(true), ...phone } }],
  [
    'text reminder, code held',
    sendTextReminderJob,
    { ...reminder, rows: { ...booked(), ...wants(true), ...phone, ...held } },
  ],
  ['text reminder, without a phone', sendTextReminderJob, { ...reminder, rows: { ...booked(), ...wants(true) } }],
  [
    'text reminder, switched off',
    sendTextReminderJob,
    { ...reminder, rows: { ...booked(), ...wants(false), ...phone } },
  ],
  [
    'text reminder, at the start',
    sendTextReminderJob,
    { ...reminder, now: START, rows: { ...booked(), ...wants(true), ...phone } },
  ],
  [
    'text reminder, of a booking that is gone',
    sendTextReminderJob,
    { ...reminder, rows: { ...wants(true), ...phone } },
  ],
  ['thanks', sendThanksJob, { now: '2031-03-08T02:30:00Z', rows: { ...booked(), 'p.thank_by_email': {} } }],
  ['thanks, not wanted', sendThanksJob, { now: '2031-03-08T02:30:00Z' }],
  ['answer to a report', sendIncidentAnswerJob, { rows: answered({}) }],
  [
    'answer to a report of lost property, without a name',
    sendIncidentAnswerJob,
    { rows: answered({ kind: 'lost', outcome: 'found', state: 'open', name: null }) },
  ],
  ['answer to a report, of a deleted account', sendIncidentAnswerJob, {}],
  ['closed door', sendDoorHelpJob, { rows: atDoor(), payload: { staff: PERSON } }],
  [
    'closed door, without a phone',
    sendDoorHelpJob,
    { rows: atDoor({ phone: null, name: null }), payload: { staff: PERSON } },
  ],
  [
    'closed door, to former staff',
    sendDoorHelpJob,
    { rows: { ...atDoor(), 'select u.email from auth.users u': null }, payload: { staff: PERSON } },
  ],
  ['closed door, opened since', sendDoorHelpJob, { rows: staff, payload: { staff: PERSON } }],
  [
    'ID approved',
    sendIdDecisionJob,
    { rows: decided({ decision: 'approve', expiresAt: new Date('2033-03-01T00:00:00Z') }) },
  ],
  ['ID approved without an end', sendIdDecisionJob, { rows: decided({ decision: 'approve', name: null }) }],
  [
    'ID to be photographed again',
    sendIdDecisionJob,
    { rows: decided({ decision: 'retake', expiresAt: new Date('2033-03-01T00:00:00Z') }) },
  ],
  ['ID refused', sendIdDecisionJob, { rows: decided({ decision: 'refuse', born: '2015-04-03' }) }],
  [
    'ID refused, expires',
    sendIdDecisionJob,
    { rows: decided({ decision: 'refuse', expiresAt: new Date('2033-03-01T00:00:00Z') }) },
  ],
  [
    'ID of a minor',
    sendIdDecisionJob,
    { rows: decided({ decision: 'refuse', born: '2015-04-03', reasons: [UNDER_AGE] }) },
  ],
  [
    'ID of a minor without a date of birth',
    sendIdDecisionJob,
    { rows: decided({ decision: 'refuse', reasons: [UNDER_AGE] }) },
  ],
  ['ID, decision no longer applies', sendIdDecisionJob, {}],
  [
    'ID withdrawn',
    sendIdWithdrawnJob,
    {
      rows: {
        'from private.id_withdrawal w': {
          email: 'alex@example.com',
          name: 'Alex Citizen',
          reason: 'The photo was not of you.',
        },
      },
    },
  ],
  ['ID withdrawn, verified since', sendIdWithdrawnJob, {}],
  ['ID needed', sendIdNeededJob, { rows: raised() }],
  [
    'ID needed, without a name',
    sendIdNeededJob,
    { rows: raised({ name: null, raisedAt: new Date('2031-03-07T23:30:00Z') }) },
  ],
  ['ID needed, account deleted', sendIdNeededJob, { rows: raised({ email: null }) }],
  ['ID needed, decided since', sendIdNeededJob, {}],
  ['ID missing, to staff', sendIdMissingJob, { rows: { ...raised(), ...staff }, payload: { staff: PERSON } }],
  ['ID missing, to former staff', sendIdMissingJob, { rows: raised(), payload: { staff: PERSON } }],
  ['ID missing, decided since, to staff', sendIdMissingJob, { rows: staff, payload: { staff: PERSON } }],
  ['review waits', sendReviewWaitingJob, { rows: waiting(1, null) }],
  ['two reviews wait, with a session', sendReviewWaitingJob, { rows: waiting(2, START) }],
  ['no review waits', sendReviewWaitingJob, { rows: staff }],
  [
    'review waits, to former staff',
    sendReviewWaitingJob,
    { rows: { ...waiting(1, null), 'select u.email from auth.users u': null } },
  ],
  [
    'staff invitation',
    sendStaffInvitationJob,
    { rows: invitation(), payload: { expiresAt: '2031-03-08T00:00:00.000Z' } },
  ],
  [
    'staff invitation, of the service key',
    sendStaffInvitationJob,
    { rows: invitation({ inviter: null }), payload: { expiresAt: '2031-03-08T00:00:00.000Z' } },
  ],
  [
    'staff invitation, renewed since',
    sendStaffInvitationJob,
    { rows: invitation(), payload: { expiresAt: '2031-03-07T00:00:00.000Z' } },
  ],
  ['staff invitation, closed', sendStaffInvitationJob, { payload: { expiresAt: '2031-03-08T00:00:00.000Z' } }],
  ['second factor, by a day', sendSecondFactorDueJob, { rows: factor({}) }],
  ['second factor, now', sendSecondFactorDueJob, { rows: factor({ required: true }) }],
  ['second factor, now without a day', sendSecondFactorDueJob, { rows: factor({ due: null, required: true }) }],
  ['second factor, no longer needed', sendSecondFactorDueJob, { rows: factor({ due: null }) }],
  ['second factor, added since', sendSecondFactorDueJob, {}],
  [
    'message of staff',
    sendCustomerMessageJob,
    { rows: { 'from private.customer_message m': { email: 'alex@example.com', ...letter } } },
  ],
  ['message of staff, account deleted', sendCustomerMessageJob, {}],
  [
    'news',
    sendCampaignMailJob,
    { rows: step({ do: 'send', email: 'list@example.com', ...letter }), payload: { subscription: OTHER } },
  ],
  [
    'news, too early',
    sendCampaignMailJob,
    { rows: step({ do: 'wait', until: START }), payload: { subscription: OTHER } },
  ],
  ['news, skipped', sendCampaignMailJob, { rows: step({ do: 'skip' }), payload: { subscription: OTHER } }],
  ['news, done', sendCampaignMailJob, { rows: step({ do: 'nothing' }), payload: { subscription: OTHER } }],
  ['news, campaign gone', sendCampaignMailJob, { payload: { subscription: OTHER } }],
  [
    'test of news',
    sendCampaignTestJob,
    { rows: { 'select email from auth.users': { email: 'staff@example.com' } }, payload: letter },
  ],
  ['test of news, account deleted', sendCampaignTestJob, { payload: letter }],
  ['wait list, hours are held', sendWaitlistMailJob, { rows: entry('2031-03-01T00:15:00Z') }],
  ['wait list, hours are free, without a name', sendWaitlistMailJob, { rows: entry(null, null) }],
  ['wait list, claim ended', sendWaitlistMailJob, {}],
  ['alert', sendJobAlertJob, { rows: alerted(), payload: { to: 'owner@example.com', jobs: [JOB] } }],
  [
    'alert, given up',
    sendJobAlertJob,
    { rows: alerted({ closed: true, problem: null }), payload: { to: 'owner@example.com', jobs: [JOB] } },
  ],
  [
    'alert, without a booking',
    sendJobAlertJob,
    {
      rows: alerted({ booking_id: null, studio_id: null, studio_name: null }),
      payload: { to: 'owner@example.com', jobs: [JOB] },
    },
  ],
  ['alert, done since', sendJobAlertJob, { payload: { to: 'owner@example.com', jobs: [JOB] } }],
];
