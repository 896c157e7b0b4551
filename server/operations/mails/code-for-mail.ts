import { mailIsImmediate } from '#rules/access.ts';
import { constants } from '#rules/venue.ts';
import type { CodeForMail } from '#server/mails/booking-parts.ts';
import { showAccess } from '../access/show-access.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/**
 * Reads what a mail needs about the access code of a booking. If the booking has no access yet, the expected times are returned. Any other
 * error fails the job, because a retried mail is better than one with a wrong time.
 */
export async function codeForMail(services: Services, { id, startTime }: BookingFacts): Promise<CodeForMail> {
  const start = new Date(startTime);
  const code = await showAccess(services, id).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    const releaseAt = new Date(start.getTime() - constants.releaseLeadMinutes * 60_000);
    return { releaseAt, worksFrom: start, held: false };
  });
  return mailIsImmediate(start, services.clock()) ? { ...code, releaseAt: null } : code;
}
