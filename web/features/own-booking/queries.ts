import { z } from 'zod';
import { bookingFields, instant, maybeInstant } from '#web/data/bookings/booking-fields.ts';
import { type CallAnswer, type CallBody, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';

const bookingSchema = z.object({
  ...bookingFields,
  /** The code is withheld until staff have talked to the customer. */
  codeHeld: z.boolean(),
  /** The booking has a payment that takes the bank several days. */
  processing: z.boolean(),
  payments: z.array(z.object({ cents: z.number(), at: instant, forMove: z.boolean(), online: z.boolean() })),
  /** Refunds that were paid. */
  refunds: z.array(z.object({ cents: z.number(), at: instant })),
  /** Refunds that were decided but have not arrived yet. */
  refundingCents: z.number(),
  documents: z.array(
    z.object({ number: z.number(), kind: z.enum(['invoice', 'adjustment']), cents: z.number(), at: instant }),
  ),
  code: z.object({ accepted: maybeInstant, mailed: maybeInstant }),
  /** When the codes of the booking opened the door. */
  openings: z.array(instant),
  /** The previous hours, for each move. */
  moves: z.array(
    z.object({
      studioName: z.string(),
      startTime: instant,
      endTime: instant,
      differenceCents: z.number(),
      at: instant,
    }),
  ),
  /** New hours that are held until the difference is paid; null if there are none. */
  waiting: z
    .object({
      holdId: z.string(),
      studioId: z.string(),
      studioName: z.string(),
      startTime: instant,
      endTime: instant,
      cents: z.number(),
      until: instant,
      url: z.string().nullable(),
    })
    .nullable(),
});
/** A booking as its customer sees it. Amounts are in cents. */
export type BookingPage = z.output<typeof bookingSchema>;

/** Reads the customer's booking with this id or reference. Null if it does not exist. */
export async function readOwnBooking(key: string): Promise<BookingPage | null> {
  const { data, error } = await rest.rpc('own_booking', { booking: key });
  if (error) throw error;
  return data === null ? null : bookingSchema.parse(data);
}

/** A change of a booking: other hours, or only a later end (`more` hours after the end on the screen). */
export type Change =
  | { readonly kind: 'move'; readonly studioId: string; readonly start: Date; readonly end: Date }
  | { readonly kind: 'extend'; readonly more: number; readonly from: Date };

/** The price of a change, before or after it was made. */
export type ChangeAnswer = CallAnswer<'reschedule-booking'>;
type ChangeOptions = Pick<CallBody<'reschedule-booking'>, 'preview' | 'differenceCents' | 'card'>;

const callChange = (bookingId: string, change: Change, options: ChangeOptions): Promise<ChangeAnswer> =>
  change.kind === 'extend'
    ? callFunction('extend-booking', {
        bookingId,
        hours: change.more,
        from: change.from.toISOString(),
        ...options,
      })
    : callFunction('reschedule-booking', {
        bookingId,
        studioId: change.studioId,
        startTime: change.start.toISOString(),
        endTime: change.end.toISOString(),
        ...options,
      });

/** Requests the price of a change. Throws `AppError`. */
export const quoteChange = (bookingId: string, change: Change): Promise<ChangeAnswer> =>
  callChange(bookingId, change, { preview: true });

/** Makes a change at the difference on the screen. `card`: the saved card that pays at once, or null for the pay page. Throws `AppError`. */
export function makeChange(
  bookingId: string,
  change: Change,
  { differenceCents, card }: { differenceCents: number; card: string | null },
): Promise<ChangeAnswer> {
  return callChange(bookingId, change, { differenceCents, ...(card === null ? {} : { card }) });
}

/** Reads the documents of a booking as one file. Throws `AppError`. */
export function readReceipt(bookingId: string, format: 'html' | 'pdf'): Promise<CallAnswer<'booking-document'>> {
  return callFunction('booking-document', { bookingId, format });
}

/** Reads the calendar entry of a booking, as an .ics file. Throws `AppError`. */
export function readCalendarFile(bookingId: string): Promise<CallAnswer<'booking-document'>> {
  return callFunction('booking-document', { bookingId, format: 'ics' });
}
