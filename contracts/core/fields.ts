import { z } from 'zod';
import { SERIES_MAX, SERIES_MIN } from '#rules/finding/series.ts';
import { phoneSchema, storedPhone } from '#rules/people.ts';

/** Fields of bodies and answers that several calls share. */

/** The body of a call without parameters. Anything that is sent is ignored. */
export const noBody = z.preprocess((_body: Record<string, never>) => ({}), z.strictObject({}));

export const bookingIdField = z.uuid();
/** An instant in a body, with any offset. The server reads it as a `Date`. */
export const instantField = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
/** A span of hours in a room. */
export const spanFields = { studioId: bookingIdField, startTime: instantField, endTime: instantField };
/** An instant in an answer: ISO 8601 in UTC. */
export const instantText = z.iso.datetime();
/** An instant in an answer, in the format of the database: ISO 8601 with an offset. */
export const storedInstantText = z.iso.datetime({ offset: true });

/** A phone number for a booking, checked by the rule of the form and formatted for storage. An empty text means no number. */
export const phoneField = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : text))
  .pipe(phoneSchema.transform(storedPhone).nullable())
  .nullish();

/** A saved card, as `saved-cards` lists it. */
export const cardField = z.string().regex(/^pm_\w{1,100}$/, 'Not a saved card.');
/** The Sydney dates of a series, 'YYYY-MM-DD'. */
export const datesField = z.array(z.iso.date()).min(SERIES_MIN).max(SERIES_MAX);
/** The Sydney dates on which the same hours are booked as one series. The first date comes first. */
export const seriesField = z
  .looseObject({ dates: datesField })
  .transform(({ dates }) => dates)
  .nullish()
  .transform((dates) => dates ?? null);

/** Distinguishes a repeated call from a second, identical one. */
export const requestIdField = z.string().trim().min(1).max(100).nullable().default(null);
/** Proof that the account belongs to the caller, which is required if the session is older. */
export const proofFields = {
  currentPassword: z.string().max(1_024).nullable().default(null),
  nonce: z.string().max(64).nullable().default(null),
};
/** The reason for a staff action, for the audit log. */
export const reasonField = z.string().trim().min(1).max(500);

/** Cents, never negative. */
export const centsField = z.int().nonnegative();
/** In an answer: true if staff have to pay the money back themselves, because it was not paid through the provider. */
export const byHandField = z.literal(true).optional();
/** In an answer: the action that staff can undo with `staff-undo`, and the time until which they can. */
export const undoField = z.strictObject({ id: z.uuid(), until: instantText }).optional();
