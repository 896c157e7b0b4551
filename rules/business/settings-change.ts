// Separate from business.ts, so that pages can show the business without loading zod.
import { z } from 'zod';

const hasControls = (text: string): boolean =>
  Array.from(text).some((character) => character < ' ' || character === '\u007f');
/** A text on one line. Limits are those of `private.are_business_settings()`. */
const line = (min: number, max: number, needed = 'This is needed.') =>
  z
    .string()
    .trim()
    .min(min, needed)
    .max(max, `Use at most ${max} characters.`)
    .refine((text) => !hasControls(text), 'Use one line.');
const lines = (min: number, max: number, needed = 'This is needed.') =>
  z
    .string()
    .transform((text) => text.replaceAll(/\r\n?/g, '\n').trim())
    .pipe(
      z
        .string()
        .min(min, needed)
        .max(max, `Use at most ${max} characters.`)
        .refine((text) => !hasControls(text.replaceAll('\n', '')), 'Use only text.'),
    );
/** The most days ahead for which staff can open bookings. */
export const HORIZON_DAYS_MAX = 365;

const whole = (min: number, max: number) =>
  z.int('Enter a whole number.').min(min, `At least ${min}.`).max(max, `At most ${max}.`);
/** The articles of the terms or of the privacy page. */
export const articlesSchema = z
  .array(
    z.strictObject({ title: line(1, 80, 'Every part needs a title.'), text: lines(1, 5000, 'Every part needs text.') }),
  )
  .min(1, 'The page needs at least one part.')
  .max(40, 'Use at most 40 parts.');

/** Whether eleven digits are a valid Australian Business Number: https://abr.business.gov.au/Help/AbnFormat */
export function isAbn(digits: string): boolean {
  const weights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
  const sum = Array.from(digits).reduce(
    (total, digit, at) => total + (Number(digit) - (at === 0 ? 1 : 0)) * (weights[at] ?? 0),
    0,
  );
  return /^\d{11}$/.test(digits) && sum % 89 === 0;
}

/** All settings that staff can change. The version of the terms follows their text automatically. */
const settingsSchema = z.strictObject({
  name: line(2, 60),
  legalName: line(2, 120),
  abn: z
    .string()
    .transform((text) => text.replaceAll(' ', ''))
    .refine((digits) => digits === '' || isAbn(digits), 'This is not an ABN.'),
  address: line(2, 200),
  directions: lines(0, 1000),
  directionsPhoto: z
    .string()
    .regex(/^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))?$/, 'Upload the photo first.'),
  directionsPhotoText: line(0, 200),
  phone: line(0, 30).refine((text) => /^(\+?[\d ()]{6,})?$/.test(text), 'Enter a phone number.'),
  email: z.email('Enter an email address.').max(254),
  instagram: z
    .string()
    .trim()
    .transform((text) => (text === '' || text.startsWith('@') ? text : `@${text}`))
    .refine((text) => /^(@[A-Za-z0-9._]{1,30})?$/.test(text), 'Enter the name of the account.'),
  arrivalNotes: lines(0, 1000),
  notice: line(0, 300),
  holdMinutes: whole(5, 30),
  horizonDays: whole(1, HORIZON_DAYS_MAX),
  freeCancelHours: whole(0, 336),
  maxLiveHolds: whole(1, 20),
  holdsPerHour: whole(1, 100),
  maxUnpaidHours: whole(1, 1000),
  maxUnpaidHoursOfBooking: whole(1, 24),
  salesAccount: line(1, 10).refine((text) => /^[A-Za-z0-9.-]+$/.test(text), 'Use letters, digits, dots and dashes.'),
  terms: articlesSchema,
  privacy: articlesSchema,
});

const typed = (number: z.ZodType<number, number>) =>
  z
    .string()
    .trim()
    .transform((text) => (text === '' ? Number.NaN : Number(text)))
    .pipe(number);

/** The settings of the details form, which has all settings but the texts of pages. Numbers are parsed from typed text. */
export const detailsFormSchema = settingsSchema.omit({ terms: true, privacy: true }).extend({
  holdMinutes: typed(settingsSchema.shape.holdMinutes),
  horizonDays: typed(settingsSchema.shape.horizonDays),
  freeCancelHours: typed(settingsSchema.shape.freeCancelHours),
  maxLiveHolds: typed(settingsSchema.shape.maxLiveHolds),
  holdsPerHour: typed(settingsSchema.shape.holdsPerHour),
  maxUnpaidHours: typed(settingsSchema.shape.maxUnpaidHours),
  maxUnpaidHoursOfBooking: typed(settingsSchema.shape.maxUnpaidHoursOfBooking),
});

/** A change of settings: only the given keys change. */
export const settingsChangeSchema = settingsSchema
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'Name at least one setting.');
export type SettingsChange = z.infer<typeof settingsChangeSchema>;
