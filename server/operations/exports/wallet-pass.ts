import type { BusinessSettings } from '#rules/business/business.ts';
import { formatStudioDate, formatStudioTime, studioDate } from '#rules/studio-time.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { WalletPass, Wallets } from '#server/providers/ports.ts';
import type { BookingContext } from '../bookings/context.ts';
import { type BookingFacts, readBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';

/** The kinds of wallets. */
export const WALLET_KINDS = ['apple', 'google'] as const;
type WalletKind = (typeof WALLET_KINDS)[number];
/** What passes of bookings need. */
export type WalletContext = Pick<BookingContext, 'db' | 'clock' | 'settings'> & {
  readonly wallets: Wallets;
  readonly links: LinkSigner;
};

/** The purpose of the signed link to a pass file. */
const FILE_LINK = 'wallet-file';
/** A phone opens the link at once. */
const FILE_MINUTES = 10;

/**
 * Returns where the customer gets the pass of an own booking: at Google, or as a file from us, whose link works for ten minutes. Throws `Refusal`:
 * `not_configured`, `not_found`, `not_confirmed`, `session_ended`.
 */
export async function linkToPass(
  context: WalletContext,
  { userId, bookingId, kind }: { userId: string; bookingId: string; kind: WalletKind },
): Promise<string> {
  const { clock, links, settings, wallets } = context;
  const now = clock();
  const { google } = wallets;
  if (kind === 'apple') requireApple(wallets, now);
  else if (google === null) throw notOffered('Google');
  const booking = await readBooking(context.db, bookingId);
  if (booking === null || booking.userId !== userId) throw new Refusal('not_found', 'Booking not found');
  const pass = await describePass(context, booking);
  if (kind === 'google' && google !== null) return google.saveUrl(pass, settings.siteUrl, now);
  const until = new Date(now.getTime() + FILE_MINUTES * 60_000);
  return `${settings.siteUrl}/functions/v1/wallet-file?token=${links.sign(FILE_LINK, booking.id, until)}`;
}

/** Returns the .pkpass file of a link. Throws `Refusal` as `linkToPass`; `not_found` for a link that is forged or over. */
export async function readPassFile(context: WalletContext, token: string): Promise<{ file: Buffer; name: string }> {
  const now = context.clock();
  const apple = requireApple(context.wallets, now);
  const id = context.links.read(FILE_LINK, token, now);
  const booking = id === null ? null : await readBooking(context.db, id);
  if (booking === null)
    throw new Refusal('not_found', 'This link has expired. Open your booking and add the pass again.');
  return {
    file: await apple.make(await describePass(context, booking), now),
    name: `${booking.reference}.pkpass`,
  };
}

function requireApple({ apple }: Wallets, now: Date): NonNullable<Wallets['apple']> {
  if (apple?.worksAt(now) !== true) throw notOffered('Apple');
  return apple;
}

const notOffered = (name: string): Refusal =>
  new Refusal('not_configured', `We can’t make passes for ${name} Wallet at the moment.`);

/** Describes the booking as it is now. Throws `Refusal` unless it is confirmed and not over. */
async function describePass({ db, clock, settings }: WalletContext, booking: BookingFacts): Promise<WalletPass> {
  if (booking.status !== 'confirmed')
    throw new Refusal('not_confirmed', 'Only a confirmed booking can be in your wallet.');
  const [start, end] = [new Date(booking.startTime), new Date(booking.endTime)];
  if (end <= clock()) throw new Refusal('session_ended', 'This session is over.');
  const row = await db.one<{ business: BusinessSettings }>('select private.business_settings() as business');
  if (row === null) throw new Error('there are no settings');
  const day = (at: Date): string => formatStudioDate(at, 'medium');
  return {
    id: booking.id,
    version: booking.moves,
    business: row.business.name,
    room: booking.studioName,
    reference: booking.reference,
    day: day(start),
    hours: `${formatStudioTime(start)} to ${formatStudioTime(end)}${studioDate(start) === studioDate(end) ? '' : ` (${day(end)})`}`,
    start,
    end,
    address: row.business.address,
    note: 'Moved your booking? This pass doesn’t follow: add the new one. Your access code is on your booking’s page only.',
    url: `${settings.siteUrl}/bookings/${booking.reference}`,
  };
}
