import type { BusinessSettings } from '#rules/business/business.ts';
import { formatStudioDate, formatStudioTime, studioDate } from '#rules/studio-time.ts';
import type { Transaction } from '#server/db/database.ts';
import type { WalletPass, Wallets } from '#server/providers/ports.ts';
import { type BookingFacts, type BookingJson, toBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/** The pass of a booking with its contents, read at one moment. `version` counts the changes of the booking since the first pass. */
export type PassRow = {
  readonly booking: BookingFacts;
  readonly business: BusinessSettings;
  readonly version: number;
  readonly changedAt: Date;
};

/** Reads the pass of a booking. Null if none was created, or its data has been deleted. */
export async function readPass({ db }: Services, bookingId: string): Promise<PassRow | null> {
  const row = await db.queryRow<Omit<PassRow, 'booking'> & { readonly booking: BookingJson }>(
    `select private.booking_json(b) as booking, private.business_settings() as business, w.version, w.changed_at as "changedAt"
     from private.wallet_pass w join private.booking b on b.id = w.booking_id where w.booking_id = $1::uuid`,
    [bookingId],
  );
  return row && { ...row, booking: toBooking(row.booking) };
}

/** Stores that a pass was created, in a transaction that has locked the booking. From then on, changes of the booking renew the pass. */
export async function storePass(
  tx: Transaction,
  { bookingId, kind, now }: { readonly bookingId: string; readonly kind: 'apple' | 'google'; readonly now: Date },
): Promise<void> {
  const column = `${kind}_at`;
  await tx.query(
    `insert into private.wallet_pass as w (booking_id, ${column}) values ($1::uuid, $2::timestamptz)
     on conflict (booking_id) do update set ${column} = coalesce(w.${column}, excluded.${column})`,
    [bookingId, now],
  );
}

/** Builds the contents of a pass. A cancelled booking keeps its day, so that people can tell which one it was. */
export function describePass({ booking, business }: PassRow, siteUrl: string): WalletPass {
  const { startTime: start, endTime: end } = booking;
  const cancelled = booking.status !== 'confirmed';
  const day = (at: Date): string => formatStudioDate(at, 'medium');
  const nextDay = studioDate(start) === studioDate(end) ? '' : ` (${day(end)})`;
  return {
    id: booking.id,
    cancelled,
    business: business.name,
    room: booking.studioName,
    reference: booking.reference,
    day: day(start),
    hours: cancelled ? 'Cancelled' : `${formatStudioTime(start)} to ${formatStudioTime(end)}${nextDay}`,
    start,
    end,
    address: business.address,
    note: 'It changes with your booking when your phone is online. Your access code is on your booking’s page only.',
    url: `${siteUrl}/bookings/${booking.reference}`,
  };
}

/** Returns the maker of passes for Apple Wallet. Throws `Refusal` if it is not available now. */
export function requireApple({ apple }: Wallets, now: Date): NonNullable<Wallets['apple']> {
  if (apple?.worksAt(now) !== true) throw notOffered('Apple');
  return apple;
}

export const notOffered = (name: string): Refusal =>
  new Refusal('not_configured', `We can’t make passes for ${name} Wallet at the moment.`);
