import type { WalletKind } from '#contracts/wallet/wallet-pass.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { describePass, notOffered, readPass, requireApple, storePass } from './pass-rows.ts';
import { makeApplePass, passToken } from './pass-phones.ts';
import type { Services } from '../core/services.ts';

/** Purpose of the signed link to a pass file. */
const FILE_LINK = 'wallet-file';
/** Short, because a phone opens the link immediately. */
const FILE_MINUTES = 10;

/**
 * Returns the URL at which the customer gets the pass of their own booking: at Google, or as a file from us with a link that works for ten
 * minutes. From then on the pass follows changes of the booking. Throws `Refusal`: `not_configured`, `not_found`, `not_confirmed`,
 * `session_ended`.
 */
export async function linkToPass(
  services: Services,
  { userId, bookingId, kind }: { userId: string; bookingId: string; kind: WalletKind },
): Promise<string> {
  const { clock, db, links, siteUrl, wallets } = services;
  const now = clock();
  const { google } = wallets;
  if (kind === 'apple') requireApple(wallets, now);
  else if (google === null) throw notOffered('Google');
  await db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    if (booking?.userId !== userId) throw new Refusal('not_found', 'Booking not found');
    requireAhead(booking, now);
    await storePass(tx, { bookingId, kind, now });
  });
  if (kind === 'google' && google !== null) {
    const row = await readPass(services, bookingId);
    if (row === null) throw new Refusal('not_found', 'Booking not found');
    return google.saveUrl(describePass(row, siteUrl), siteUrl, now);
  }
  const until = new Date(now.getTime() + FILE_MINUTES * 60_000);
  return `${siteUrl}/functions/v1/wallet-file?token=${links.sign(FILE_LINK, bookingId, until)}`;
}

/** Returns the .pkpass file of a link. Throws `Refusal` as `linkToPass`; `not_found` for a forged or expired link. */
export async function readPassFile(services: Services, token: string): Promise<{ file: Buffer; name: string }> {
  const now = services.clock();
  requireApple(services.wallets, now);
  const id = services.links.read(FILE_LINK, token, now);
  const row = id === null ? null : await readPass(services, id);
  if (row === null) throw new Refusal('not_found', 'This link has expired. Open your booking and add the pass again.');
  requireAhead(row.booking, now);
  return {
    file: await makeApplePass(services, row, passToken(services, row.booking.id)),
    name: `${row.booking.reference}.pkpass`,
  };
}

/** Throws `Refusal` unless the booking is confirmed and has not ended. */
function requireAhead({ status, endTime }: BookingFacts, now: Date): void {
  if (status !== 'confirmed') throw new Refusal('not_confirmed', 'Only a confirmed booking can be in your wallet.');
  if (endTime <= now) throw new Refusal('session_ended', 'This session is over.');
}
