import type { BusinessSettings } from '#rules/business/business.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { BookingForMail, MailWithCalendar } from '#server/mails/booking.ts';
import type { Mail } from '#server/providers/ports.ts';
import type { AccessContext } from '../access/context.ts';
import { type BookingFacts, readBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import type { Job } from '../core/jobs.ts';

/** What the mails of a booking need. */
export type BookingMailContext = {
  readonly db: Database;
  readonly mail: Mail;
  readonly access: AccessContext;
  readonly links: LinkSigner;
  readonly clock: Clock;
  readonly siteUrl: string;
  readonly business: () => BusinessSettings;
};

/** The purpose of the signed link to a booking's code page. */
export const PIN_LINK = 'pin-page';

/**
 * Sends a mail about the job's booking; does nothing when it has no recipient or `compose` returns null. Recipient and content are read
 * when it is sent, so that nothing stale goes out.
 */
export async function sendBookingMail(
  { db, mail, business }: BookingMailContext,
  job: Job,
  compose: (booking: BookingForMail, facts: BookingFacts, to: string) => Promise<MailWithCalendar | null>,
): Promise<void> {
  const facts = await readBooking(db, job.subjectId);
  const to = facts ? await readRecipient(db, facts) : null;
  if (!facts || !to) return;
  const message = await compose(forMail(facts, to.firstName, business()), facts, to.email);
  if (!message) return;
  failpoint(`mail.before.${job.kind}`);
  await mail.send({ to: to.email, ...message, key: `job-${job.id}` });
  failpoint(`mail.after.${job.kind}`);
}

/** Returns the signed link to a booking's code page, valid until the booking ends. */
export function pinLink({ links, siteUrl }: BookingMailContext, booking: BookingFacts): string {
  const token = links.sign(PIN_LINK, booking.id, new Date(booking.endTime));
  return `${siteUrl}/regenerate-pin?booking_id=${booking.id}&token=${token}`;
}

async function readRecipient(
  db: Database,
  booking: BookingFacts,
): Promise<{ email: string; firstName: string | null } | null> {
  const { guestEmail, guestName } = booking;
  if (booking.userId === null)
    return guestEmail === null ? null : { email: guestEmail, firstName: guestName?.split(' ')[0] ?? null };
  const row = await db.one<{ email: string; name: string | null }>(
    `select u.email, p.full_name as name from auth.users u left join public.profiles p on p.user_id = u.id where u.id = $1::uuid and u.deleted_at is null`,
    [booking.userId],
  );
  return row ? { email: row.email, firstName: row.name?.split(' ')[0] ?? null } : null;
}

function forMail(facts: BookingFacts, firstName: string | null, business: BusinessSettings): BookingForMail {
  return {
    id: facts.id,
    reference: facts.reference,
    studioName: facts.studioName,
    start: new Date(facts.startTime),
    end: new Date(facts.endTime),
    hours: facts.totalHours,
    baseCents: facts.baseCostCents,
    discountCents: facts.discountCents,
    couponDiscountCents: facts.couponDiscountCents,
    waivedCents: facts.waivedCents,
    moves: facts.moves,
    totalCents: facts.finalCostCents,
    firstName,
    from: business,
    arrivalNotes: business.arrivalNotes,
  };
}
