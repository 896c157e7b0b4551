import * as accessCodes from '#server/mails/sessions/access-code.ts';
import * as afterSession from '#server/mails/sessions/after-session.ts';
import * as bookings from '#server/mails/booking.ts';
import * as codeHeld from '#server/mails/sessions/code-held.ts';
import * as documents from '#server/mails/document.ts';
import * as moves from '#server/mails/move.ts';
import * as reminders from '#server/mails/sessions/reminder.ts';
import * as waitlist from '#server/mails/waitlist.ts';
import {
  at,
  booking,
  BOOKING_PAGE,
  from,
  long,
  PAY_PAGE,
  PIN_PAGE,
  type Rendered,
  render,
  series,
  SITE,
} from './sample.ts';

const CODE = { releaseAt: at(-1 / 4), worksFrom: at(-1 / 12), held: false };
const TERMS_OF_CANCELLING = { freeHours: 24, now: at(-100) };
const BOOK = `${SITE}/booking?room=5c0e2b8d-7d3f-4d5a-8f0e-3b1a9c6d2e44&from=2026-12-05T22&hours=4`;
const TERMS = `${SITE}/terms`;
const links = { pin: PIN_PAGE, account: BOOKING_PAGE };
const both = { cardCents: 8_460, handCents: 2_000 };
const card = { cardCents: 21_150, handCents: 0 };
const none = { cardCents: 0, handCents: 0 };
const earlier = { studioName: 'Studio A', start: at(-26), end: at(-22) };
const pdf = { name: 'tax-invoice-HC-7KQ2MD.pdf', content: new Uint8Array() };
const code = { pin: '483920175', worksFrom: at(-1 / 12), worksUntil: at(4), singleUse: true, link: PIN_PAGE };
const report = {
  kind: 'lost' as const,
  studioName: 'Studio B',
  reference: 'HC-7KQ2MD',
  description: 'A black USB stick.\nIt was in the left player.',
  answer: 'It was still in the player.\n\nIt waits for you in the box at the entrance.',
  state: 'done' as const,
  outcome: 'found' as const,
};

/** Renders what customers get about their bookings. */
export const bookingMails = (): Rendered[] => [...paidMails(), ...movedMails(), ...sessionMails()];

const paidMails = (): Rendered[] => [
  ...render(bookings, {
    bookingConfirmedMail: {
      '': [booking, links, CODE, TERMS_OF_CANCELLING],
      'of a guest': [{ ...booking, firstName: null }, { ...links, account: null }, CODE, TERMS_OF_CANCELLING],
      'of a series': [series, links, CODE, TERMS_OF_CANCELLING],
      'with a held code': [booking, links, { ...CODE, held: true }, TERMS_OF_CANCELLING],
      long: [long, links, CODE, TERMS_OF_CANCELLING],
    },
    bookingCancelledMail: {
      '': [booking, { ...card, paid: true, page: BOOKING_PAGE }],
      'of a guest': [booking, { ...card, paid: true, page: null }],
      'paid in two ways': [booking, { ...both, paid: true, page: BOOKING_PAGE }],
      'without a refund': [booking, { ...none, paid: true, page: BOOKING_PAGE }],
      'of a series': [series, { ...card, paid: true, page: BOOKING_PAGE }],
      'because of the ID': [booking, { ...card, paid: true, page: BOOKING_PAGE }, true],
    },
    paymentLinkMail: {
      '': [booking, { pay: PAY_PAGE, until: at(-48), terms: TERMS }],
      long: [long, { pay: PAY_PAGE, until: at(-48), terms: TERMS }],
      'of a series': [series, { pay: PAY_PAGE, until: at(-48), terms: TERMS }],
    },
    linkExpiredMail: { '': [booking, BOOK] },
    refundMail: { '': [booking, card], 'in two ways': [booking, both] },
    paymentReturnedMail: { '': [booking, 21_150], 'of a series': [series, 169_200] },
    paymentProcessingMail: { '': [booking] },
    paymentFailedMail: { '': [booking, false, BOOK], 'too late': [booking, true, BOOK] },
  }),
  ...render(accessCodes, {
    accessCodeMail: {
      '': [booking, code],
      'for a whole session': [booking, { ...code, singleUse: false }],
      long: [long, { ...code, pin: '4839201756' }],
    },
  }),
  ...render(documents, {
    documentMail: {
      '': [booking, { note: null, registered: true }, BOOKING_PAGE, pdf],
      'of a refund': [booking, { note: { number: 214, cents: 8_460 }, registered: true }, BOOKING_PAGE, pdf],
      'of a guest': [{ ...booking, firstName: null }, { note: null, registered: false }, null, pdf],
    },
  }),
];

