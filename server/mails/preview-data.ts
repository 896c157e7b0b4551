import { firstBusiness } from '#rules/business/first-settings.ts';
import type { BookingForMail } from './booking-parts.ts';

/**
 * The previews of a template. Each template has a property `previews`: a function that takes the data below and returns the arguments of
 * the template for each variant of the mail. The standard variant is named ''. tools/mails renders all of them. The server imports only the
 * types of this file and never calls these functions.
 */
export type Previews<Template extends (...given: never[]) => unknown> = Readonly<
  Record<string, Readonly<Parameters<Template>>>
>;

const SITE = 'https://studios.example';
const HOUR = 3_600_000;
const SATURDAY = Date.parse('2026-11-28T11:00:00Z');
/** Returns the instant the given number of hours after the start of the session. */
const at = (hours: number): Date => new Date(SATURDAY + hours * HOUR);

const from = {
  ...firstBusiness,
  address: '12 Meagher Street, Chippendale NSW 2008',
  email: 'hello@studios.example',
};

const booking: BookingForMail = {
  id: '8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e55',
  reference: '7KQM-4TXR',
  studioName: 'Studio B',
  start: at(0),
  end: at(4),
  hours: 4,
  baseCents: 27_600,
  discountCents: 4_100,
  couponDiscountCents: 2_350,
  waivedCents: 0,
  moves: 0,
  totalCents: 21_150,
  firstName: 'Olive',
  from,
  picture: `${SITE}/rooms/mail/b.jpg`,
  arrivalNotes:
    'The entrance is the black door next to the bakery.\nThe lift needs no key; Studio B is on the second floor.',
};

/** A booking whose name, room, address and amounts have the maximum length. */
const long: BookingForMail = {
  ...booking,
  studioName: 'The Big Room Upstairs with the Turntables and the Window to the Street',
  firstName: 'Maximiliana-Wilhelmina Konstantinopolidou-Papadimitriou',
  waivedCents: 1_000,
  totalCents: 1_234_567,
  from: {
    ...from,
    name: 'The Inner West Society for Turntables, Mixers and Everything Else',
    address: 'Unit 1204, Level 12, 1000–1020 Old South Head and Parramatta Road, Woolloomooloo NSW 2011',
    email: `bookings.and.everything.else@${'turntables'.repeat(5)}.studios.example`,
  },
  arrivalNotes: `Directions: https://maps.example/${'directions-'.repeat(12)}`,
};

/** A series of eight weeks. */
const series: BookingForMail = {
  ...booking,
  hours: 32,
  totalCents: 169_200,
  baseCents: 220_800,
  discountCents: 32_800,
  couponDiscountCents: 18_800,
  others: [1, 2, 3, 4, 5, 6, 7].map((week) => ({
    ...booking,
    id: `8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e5${week}`,
    reference: `7KQM-4TX${week + 1}`,
    start: at(week * 168),
    end: at(week * 168 + 4),
  })),
};

const token = `token_hash=pkce_${'4f8c'.repeat(14)}`;

/** Realistic data for the previews. */
export const previewData = {
  from,
  at,
  booking,
  long,
  series,
  guestBooking: { ...booking, firstName: null },
  /** Hours in another room on the day before. */
  earlier: { studioName: 'Studio A', start: at(-26), end: at(-22) },
  /** The access code of the session, before it is mailed. */
  code: { releaseAt: at(-1 / 4), worksFrom: at(-1 / 12), held: false },
  /** The amounts refunded of a payment. */
  back: {
    card: { cardCents: 21_150, handCents: 0 },
    both: { cardCents: 8_460, handCents: 2_000 },
    none: { cardCents: 0, handCents: 0 },
  },
  idReasons: ['The name on the ID is not the name of the account.', 'The photo is too dark to read the date of birth.'],
  site: SITE,
  pages: {
    /** A signed link of the maximum length. */
    pin: `${SITE}/regenerate-pin?booking_id=8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e55&token=${'Zk3-'.repeat(24)}`,
    pay: `https://checkout.example/c/pay/cs_live_${'a1B2c3'.repeat(30)}`,
    booking: `${SITE}/bookings/7KQM-4TXR`,
    book: `${SITE}/booking?room=5c0e2b8d-7d3f-4d5a-8f0e-3b1a9c6d2e44&from=2026-12-05T22&hours=4`,
    terms: `${SITE}/terms`,
    profile: `${SITE}/profile`,
    auth: `${SITE}/auth`,
  },
  /** The mails to accounts that confirm an address, reset a password, and undo a change. */
  confirm: { code: '402917', minutes: 60, href: `${SITE}/email-verified?${token}&type=signup` },
  reset: { code: '402917', minutes: 60, href: `${SITE}/auth?reset=true&${token}&type=recovery` },
  undo: `${SITE}/undo-email?${token}`,
};
export type PreviewData = typeof previewData;
