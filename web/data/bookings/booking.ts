import type { z } from 'zod';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import type { BasePrice } from '#rules/pricing.ts';
import type { bookingFields } from './booking-fields.ts';

/**
 * The model of a booking in the browser. Instants are `Date` values and money is whole cents. Everything that shows a booking takes fields
 * of these types. Function calls answer with fields of these names, which the schema parses. Rows of `/rest` have columns, which `parseRow`
 * parses. This module must not load zod, because the booking page does not.
 */
export type Booking = Readonly<z.output<z.ZodObject<typeof bookingFields>>>;

type Hours = Pick<Booking, 'studioName' | 'startTime' | 'endTime'>;

/** A booking of the signed-in customer, or an unpaid hold. */
export type OwnBooking = Pick<
  Booking,
  | 'id'
  | 'reference'
  | 'studioId'
  | 'studioName'
  | 'startTime'
  | 'endTime'
  | 'status'
  | 'holdExpiresAt'
  | 'createdAt'
  | 'freeCancelHours'
  | 'termsStart'
  | 'totalHours'
  | 'baseCents'
  | 'discountCents'
  | 'couponCode'
  | 'finalCents'
> & {
  /** The coupon with the terms that it had when it was applied to the booking. */
  readonly coupon: CouponTerms | null;
  /** The hours of an unpaid hold with the prices at which it was made; null for other bookings. */
  readonly slots: BasePrice['slots'] | null;
  /** Null if nothing had to be paid, or if the payment is unknown. */
  readonly payment: { readonly state: string; readonly refundedCents: number } | null;
  /** A move that awaits payment: the new hours are held until `until`, and the difference of `cents` has to be paid by then. */
  readonly move: (Hours & { readonly cents: number; readonly until: Date }) | null;
  /** Null for a single booking. */
  readonly series: Series | null;
};

/** A booking as staff see it, with its customer and the state of its door. */
export type StaffBooking = Booking & {
  /** The account of the customer; null if staff booked for a person without one. */
  readonly userId: string | null;
  readonly customer: { readonly name: string | null; readonly email: string | null; readonly phone: string | null };
  /** The first names of the guests. */
  readonly crew: readonly string[];
  /** When each step of the access code happened; null if it has not happened yet. `due`: when the code is requested from the lock. */
  readonly code: Readonly<Record<'due' | 'requested' | 'accepted' | 'mailed' | 'seen' | 'used', Date | null>>;
  /** Whether staff made it to test something. */
  readonly isTest: boolean;
};

/** Bookings that were made and are paid together, earliest first. */
export type Series = {
  /** The id of the first booking, which also identifies the payment. */
  readonly id: string;
  /** How many bookings the series has, including those that are not listed. */
  readonly size: number;
  readonly bookings: readonly SeriesBooking[];
};
/** A booking of a series. `place` is 1 for the first one. */
export type SeriesBooking = Pick<Booking, 'id' | 'reference' | 'startTime' | 'endTime' | 'status' | 'finalCents'> & {
  readonly place: number;
};

/** Maps columns in dollars to fields in cents. */
const AMOUNTS = {
  base_cost: 'baseCents',
  volume_discount: 'discountCents',
  final_cost: 'finalCents',
  refunded: 'refundedCents',
} as const;
/** Matches the columns that hold instants. */
const INSTANT = /(_time|_at|_start|^until)$/;

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
type FieldFor<Column extends string> = Column extends keyof typeof AMOUNTS
  ? (typeof AMOUNTS)[Column]
  : CamelCase<Column>;
type Parsed<Row> = {
  readonly [Column in keyof Row & string as FieldFor<Column>]: FieldFor<Column> extends keyof Booking
    ? Booking[FieldFor<Column>] | Extract<Row[Column], null>
    : Column extends `until` | `${string}_${'time' | 'at' | 'start'}`
      ? Date | Extract<Row[Column], null>
      : Row[Column];
};

/**
 * Parses a row of `/rest` about a booking: renames its columns to the fields of the model, and parses instants and amounts. Other columns
 * keep their values.
 */
export function parseRow<Row extends object>(row: Row): Parsed<Row> {
  const fields = Object.entries(row).map(([column, value]: [string, unknown]) =>
    column in AMOUNTS && typeof value === 'number'
      ? [AMOUNTS[column as keyof typeof AMOUNTS], Math.round(value * 100)]
      : [
          column.replaceAll(/_./g, (part) => part.charAt(1).toUpperCase()),
          typeof value === 'string' && INSTANT.test(column) ? new Date(value) : value,
        ],
  );
  // Cast: the names and values are those of the type. The database has no other status.
  return Object.fromEntries(fields) as Parsed<Row>;
}