const movedMails = (): Rendered[] => [
  ...render(moves, {
    bookingMovedMail: {
      '': [booking, earlier, { paidCents: 2_000, back: none, pin: PIN_PAGE, pass: false, held: false }],
      'with a held code': [booking, earlier, { paidCents: 0, back: none, pin: PIN_PAGE, pass: false, held: true }],
      cheaper: [booking, earlier, { paidCents: 0, back: both, pin: PIN_PAGE, pass: false, held: false }],
      long: [long, earlier, { paidCents: 0, back: both, pin: PIN_PAGE, pass: true, held: false }],
    },
    moveLinkMail: { '': [booking, earlier, { cents: 2_000, pay: PAY_PAGE, until: at(-48), terms: TERMS }] },
    moveEndedMail: {
      '': [booking, earlier, 'expired'],
      'payment failed': [booking, earlier, 'failed'],
      withdrawn: [booking, earlier, 'withdrawn'],
    },
    moveProcessingMail: { '': [booking, earlier, 2_000] },
    movePaymentReturnedMail: { '': [booking, earlier, 2_000, true], cancelled: [booking, earlier, 2_000, false] },
    linkExpiredStaffMail: {
      '': [booking, { moves: null, cents: 21_150, panel: `${SITE}/admin?tab=bookings&booking=HC-7KQ2MD` }],
      'of a move': [booking, { moves: earlier, cents: 2_000, panel: `${SITE}/admin?tab=bookings&booking=HC-7KQ2MD` }],
    },
  }),
];

const sessionMails = (): Rendered[] => [
  ...render(reminders, {
    reminderMail: {
      '': [booking, links, CODE],
      'of a guest': [{ ...booking, firstName: null }, { ...links, account: null }, CODE],
      long: [long, links, CODE],
      'with a held code': [booking, links, { ...CODE, held: true }],
    },
    reminderTextMessage: {
      '': [booking, `${SITE}/bookings`, false],
      'with a held code': [booking, `${SITE}/bookings`, true],
    },
  }),
  ...render(codeHeld, {
    codeHeldMail: {
      '': [{ ...booking, from: { ...from, phone: '02 5550 1234' } }, PIN_PAGE],
      'without a phone': [{ ...booking, firstName: null }, PIN_PAGE],
      long: [long, PIN_PAGE],
    },
    codeHeldStaffMail: { '': [from, booking, SITE] },
  }),
  ...render(waitlist, {
    waitlistMail: {
      '': [from, { ...earlier, until: at(-71.75) }, 'Olive', { book: BOOK, entries: `${SITE}/waitlist` }],
      'without a name': [from, { ...earlier, until: at(-71.75) }, null, { book: BOOK, entries: `${SITE}/waitlist` }],
    },
    freeHoursMail: { '': [from, earlier, 'Olive', BOOK] },
  }),
  ...render(afterSession, {
    thanksMail: {
      '': [booking, { page: BOOKING_PAGE, again: BOOK, account: `${SITE}/profile` }],
      long: [long, { page: BOOKING_PAGE, again: BOOK, account: `${SITE}/profile` }],
    },
    incidentAnswerMail: {
      '': [from, report, 'Olive', BOOKING_PAGE],
      'about a problem': [
        from,
        { ...report, kind: 'problem', outcome: null, answer: 'We changed the cable. Thanks for telling us.' },
        null,
        BOOKING_PAGE,
      ],
    },
  }),
];
