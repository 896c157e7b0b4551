import type { BusinessSettings } from '#rules/business/business.ts';
import { mailPicture } from '#rules/business/room-picture.ts';
import type { Database, Queryable } from '#server/db/database.ts';
import { asSeries, type BookingForMail, type MailWithCalendar } from '#server/mails/booking-parts.ts';
import type { Hours } from '#server/mails/move.ts';
import { readContact } from '../core/booking-contact.ts';
import { type BookingFacts, readBooking, readSeries } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import type { Job } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

/** The purpose of the signed link to a booking's code page. */
export const PIN_LINK = 'pin-page';

/**
 * Sends a mail about the job's booking, or for a hold of new hours about the booking that moves. Sends nothing if there is no recipient or
 * `compose` returns null. Recipient and content are read at the time of sending, so that the mail is never outdated.
 */
export async function sendBookingMail(
  { db, mail, business, siteUrl }: Services,
  job: Job,
  compose: (booking: BookingForMail, facts: BookingFacts, to: string) => Promise<MailWithCalendar | null>,
): Promise<void> {
  const facts = await readBooking(db, job.subjectId);
  const booking = facts?.movesBooking ? await readBooking(db, facts.movesBooking) : facts;
  const to = booking ? await readContact(db, booking) : null;
  if (!facts || !booking || !to) return;
  const picture = await pictureOfRoom(db, booking.studioId, siteUrl);
  const message = await compose({ ...forMail(booking, to.firstName, business()), picture }, facts, to.email);
  if (!message) return;
  failpoint(`mail.before.${job.kind}`);
  await mail.send({ to: to.email, ...message, key: `job-${job.id}` });
  failpoint(`mail.after.${job.kind}`);
}

/** Returns the URL of the customer's page of a booking; null for a booking without an account. */
export function ownPage({ siteUrl }: Services, booking: BookingFacts): string | null {
  return booking.userId === null ? null : `${siteUrl}/bookings/${booking.reference}`;
}

/** Returns the signed link to a booking's code page, valid until the booking ends. */
export function pinLink({ links, siteUrl }: Services, booking: BookingFacts): string {
  const token = links.sign(PIN_LINK, booking.id, booking.endTime);
  return `${siteUrl}/regenerate-pin?booking_id=${booking.id}&token=${token}`;
}

/** Converts a booking to the form that its mails use. */
export function forMail(facts: BookingFacts, firstName: string | null, business: BusinessSettings): BookingForMail {
  return {
    id: facts.id,
    reference: facts.reference,
    studioName: facts.studioName,
    start: facts.startTime,
    end: facts.endTime,
    hours: facts.totalHours,
    baseCents: facts.baseCostCents,
    discountCents: facts.discountCents,
    couponDiscountCents: facts.couponDiscountCents,
    waivedCents: facts.waivedCents,
    moves: facts.moves,
    totalCents: facts.finalCostCents,
    firstName,
    from: business,
    picture: null,
    arrivalNotes: business.arrivalNotes,
  };
}

/** Reads the URL of a room's first picture; null if it has none. */
async function pictureOfRoom(db: Queryable, studioId: string, siteUrl: string): Promise<string | null> {
  const room = await db.queryRow<{ photo: string | null }>(
    'select s.photos[1] as photo from public.studios s where s.id = $1::uuid',
    [studioId],
  );
  return room?.photo ? `${siteUrl}${mailPicture(room.photo)}` : null;
}

/** Reads all bookings of a series, earliest first. Returns only the booking itself if it was made alone. */
export async function readBookingSeries(db: Database, facts: BookingFacts): Promise<readonly BookingFacts[]> {
  return facts.orderId === null ? [facts] : readSeries(db, facts.orderId);
}

/** Converts a series to the form that mails about all of it use. */
export function seriesForMail(
  [first, ...others]: readonly [BookingFacts, ...BookingFacts[]],
  firstName: string | null,
  business: BusinessSettings,
): BookingForMail {
  const show = (booking: BookingFacts): BookingForMail => forMail(booking, firstName, business);
  return others.length === 0 ? show(first) : asSeries([show(first), ...others.map(show)]);
}

/** Extends a booking to its whole series, for mails about all of it. */
export async function withSeries(
  { db, business }: Services,
  booking: BookingForMail,
  facts: BookingFacts,
): Promise<BookingForMail> {
  const [first, ...others] = await readBookingSeries(db, facts);
  if (first === undefined) return booking;
  return { ...seriesForMail([first, ...others], booking.firstName, business()), picture: booking.picture };
}

export const toHours = (facts: BookingFacts): Hours => ({
  studioName: facts.studioName,
  start: facts.startTime,
  end: facts.endTime,
});
