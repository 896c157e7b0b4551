import { firstBusiness } from '#rules/business/first-settings.ts';
import type { BookingForMail } from '#server/mails/booking-parts.ts';
import type { Mail } from '#server/mails/layout.ts';

type Template = `${string}${'Mail' | 'TextMessage'}`;

/** The arguments of each template of a module, by the name of the case: a template without a sample does not compile. */
export type SamplesOf<Module> = {
  readonly [Name in keyof Module as Name extends Template ? Name : never]: Module[Name] extends (
    ...given: infer Given
  ) => unknown
    ? Readonly<Record<string, Readonly<Given>>>
    : never;
};

/** A mail, or a text message, with the name of its template and case. */
export type Rendered = { readonly template: string; readonly name: string; readonly message: Mail | string };

/** Renders the samples of a module of templates. */
export function render<Module extends object>(module: Module, samples: SamplesOf<Module>): Rendered[] {
  // SamplesOf has compared the arguments with the templates.
  const templates = module as Readonly<Record<string, (...given: readonly unknown[]) => Mail | string>>;
  const cases = samples as Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
  return Object.entries(cases).flatMap(([template, each]) =>
    Object.entries(each).map(([name, given]) => ({
      template,
      name: name === '' ? template : `${template}, ${name}`,
      message: templates[template]?.(...given) ?? '',
    })),
  );
}

export const SITE = 'https://studios.example';
/** A signed link as long as they get. */
export const PIN_PAGE = `${SITE}/regenerate-pin?booking_id=8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e55&token=${'Zk3-'.repeat(24)}`;
export const BOOKING_PAGE = `${SITE}/bookings/HC-7KQ2MD`;
export const PAY_PAGE = `https://checkout.example/c/pay/cs_live_${'a1B2c3'.repeat(30)}`;

export const from = {
  ...firstBusiness,
  address: '12 Meagher Street, Chippendale NSW 2008',
  email: 'hello@studios.example',
};

const HOUR = 3_600_000;
const SATURDAY = Date.parse('2026-11-28T11:00:00Z');
export const at = (hours: number): Date => new Date(SATURDAY + hours * HOUR);

export const booking: BookingForMail = {
  id: '8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e55',
  reference: 'HC-7KQ2MD',
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
    'The entrance is the black door beside the bakery.\nThe lift needs no key; Studio B is on the second floor.',
};

/** A name, a room, an address and amounts as long as they get. */
export const long: BookingForMail = {
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

/** An order of eight weeks. */
export const series: BookingForMail = {
  ...booking,
  hours: 32,
  totalCents: 169_200,
  baseCents: 220_800,
  discountCents: 32_800,
  couponDiscountCents: 18_800,
  others: [1, 2, 3, 4, 5, 6, 7].map((week) => ({
    ...booking,
    id: `8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e5${week}`,
    reference: `HC-7KQ2N${week}`,
    start: at(week * 168),
    end: at(week * 168 + 4),
  })),
};
